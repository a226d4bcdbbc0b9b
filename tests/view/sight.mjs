// What one sees of a live scene without touching the camera: what runs away, forces that change, things behind walls.
import { join } from 'node:path';
import { open } from './browser.mjs';
import { check, source, until, view, wait } from './harness.mjs';
import { ball, send, show, state } from './live.mjs';

const PAUSE = 2, RESET = 4, SCALE = 12;

// Where a body is on the screen, by the camera's own projection.
const place = (page, body) => page.evaluate(b => { const v = window.holdfast.app.view, box = v.canvas.getBoundingClientRect(); const [x, y] = v.project(v.toWorld(b, v.camera.position.clone().set(0, 0, 0))); return { x, y, inside: x > box.left && x < box.right && y > box.top && y < box.bottom }; }, body);

// A ball that flies at 3 m/s without gravity is 15 m away after five seconds; the picture shows 2 m.
export async function keepsInSight() {
  const { page } = await show(`<mujoco><option gravity="0 0 0"/><worldbody><geom type="plane" size="0 0 1"/>
    <body name="ball" pos="0 0 0.5"><freejoint/><geom size="0.1"/></body></worldbody><keyframe><key name="fly" qvel="3 0 0 0 0 0"/></keyframe></mujoco>`, '--keyframe', 'fly');
  await until(async () => (await state(page)).time > 5, 'it has flown 15 m', 60);
  await until(async () => (await place(page, 1)).inside, 'it is in the picture');
  // Who turns the camera is not moved; the button that shows everything says that something is out of sight.
  await page.mouse.move(250, 200);
  await page.mouse.down();
  await page.mouse.move(290, 200, { steps: 3 });
  await page.mouse.up();
  await until(async () => !(await place(page, 1)).inside, 'it flies out of the picture', 60);
  await until(() => page.locator('#fit').evaluate(e => e.classList.contains('strong')), 'the button says so');
  await page.click('#fit');
  await until(async () => (await place(page, 1)).inside, 'it is in the picture again');
}

// The arrow of a weight that is fifty times as large must not be fifty times as long: the largest usual one is a third of the scene.
export async function arrowsFitTheForces() {
  const { page } = await show(ball());
  const longest = () => page.evaluate(() => { const v = window.holdfast.app.view; return Math.max(0, ...v.arrowList().map(a => a.length)) / v.size; });
  await until(async () => await longest() > 0.05, 'an arrow is there');
  const before = await longest();
  await send(page, SCALE, 1, 50);
  await until(async () => (await page.evaluate(() => { const f = window.holdfast.session.recording.frames.at(-1); return f.ncontact ? f.contact(0).fn : 0; })) > 900, 'the ball is heavy');
  await until(async () => { const l = await longest(); return l > 0.05 && l < 1; }, `arrows are as long as before, ${before}`, 60);
}

// A ball inside walls that are higher than it: the first picture shows it. Picking, which looks at the drawn shapes, finds it there.
export async function looksPastWalls() {
  const wall = (x, y, a, b) => `<geom type="box" size="${a} ${b} 0.4" pos="${x} ${y} 0.4"/>`;
  const { page } = await show(`<mujoco><worldbody><geom type="plane" size="2 2 0.1"/>${wall(0.3, 0, 0.02, 0.3)}${wall(-0.3, 0, 0.02, 0.3)}${wall(0, 0.3, 0.3, 0.02)}${wall(0, -0.3, 0.3, 0.02)}
    <body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>`, '--paused');
  await wait(0.5);
  const at = await place(page, 1);
  check(at.inside, 'the ball is in the picture');
  const found = await page.evaluate(({ x, y }) => window.holdfast.app.view.pick(x, y, true)?.body, at);
  check(found === 1, `the ball is seen, not body ${found}`);
}

