// A stranger uses everything: every control of a scene, twice, in two random orders, on a desk and on a phone. Nothing may break: no error of
// the page, no wrong number, and the world still answers.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closePage, open } from './browser.mjs';
import { check, folder, source, until, view } from './harness.mjs';
import { scene, send, show, state } from './live.mjs';

const PAUSE = 2, STEP = 3, RESET = 4, SAVE = 14;

// Tendons, a height field, a mocap body, an equality, a cylinder, an ellipsoid, names with signs of HTML and without.
const zoo = `<mujoco><asset><hfield name="hills" nrow="4" ncol="4" size="0.5 0.5 0.1 0.1" elevation="0 1 0 1 1 0 1 0 0 1 0 1 1 0 1 0"/></asset>
  <worldbody><geom type="hfield" hfield="hills"/><body name="&lt;b&gt;hand&lt;/b&gt;" mocap="true" pos="0 0 0.8"><geom size="0.02" contype="0" conaffinity="0"/></body>
  <body pos="0 0 0.5"><freejoint/><geom type="ellipsoid" size="0.05 0.04 0.03"/></body>
  <body name="arm" pos="0.3 0 0.5"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02"/>
    <body pos="0.2 0 0"><joint name="b" axis="0 1 0"/><geom type="cylinder" size="0.03 0.05"/></body></body></worldbody>
  <tendon><fixed name="pull"><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed></tendon>
  <actuator><motor name="cable" tendon="pull"/><position joint="a" kp="5"/></actuator>
  <equality><joint joint1="a" joint2="b"/></equality><keyframe><key qpos="0 0 0.7 1 0 0 0 0.2 0.2"/><key name="low" qpos="0.2 0 0.3 1 0 0 0 0 0"/></keyframe></mujoco>`;

// Uses all controls in an order that a seed gives (mulberry32); numbers of sliders are random, choices go through all of theirs.
const useEverything = (page, seed) => page.evaluate(async start => {
  let s = start >>> 0;
  const random = () => { s = (s + 0x6d2b79f5) >>> 0; let t = s; t = Math.imul(t ^ (t >>> 15), t | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const app = document.getElementById('app');
  for (const d of app.querySelectorAll('details')) d.open = true;
  const all = [...app.querySelectorAll('button, select, input, summary')].filter(e => !['saverec', 'savereport', 'take', 'whatif'].includes(e.id));
  for (let i = all.length - 1; i > 0; --i) { const j = Math.floor(random() * (i + 1)); [all[i], all[j]] = [all[j], all[i]]; }
  let used = 0;
  for (const e of all) {
    if (!e.isConnected || e.disabled) continue;
    ++used;
    if (e.tagName === 'SELECT') for (const o of [...e.options]) { e.value = o.value; e.dispatchEvent(new Event('change', { bubbles: true })); await new Promise(r => setTimeout(r, 30)); }
    else if (e.type === 'range') { e.value = String(Number(e.min) + random() * (e.max - e.min)); e.dispatchEvent(new Event('input', { bubbles: true })); }
    else e.click();
    await new Promise(r => setTimeout(r, 20));
  }
  for (const d of app.querySelectorAll('details')) d.open = true;
  return used;
}, seed);

async function answers(page) {
  await send(page, PAUSE);
  await send(page, RESET, 0);
  await until(async () => (await state(page)).time === 0, 'it is reset');
  const { steps } = await state(page);
  await send(page, STEP, 5);
  await until(async () => (await state(page)).steps === steps + 5, `it steps; the page says ${(await state(page)).message}`);
  const { q } = await state(page);
  check(q.every(Number.isFinite), 'coordinates are numbers');
}

export async function everyControlTwice() {
  writeFileSync(scene('zoo.xml'), zoo);
  const scenes = [['zoo.xml', 900, 500], [join(source, 'models/grasp_rotate.xml'), 900, 500], [join(source, 'models/linkage_gripper.xml'), 390, 844]];
  for (const [name, width, height] of scenes) {
    const server = await view(name), page = await open(server.url, width, height);
    await until(async () => (await state(page)).control, 'it controls');
    const used = [];
    for (const seed of [1, 2]) {
      used.push(await useEverything(page, seed));
      await answers(page);
    }
    const text = await page.locator('#app').innerText();
    check(!/NaN|undefined|Infinity|\[object/.test(text), `${name}: ${text.match(/.*(NaN|undefined|Infinity|\[object).*/)?.[0]}`);
    check(page.troubles.length === 0, `${name}: the page complains: ${page.troubles}`);
    console.log(`             ${name.split('/').pop()}: ${used.join(' and ')} controls, seeds 1 and 2`);
    await closePage(page);
    await server.stop();
  }
}

// A recording and two reports of one second are three files, and the same keyframe can be chosen twice.
export async function savesTwice() {
  const { page } = await show(zoo, '--paused');
  await send(page, STEP, 20);
  await until(async () => (await state(page)).steps === 20, 'twenty steps');
  const count = ending => readdirSync(folder).filter(f => f.startsWith('holdfast-') && f.endsWith(ending)).length, before = [count('.rec'), count('.html')];
  for (const kind of [0, 1, 1]) await send(page, SAVE, kind);
  await until(() => count('.rec') === before[0] + 1 && count('.html') === before[1] + 2, 'all three are there');
  await page.click('.tabs [data-tab=Control]');
  for (let i = 0; i < 2; ++i) {
    await page.selectOption('#keyframe', { label: 'low' });
    await until(async () => Math.abs((await state(page)).q[0] - 0.2) < 1e-6 && (await state(page)).time === 0, 'the keyframe is set');
    await send(page, STEP, 10);
    await until(async () => (await state(page)).time > 0.01, 'it steps on');
  }
}
