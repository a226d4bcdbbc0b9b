// A headless Chromium that draws in software.
import { chromium } from 'playwright-core';
import { check, closeIfItFails } from './harness.mjs';

let browser = null;

export async function open(url, width = 1280, height = 720) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
  const context = await browser.newContext({ viewport: { width, height } }), page = await context.newPage();
  closeIfItFails(() => context.close());
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