// A camera on a slide that has moved by 1 m, which looks down on a ball: through it the ball is in the middle, at the angle that the model says; afterwards one looks from where one
// looked before. The page computes where cameras stand by itself.
export async function looksThroughCameras() {
  const { page } = await show(`<mujoco><worldbody><geom type="plane" size="2 2 0.1"/><body pos="-1 0 0"><joint type="slide" axis="1 0 0"/><geom size="0.05" pos="0 0 2"/>
    <camera name="down" pos="0 0 1.5" fovy="30"/></body><body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1"/></body>
    <camera name="watch" mode="targetbody" target="ball" pos="1 1 1"/></worldbody><keyframe><key qpos="1 0 0 0.1 1 0 0 0"/></keyframe></mujoco>`, '--keyframe', '#0', '--paused');
  const eye = () => page.evaluate(() => { const c = window.holdfast.app.view.camera; return [...c.position.toArray(), c.fov]; });
  const isAt = (x, ...want) => x.every((v, i) => Math.abs(v - want[i]) < 1e-6);
  await page.locator('details.more summary').click();
  const before = await eye();
  await page.selectOption('#camera', { label: 'down' });
  await until(async () => isAt(await eye(), 0, 0, 1.5, 30), 'it looks from where the camera stands');
  const middle = async () => { const p = await place(page, 2), box = await page.locator('canvas').first().boundingBox(); return Math.hypot(p.x - box.x - box.width / 2, p.y - box.y - box.height / 2); };
  check(await middle() < 1, 'the ball is in the middle');
  await page.selectOption('#camera', { label: 'watch' });
  await until(async () => isAt(await eye(), 1, 1, 1, 45), 'it looks through the other one');
  check(await middle() < 1, 'the ball is in the middle again');
  await page.selectOption('#camera', '-1');
  await until(async () => isAt(await eye(), ...before), 'it looks from where one looked before');
  await page.selectOption('#camera', { label: 'down' });
  await page.click('#fit');
  await until(async () => (await eye())[3] === 40 && await page.locator('#camera').inputValue() === '-1', 'who wants to see all leaves the camera');
}

// A motor without limits that the scene drives with 25 N: its slider reaches beyond that, although the page opened before the first step.
export async function slidersReachTheControls() {
  const server = await view(join(source, 'models/lift_shake_turn.xml'), '--keyframe', 'grasp'), page = await open(server.url);
  await page.click('.tabs [data-tab=Control]');
  await until(() => page.locator('#actuator-3').evaluate(e => Math.abs(Number(e.value) - 25) < 0.5 && Number(e.max) > 50), 'the slider stands at 25 N with room above it');
}

// Scenes whose keyframes are their proper starts say so once; a message goes by itself or with the next command.
export async function mentionsKeyframes() {
  const { page } = await show(ball(), '--paused');
  await until(async () => (await page.locator('#message').innerText()).includes('keyframe: high'), 'the keyframe is mentioned');
  await send(page, PAUSE);
  await until(async () => !(await page.locator('#message').isVisible()), 'the message goes');
}

// What happens now is written ten times a second; a line on which the pointer is pressed stays, so that a slow click selects it. Events
// of a running world begin with the latest.
export async function pressedLinesStay() {
  const { page } = await show(ball());
  const place = () => page.evaluate(() => { const box = document.querySelector('#now .line')?.getBoundingClientRect(); return box && [box.left + 30, box.top + 8]; });
  await until(place, 'the ball rests on the floor');
  await page.mouse.move(...await place());
  await page.mouse.down();
  await wait(1);
  await page.mouse.up();
  await until(() => page.evaluate(() => window.holdfast.app.tab === 'Selected'), 'the ball is selected');
  check((await page.locator('#selected h3').innerText()) === 'ball', 'by its name');
  await page.click('.tabs [data-tab=Events]');
  // The ball falls again and again: a page that is too slow misses frames, and the events that came with them.
  await until(async () => { await send(page, RESET, 1); await wait(1.5); return await page.locator('.events time').count() > 0; }, 'events are listed');
  const times = (await page.locator('.events time').allInnerTexts()).map(parseFloat);
  check(times.every((t, i) => i === 0 || t <= times[i - 1]), 'the latest is first');
}
