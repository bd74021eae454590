// A report in a real browser: node opens_test.mjs FOLDER_WITH_NODE_MODULES CHROMIUM REPORT.html TOPICS POSTS.jsonl
// It has this number of topics, on the map and in the list, the names of posts, and the topics over time.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, executablePath, report, topics, posts] = process.argv.slice(2);
const {chromium} = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
const names = new Set(readFileSync(posts, 'utf8').trim().split('\n').map((line) => JSON.parse(line).name));
const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu']});
try {
  for (const width of [1360, 390]) {
    const page = await browser.newPage({viewport: {width, height: 844}});
    const wrong = [];
    page.on('console', (message) => wrong.push(message.text()));
    page.on('pageerror', (error) => wrong.push(error.message));
    await page.goto(pathToFileURL(resolve(report)).href);
    await page.waitForSelector('.map .circle');
    const count = async (selector) => (await page.$$(selector)).length;
    assert.equal(await count('.map .circle'), Number(topics));
    assert.equal(await count('.topics tbody tr'), Number(topics));
    assert.ok(await count('.multiples .sparkline') > 0, 'topics over time');
    const shown = await page.$$eval('.document-name', (all) => all.map((e) => e.textContent));
    assert.ok(shown.length > 0 && shown.every((name) => names.has(name)), `${shown}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(wrong, []);
    await page.close();
  }
} finally {
  await browser.close();
}
