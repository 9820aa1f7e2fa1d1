// Parses every .mmd, .svg and .json file of a folder.
//
//   node mermaid_check.mjs NPM_FOLDER FOLDER
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [npm, folder] = process.argv.slice(2);
const require = createRequire(resolve(npm, 'package.json'));
const { JSDOM } = require('jsdom');
// Mermaid sanitizes labels with the parser of the browser.
const dom = new JSDOM('<!doctype html><body></body>');
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const core = join(resolve(npm), 'node_modules/mermaid/dist/mermaid.core.mjs');
const { default: mermaid } = await import(pathToFileURL(core));
mermaid.initialize({ startOnLoad: false, maxTextSize: 1e8, maxEdges: 1e6 });

const svgParser = new dom.window.DOMParser();
const checks = {
  mmd: async (text) => {
    const { diagramType } = await mermaid.parse(text);
    if (!diagramType.startsWith('flowchart')) throw new Error(diagramType);
  },
  svg: async (text) => {
    const parsed = svgParser.parseFromString(text, 'image/svg+xml');
    const error = parsed.querySelector('parsererror');
    if (error) throw new Error(error.textContent);
  },
  json: async (text) => JSON.parse(text),
};

let count = 0;
for (const name of readdirSync(folder)) {
  const check = checks[name.split('.').pop()];
  if (!check) continue;
  try {
    await check(readFileSync(join(folder, name), 'utf8'));
    count += 1;
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  }
}
if (count < 180) {
  console.error(`Expected at least 180 files, got ${count}.`);
  process.exitCode = 1;
}
let rejected = false;
await mermaid.parse('flowchart TD\n a[b').catch(() => (rejected = true));
if (!rejected) {
  console.error('Mermaid accepted an invalid graph, so this check is not reliable.');
  process.exitCode = 1;
}
