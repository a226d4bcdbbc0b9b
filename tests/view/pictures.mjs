// Takes the pictures of the page for the documentation anew (CONTRIBUTING.md).
import { join } from 'node:path';
import { closeBrowser, open } from './browser.mjs';
import { command, folder, runTests, source, until, view, wait } from './harness.mjs';
import { send, state } from './live.mjs';

const PLAY = 1, PAUSE = 2, CONTROL = 6;
const take = async (page, name) => { await wait(1); await page.screenshot({ path: join(source, 'docs/pictures', name) }); };
// The camera shows the moment, and not all of the motion.
const showMoment = (page, time) => page.evaluate(t => { const { app } = window.holdfast, r = app.recording; app.goTo(t); app.view.fitCamera(app.view.bounds([r.frames[r.indexAt(t)]])); }, time);
function report(width, height) {
  command('run', join(source, 'models/gripper_mug.xml'), '--keyframe', 'rim', '--time', '5', '--report', 'mug.html');
  return open(`file://${join(folder, 'mug.html')}`, width, height);
}

async function takeReport() {
  const page = await report(1280, 720);
  await page.locator('.more summary').click();
  await page.check('#cones');
  await page.locator('.more summary').click();
  await showMoment(page, 2.45);
  await take(page, 'report.png');
}

async function takePhone() {
  const page = await report(390, 844);
  await showMoment(page, 2.45);
  await take(page, 'phone.png');
}

// A third of the friction from 2 s on; a fifth of a second later the mug has left its pale twin.
async function takeWhatIf() {
  const page = await report(1280, 720);
  await page.evaluate(async () => {
    const { app } = window.holdfast;
    app.goTo(2);
    await app.live.askWhatIf();
    app.live.session.send(12, 0, 0.3);
    app.live.session.advance(0.2, 1e9);
    app.live.session.changed();
    app.say('');
  });
  await take(page, 'whatif.png');
}

// The bar is lifted and turned by the sliders of its scene.
async function takeLive() {
  const server = await view(join(source, 'models/lift_shake_turn.xml'), '--keyframe', 'grasp'), page = await open(server.url, 1280, 720);
  await until(async () => (await state(page)).control, 'it controls');
  await page.click('.tabs [data-tab=Control]');
  for (let i = 0; i <= 40; ++i) {
    await send(page, CONTROL, 0, -0.0301 + 0.0025 * i);
    await send(page, CONTROL, 2, 0.02 * i);
    await wait(0.05);
  }
  await send(page, PLAY, 0, 1);
  await wait(2);
  await send(page, PAUSE);
  await page.click('#fit');
  await take(page, 'live.png');
}

await runTests([['report', takeReport], ['phone', takePhone], ['whatif', takeWhatIf], ['live', takeLive]]);
await closeBrowser();
process.exit();
