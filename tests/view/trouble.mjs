// The live view when something goes wrong: signals, connections that break, scenes that change, pages that only watch.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closePage, open } from './browser.mjs';
import { check, folder, near, source, until, view, wait } from './harness.mjs';
import { ball, scene, send, serve, show, state } from './live.mjs';
import { openSocket } from './socket.mjs';

const PLAY = 1, PAUSE = 2, STEP = 3, OPTION = 13;
const gone = server => !existsSync(`/proc/${server.pid}`);

// A server ends soon after its signal (0.5 s of patience with a world that computes, and what a busy machine adds), whatever it does, and
// its port is free at once: the next one takes the same.
const PROMPT = 2000; // [ms]
async function endsPromptly(server, signal) {
  const before = Date.now();
  await server.stop(signal);
  const took = Date.now() - before;
  check(took < PROMPT, `it ended ${took} ms after ${signal}`);
  check(gone(server), 'no process is left');
  return took;
}

export async function endsAtOnce() {
  writeFileSync(scene('ball.xml'), ball());
  writeFileSync(scene('slow.xml'), slowScene());
  const files = readdirSync(folder).sort().join(), took = [];
  const cases = [['ball.xml', '--paused'], ['ball.xml'], ['slow.xml']];
  let port;
  for (const args of cases)
    for (const signal of ['SIGTERM', 'SIGINT'])
      for (const client of ['nobody', 'a page', 'a client that stopped reading']) {
        if (client === 'a page' && signal === 'SIGINT') continue;
        const server = await view(...args, ...(port ? ['--port', String(port)] : []));
        port = server.port;
        const guest = client === 'a page' ? await open(server.url) : null;
        const stopped = client.includes('stopped') ? await openSocket(server.port, { token: server.token }) : null;
        stopped?.socket.pause();
        await wait(0.2);
        took.push(await endsPromptly(server, signal));
        if (guest) await closePage(guest);
        stopped?.close();
      }
  console.log(`             ended after ${Math.min(...took)} to ${Math.max(...took)} ms`);
  check(readdirSync(folder).sort().join() === files, 'no file is left');
}

// Steps that take long: 300 balls in one heap, solved as rigid bodies.
function slowScene() {
  let bodies = '';
  for (let i = 0; i < 300; ++i)
    bodies += `<body pos="${0.09 * (i % 7)} ${0.09 * (Math.floor(i / 7) % 7)} ${0.05 + 0.095 * Math.floor(i / 49)}"><freejoint/><geom size="0.05"/></body>`;
  return `<mujoco><worldbody><geom type="plane" size="2 2 0.1"/>${bodies}</worldbody></mujoco>`;
}

// The world waits for the first page, so that it shows the beginning.
export async function beginsWithTheFirstPage() {
  const server = await serve(ball());
  await wait(1.5);
  const page = await open(server.url);
  const first = await page.evaluate(() => window.holdfast.session.recording.start);
  check(first < 0.1, `the page begins at ${first} s`); // the scene plays while the page is made, which takes a picture or two
  await until(async () => (await state(page)).time > 0.3, 'it plays');
}

// The page connects again when its connection breaks while the server goes on: here because it says something that ends it.
export async function connectsAgain() {
  const { server, page } = await show(ball());
  await until(async () => (await state(page)).time > 0.2, 'it plays');
  await page.evaluate(() => { window.before = window.holdfast.app; window.holdfast.session.socket.send('this is no command'); });
  await until(() => page.evaluate(() => window.holdfast.app !== window.before), 'the page is there again');
  const { time } = await state(page);
  await until(async () => (await state(page)).time > time && (await state(page)).control, 'it goes on and controls');
  check(await page.locator('#message.bad').count() === 0, 'no error is left');
  // The server ends: what was received can be replayed.
  await send(page, PAUSE);
  await server.stop();
  await until(async () => (await page.locator('#message').innerText()).includes('connection to the server is gone'), 'the page says so');
  await page.evaluate(() => window.holdfast.app.goTo(0));
  const from = await page.evaluate(() => window.holdfast.app.time);
  await page.click('#play');
  await until(() => page.evaluate(t => window.holdfast.app.time > t + 0.05, from), 'what was received is replayed');
  await page.click('.tabs [data-tab=Control]');
  check(await page.locator('#reset').isDisabled(), 'what needs the server is switched off');
}

