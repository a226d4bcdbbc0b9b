// Runs tests one after the other and prints cmocka's lines, so that ./check counts them.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const holdfast = process.env.HOLDFAST, source = process.env.HF_SOURCE_DIR;
export const folder = mkdtempSync(join(tmpdir(), 'holdfast-view-'));

export class Skip extends Error {}

export function check(condition, text) { if (!condition) throw new Error(text); }
export function near(a, b, tolerance, text) {
  if (!(Math.abs(a - b) <= tolerance)) throw new Error(`${text}: ${a} is not ${b} within ${tolerance}`);
}

// What a test that fails leaves open would take the processor from the tests after it.
const leftOpen = [];
export function closeIfItFails(close) { leftOpen.push(close); }
async function closeLeftOpen() { for (const close of leftOpen.splice(0)) await close().catch(() => {}); }

export async function runTests(tests) {
  let failed = 0;
  const only = process.env.VIEW_TESTS;
  for (const [name, test] of tests) {
    if (only && !name.includes(only)) continue;
    console.log(`[ RUN      ] ${name}`);
    const before = Date.now();
    leftOpen.length = 0;
    try {
      await test();
      console.log(`[       OK ] ${name}`);
    } catch (error) {
      if (error instanceof Skip) console.log(`[  SKIPPED ] ${name}: ${error.message}`);
      else { ++failed; console.log(`[  ERROR   ] --- ${error.stack}`); console.log(`[  FAILED  ] ${name}`); await closeLeftOpen(); }
    }
    console.log(`             ${((Date.now() - before) / 1000).toFixed(1)} s`);
  }
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = failed ? 1 : 0;
}

// Runs the command to its end in the folder of the tests.
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
  closeIfItFails(stop);
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
