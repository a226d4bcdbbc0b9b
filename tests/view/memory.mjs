// Memory of the live view while the Allegro scene runs, in the server and in the page: a minute, in the long form ten. It waits most of
// the time, so that it is a program of its own that runs beside other tests.
//
// Both hold the history that one can go back to, whose moments come 60 a second: until it is full memory grows by it, and after that only
// where the machine draws more moments a second than before. The short form keeps five seconds instead of a minute, so that the
// history is full before the first look. What the server says that its history holds is taken off, and of the page the bytes of its frames.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowser, open } from './browser.mjs';
import { check, runTests, source, until, view, wait } from './harness.mjs';

const full = Boolean(process.env.HF_FULL), minutes = full ? 10 : 1, history = full ? 60 : 5;
// A frame of the page is bytes and the objects around them, about 2 kB, and the sums over pairs of bodies that plots show.
const FRAME_OBJECTS = 4e3;
// Pages of the allocator and of the browser's heap come and go: in ten minutes on a busy machine the server grew by 0.1 MB at most, the page by 0.7 MB.
const SERVER_NOISE = 0.5e6, PAGE_NOISE = 2e6;
// Memory of the server over the bytes that its history grows by: it takes 14.6 MB where the history holds 4.7 MB, and 16.3 MB where it holds 6.2 MB.
const ALLOCATED = 1.15;

const mega = x => (x / 1e6).toFixed(2);

async function memoryIsFlat() {
  const server = await view(join(source, 'models/allegro_mug_gravity.xml'), '--keyframe', 'grasp', '--history', String(history));
  const page = full ? await open(server.url, 1280, 720) : await open(server.url, 480, 270);
  const client = await page.context().newCDPSession(page);
  const look = async () => {
    await client.send('HeapProfiler.collectGarbage');
    const heap = await client.send('Runtime.getHeapUsage');
    const { kept, frames, bytes, time } = await page.evaluate(() => { const { session: s } = window.holdfast, f = s.recording.frames; return { kept: s.status.kept, time: s.status.time, frames: f.length, bytes: f.reduce((sum, x) => sum + x.bytes.length, 0) }; });
    return { server: Number(readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ')[1]) * 4096, page: heap.usedSize + (heap.backingStorageSize ?? 0), kept, frames, bytes, time };
  };
  await until(async () => (await page.evaluate(() => window.holdfast.session.status.time)) > 1.25 * history + 4, 'the history is full', 4 * history + 60);
  const first = await look();
  const judge = (now, at) => {
    const more = Math.max(0, now.kept - first.kept), frames = Math.max(0, now.frames - first.frames) * FRAME_OBJECTS + Math.max(0, now.bytes - first.bytes);
    check(now.server <= first.server + ALLOCATED * more + SERVER_NOISE, `server: ${mega(first.server)} MB grew to ${mega(now.server)} MB after ${at} s, its history by ${mega(more)} MB`);
    check(now.page <= first.page + frames + PAGE_NOISE, `page: ${mega(first.page)} MB grew to ${mega(now.page)} MB after ${at} s, its frames by ${mega(frames)} MB`);
  };
  const say = (now, at) => console.log(`             ${at} s: server ${mega(now.server)} MB, of it history ${mega(now.kept)} MB; page ${mega(now.page)} MB with ${now.frames} frames; time ${now.time.toFixed(1)} s`);
  say(first, 0);
  for (let at = 10; at <= 60 * minutes; at += 10) {
    await wait(10);
    const now = await look();
    if (at % (full ? 60 : 20) === 0) say(now, at);
    judge(now, at);
  }
}

await runTests([['live_memory_is_flat', memoryIsFlat]]);
const patience = setTimeout(() => process.exit(), 10000); // a browser can hang when it closes
await closeBrowser();
clearTimeout(patience);
process.exit();