// A scene that is read again keeps camera, tab and what is shown, and only one page listens to keys: a step is one step.
export async function reloadKeepsThePage() {
  const { page } = await show(ball(), '--paused');
  await page.click('.tabs [data-tab=Events]');
  await page.locator('.more summary').click();
  await page.check('#cones');
  const eye = () => page.evaluate(() => window.holdfast.app.view.camera.position.toArray());
  await page.evaluate(() => { const v = window.holdfast.app.view; v.lookFrom(10, 70); window.before = window.holdfast.app; });
  const seen = await eye();
  for (const name of ['wagon', 'cart', 'lorry']) {
    writeFileSync(scene('scene.xml'), ball().replace('name="cart"', `name="${name}"`));
    await until(() => page.evaluate(n => window.holdfast.session.recording.model.label('body', 2) === n && window.holdfast.app !== window.before, name), 'the new scene is there');
    await page.evaluate(() => { window.before = window.holdfast.app; });
  }
  await until(() => page.evaluate(() => window.holdfast.app.view.arrows.showCones), 'cones are shown as before');
  (await eye()).forEach((x, i) => near(x, seen[i], 1e-9, 'place of the camera'));
  check(await page.evaluate(() => window.holdfast.app.tab) === 'Events', 'the same tab');
  check(await page.locator('canvas#view').count() === 1, 'one picture');
  const { time } = await state(page);
  await page.locator('#app').press('.');
  await until(async () => (await state(page)).time > time, 'a step is taken');
  await wait(0.3);
  near((await state(page)).time, time + 0.002, 1e-9, 'one step');
}

// Who watches can look back and stop his own picture; the world and the others do not notice. Two pages that draw all the time are small.
export async function watchersLookBack() {
  const server = await serve(ball()), master = await open(server.url, 480, 270);
  await until(async () => (await state(master)).control, 'the first controls');
  await send(master, PAUSE); // a page that draws all the time leaves others little
  const guest = await open(server.url, 480, 270);
  await send(master, PLAY, 0, 1);
  await until(async () => (await state(guest)).time > 0.5, 'both see it');
  check(await guest.locator('#speed').isDisabled(), 'the speed is not for who watches');
  await guest.click('#play');
  await until(() => guest.evaluate(() => window.holdfast.app.live.held), 'the picture of the guest stands');
  const { shown } = await state(guest);
  await until(async () => (await state(master)).time > shown + 0.3 && (await state(master)).playing, 'the world goes on');
  near((await state(guest)).shown, shown, 1e-9, 'the guest looks at the past');
  const frames = await guest.evaluate(() => window.holdfast.session.recording.frames.length);
  await guest.click('#play');
  await until(async () => (await state(guest)).shown > shown + 0.2, 'the guest is back in the present');
  check(await guest.evaluate(() => window.holdfast.session.recording.frames.length) >= frames, 'and has lost nothing');
}

// A page holds what the server holds: from every frame that it shows the world can go on.
export async function oldestMomentCanBeReached() {
  const { page } = await show(ball(), '--history', '2');
  await until(async () => (await state(page)).time > 5, 'the history is full', 30);
  await page.evaluate(() => window.holdfast.app.goTo(0));
  await until(async () => !(await state(page)).playing, 'looking back pauses');
  const { shown, time } = await state(page);
  check(time - shown > 1.5 && time - shown <= 2.1, `the page goes back by ${time - shown} s`);
  await page.click('#play');
  await until(async () => (await state(page)).playing && (await state(page)).time < time, 'it goes on from there');
  check(!(await state(page)).message.includes('too long ago'), 'the server has that moment');
}

// The method that is shown is the one that acts, also after another page chose it or a refusal.
export async function methodIsShown() {
  const server = await view(join(source, 'models/stack.xml'), '--paused', '--method', 'rk3'), page = await open(server.url);
  await page.click('.tabs [data-tab=Control]');
  const shown = () => page.locator('#method').evaluate(e => e.selectedOptions[0]?.text);
  await until(async () => await shown() === 'Runge-Kutta 3', 'the method of the command is chosen');
  const option = await page.evaluate(() => Object.keys(window.holdfast.session.recording.run.options).indexOf('method'));
  for (const [method, name] of [[0, 'TAMSI'], [1, 'convex'], [2, 'MLCP (rigid)'], [4, 'implicit Euler'], [5, 'SDIRK'], [6, 'switching'], [3, 'Runge-Kutta 3']]) {
    await send(page, OPTION, option, method);
    await until(async () => (await state(page)).method === method || (await state(page)).message !== '', `${name} acts, or it is said why not`);
    const now = (await state(page)).method;
    if (now === method) {
      await until(async () => await shown() === name, `${name} is shown`);
      const { steps } = await state(page);
      await send(page, STEP, 3);
      await until(async () => (await state(page)).steps === steps + 3, `three steps by ${name}: ${(await state(page)).message}`);
    }
  }
}
