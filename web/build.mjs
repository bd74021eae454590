// Builds page.html, one file with its script and style in it, and page_bundle.cc, which has it as a
// string. Its policy permits only these two, by their hashes; src/report/report_page.cc puts title and
// data in.
import {createHash} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import {gzipSync} from 'node:zlib';
import {build} from 'esbuild';

const kMostBytes = 300_000;  // compressed

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    format: 'iife',
    target: ['es2020'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
  });
  return result.outputFiles[0].text.trim();
}

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

const script = await bundle('src/main.tsx');
const style = await bundle('src/style.css');
for (const text of [script, style]) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error('the bundle would end its own element');
}
const policy = [
  "default-src 'none'", `script-src ${hashOf(script)}`, `style-src ${hashOf(style)}`,
  "base-uri 'none'", "form-action 'none'",
].join('; ');
const page = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="sda report">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>@@SDA_TITLE@@</title>
<style>${style}</style>
</head>
<body>
<div id="page"><noscript>This report is drawn by a script in this file, and scripts are off here.</noscript></div>
<script type="application/json" id="data">@@SDA_DATA@@</script>
<script>${script}</script>
</body>
</html>
`;
const compressed = gzipSync(page).length;
if (compressed > kMostBytes) throw new Error(`the page has ${compressed} bytes compressed`);
writeFileSync('page.html', page);

const bytes = Buffer.from(page, 'utf8');
const lines = [];
for (let i = 0; i < bytes.length; i += 32) {
  lines.push(Array.from(bytes.subarray(i, i + 32), (b) => (b > 127 ? b - 256 : b)).join(','));
}
writeFileSync('page_bundle.cc', `#include "report/page_bundle.h"

namespace sda::report {
namespace {

constexpr char kPage[] = {
${lines.join(',\n')}
};

}  // namespace

std::string_view PageBundle() { return {kPage, sizeof(kPage)}; }

}  // namespace sda::report
`);
