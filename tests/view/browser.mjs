// A headless Chromium that draws in software.
import { chromium } from 'playwright-core';
import { check, closeAtTheEnd } from './harness.mjs';

let browser = null;

// The usual size is small, because time goes with the number of pixels, and still has the layout of a desk.
export async function open(url, width = 900, height = 500) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
  const context = await browser.newContext({ viewport: { width, height } }), page = await context.newPage();
  closeAtTheEnd(() => context.close());
  page.requests = [];
  page.troubles = [];
  page.on('request', r => page.requests.push(r.url()));
  page.on('pageerror', e => page.troubles.push(e.message));
  page.on('console', m => { if (m.type() === 'error') page.troubles.push(m.text()); });
  await page.goto(url);
  await page.waitForFunction(() => window.holdfast?.ready, null, { timeout: 90000 });
  check(page.troubles.length === 0, `the page complains: ${page.troubles}`);
  return page;
}

export async function closePage(page) { await page.context().close(); }
export async function closeBrowser() { await browser?.close(); browser = null; }
