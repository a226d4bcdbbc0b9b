// Runs tests one after the other and prints cmocka's lines, so that ./check counts them.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const holdfast = process.env.HOLDFAST, source = process.env.HF_SOURCE_DIR;
export let folder = null; // of the test that runs; the files of one test are not there in the next

export class Skip extends Error {}

export function check(condition, text) { if (!condition) throw new Error(text); }
export function near(a, b, tolerance, text) {
  if (!(Math.abs(a - b) <= tolerance)) throw new Error(`${text}: ${a} is not ${b} within ${tolerance}`);
}

// Pages and servers of a test end with it, whether it passes or fails: what stayed open would take the processor from the tests after it.
const opened = [];
export function closeAtTheEnd(close) { opened.push(close); }
async function closeAll() {
  for (const close of opened.splice(0).reverse()) await Promise.race([close().catch(() => {}), wait(10)]); // closing can hang in the browser
}

// Prints the outcome of a test; true if it did not fail.
async function passes(name, test) {
  try {
    await test();
    console.log(`[       OK ] ${name}`);
    return true;
  } catch (error) {
    if (error instanceof Skip) console.log(`[  SKIPPED ] ${name}: ${error.message}`);
    else console.log(`[  ERROR   ] --- ${error.stack}\n[  FAILED  ] ${name}`);
    return error instanceof Skip;
  }
}

// Each test has its own folder, servers and pages, so that it passes alone (VIEW_TESTS, a part of its name) and in any order
// (VIEW_REVERSED=1 begins with the last).
export async function runTests(tests) {
  let failed = 0;
  const only = process.env.VIEW_TESTS ?? '', chosen = tests.filter(([name]) => name.includes(only));
  if (process.env.VIEW_REVERSED) chosen.reverse();
  for (const [name, test] of chosen) {
    console.log(`[ RUN      ] ${name}`);
    const before = Date.now();
    folder = mkdtempSync(join(tmpdir(), 'holdfast-view-'));
    if (!await passes(name, test)) ++failed;
    await closeAll();
    rmSync(folder, { recursive: true, force: true });
    console.log(`             ${((Date.now() - before) / 1000).toFixed(1)} s`);
  }
  process.exitCode = failed ? 1 : 0;
}

// Runs the command to its end in the folder of the test.
export function command(...args) {
  const result = spawnSync(holdfast, args, { cwd: folder, encoding: 'utf8' });
  check(result.status === 0, `holdfast ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

const children = new Set(); // servers that a failed test leaves behind
process.on('exit', () => { for (const child of children) child.kill('SIGKILL'); });

let port = 20000 + (process.pid * 7) % 20000;

// Starts a server; { url, port, token, stop(), pid }.
export async function view(...args) {
  const given = args.indexOf('--port'), at = given < 0 ? ++port : Number(args[given + 1]);
  const child = spawn(holdfast, ['view', ...args, ...(given < 0 ? ['--port', String(at)] : [])], { cwd: folder });
  let text = '', trouble = '';
  children.add(child);
  child.on('exit', () => children.delete(child));
  child.stderr.on('data', d => { trouble += d; });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', d => { text += d; if (text.includes('token=')) resolve(); });
    child.on('exit', () => reject(new Error(`holdfast view ended: ${trouble}`)));
  });
  const url = text.match(/http:\S+/)[0];
  const stop = (signal = 'SIGTERM') => new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.removeAllListeners('exit');
    child.on('exit', () => { children.delete(child); resolve(); });
    child.kill(signal);
  });
  closeAtTheEnd(() => stop());
  return { url, port: at, token: url.split('token=')[1], pid: child.pid, trouble: () => trouble, stop };
}

export const wait = seconds => new Promise(resolve => setTimeout(resolve, 1000 * seconds));

// Waits until a condition holds; the tests' clock is generous because the machine may be busy.
export async function until(condition, text, seconds = 40) {
  const end = Date.now() + 1000 * seconds;
  while (Date.now() < end) {
    if (await condition()) return;
    await wait(0.05);
  }
  throw new Error(`not within ${seconds} s: ${text}`);
}
