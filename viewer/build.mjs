// build.mjs OUT [WASM]: bundles src/main.ts and src/style.css into page.html, one file that loads nothing.
import { build } from 'esbuild';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [out, wasm] = process.argv.slice(2);

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    legalComments: 'inline',
    loader: { '.css': 'css' },
    logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

// A closing tag inside a script would end it.
const script = (await bundle('src/main.ts')).replaceAll('</script', '<\\/script');
const style = await bundle('src/style.css');
const core = wasm && existsSync(wasm) ? gzipSync(readFileSync(wasm), { level: 9 }).toString('base64') : '';
const page = readFileSync('page.html', 'utf8')
  .replace('/*STYLE*/', () => style)
  .replace('/*CORE*/', () => core)
  .replace('/*SCRIPT*/', () => script);
writeFileSync(out, page);
