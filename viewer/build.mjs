// build.mjs OUT [WASM]: bundles src/main.ts and src/style.css into page.html, one file that loads nothing.
//
// The page carries the licences of all that is in it (id="notices"): ours, those of the packages that esbuild put into the
// bundle, and those of the C library of the wasm core. OUT with the ending .notices.txt has the same text.
import { build } from 'esbuild';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [out, wasm] = process.argv.slice(2);

// The licence of the C library that clang links into the wasm core (Debian's wasi-libc).
const WASM_NOTICE = '/usr/share/doc/wasi-libc/copyright';

// Folders of node_modules from which a file went into a bundle.
const bundled = new Set();

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'inline',
    loader: { '.css': 'css' },
    logLevel: 'warning',
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (found) bundled.add(found[1]);
  }
  return result.outputFiles[0].text.trim();
}

// The name, version and licence of a package. A package without a licence file must not be bundled: we could not keep its terms.
function packageNotice(name) {
  const folder = `node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry));
  if (!file) throw new Error(`${name} ${version} has no licence file`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}`;
}

function collectNotices(hasCore) {
  const parts = [`Holdfast\n\n${readFileSync('LICENSE', 'utf8').trim()}`, ...[...bundled].sort().map(packageNotice)];
  if (hasCore && existsSync(WASM_NOTICE)) parts.push(`wasi-libc, in the wasm core\n\n${readFileSync(WASM_NOTICE, 'utf8').trim()}`);
  return parts.join(`\n\n${'-'.repeat(80)}\n\n`) + '\n';
}

// A closing tag inside a script would end it.
const script = (await bundle('src/main.ts')).replaceAll('</script', '<\\/script');
const style = await bundle('src/style.css');
const core = wasm && existsSync(wasm) ? gzipSync(readFileSync(wasm), { level: 9 }).toString('base64') : '';
const notices = collectNotices(core !== '');
const page = readFileSync('page.html', 'utf8')
  .replace('/*NOTICES*/', () => notices.replaceAll('</script', '<\\/script'))
  .replace('/*STYLE*/', () => style)
  .replace('/*CORE*/', () => core)
  .replace('/*SCRIPT*/', () => script);
writeFileSync(out, page);
writeFileSync(out.replace(/\.html$/, '') + '.notices.txt', notices);
