// Reports in a real browser: node page_test.mjs FOLDER_WITH_NODE_MODULES CHROMIUM HOSTILE.html POSTS.html
// HOSTILE has words that are not text to a browser; POSTS has documents with ids and times.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, executablePath, hostile, posts] = process.argv.slice(2);
const {chromium} = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
const kFlags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
const kSizes = {desktop: {width: 1360, height: 900}, phone: {width: 390, height: 844}};

// Runs test(page) on a page, at a width; nothing may be complained about, refused or fetched.
async function open(file, viewport, test, colorScheme = 'light') {
  const folder = mkdtempSync(join(tmpdir(), 'sda-page-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath, args: kFlags, headless: true, viewport, colorScheme,
  });
  try {
    const page = await context.newPage();
    const wrong = [];
    const url = pathToFileURL(resolve(file)).href;
    page.on('console', (message) => wrong.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => wrong.push(`dialog: ${dialog.message()}`));
    page.on('request', (request) => request.url() === url || wrong.push(`request: ${request.url()}`));
    await page.addInitScript(() => {
      window.violations = [];
      addEventListener('securitypolicyviolation', (e) => window.violations.push(e.violatedDirective));
    });
    await page.goto(url);
    await page.waitForSelector('.map .circle');
    await test(page);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
    rmSync(folder, {recursive: true, force: true});
  }
}

const texts = (page, selector) => page.$$eval(selector, (found) => found.map((e) => e.textContent));
const detail = (page) => page.textContent('#detail-title');

async function drawsMapListAndWords(page) {
  const topics = (await page.$$('.map .circle')).length;
  assert.ok(topics >= 4);
  assert.equal((await page.$$('.topics tbody tr')).length, topics);
  const words = await texts(page, '.detail .words tbody th');
  assert.ok(words.length >= 8, `${words}`);
  const intervals = await texts(page, '.detail .words tbody td.muted');
  assert.match(intervals[0], /^[\d.]+–[\d.]+$/);
  assert.ok((await page.$$('.detail .words .whisker')).length >= 3 * words.length);
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= room, `the page is ${wide} wide, the window ${room}`);
}

async function selectsTopics(page) {
  const numbers = await texts(page, '.topics tbody .topic-number');
  await page.click('.topics tbody tr:nth-child(2)');
  assert.equal(await detail(page), numbers[1].replace('topic', 'Topic'));
  // By keyboard: down the list, and across the map.
  await page.focus('.topics tbody tr:nth-child(2) button');
  await page.keyboard.press('ArrowDown');
  assert.equal(await detail(page), numbers[2].replace('topic', 'Topic'));
  await page.focus('.map .selected');
  const visited = new Set();
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
    await page.keyboard.press(key);
    visited.add(await detail(page));
  }
  assert.ok(visited.size >= 2, 'the arrow keys go to other topics');
  const focused = await page.evaluate(() => document.activeElement.getAttribute('data-topic'));
  assert.equal(await detail(page), `Topic ${focused}`);
}

async function ranksByRelevance(page) {
  const ranked = async (relevance) => {
    await page.fill('#relevance', String(relevance));
    await page.waitForFunction((value) => document.querySelector('output').textContent === value, relevance.toFixed(2));
    return {
      words: await texts(page, '.detail .words tbody th'),
      percents: (await texts(page, '.detail .words tbody td:nth-child(3)')).map(Number),
    };
  };
  const probable = await ranked(1);
  const sorted = [...probable.percents].sort((a, b) => b - a);
  assert.deepEqual(probable.percents, sorted, 'at relevance 1 the most probable come first');
  const special = await ranked(0);
  assert.notDeepEqual(special.words, probable.words, 'relevance 0 ranks otherwise');
}

async function findsWord(page, typed, word) {
  await page.fill('#search', typed);
  await page.waitForSelector('#proposals [role=option]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.word-topics');
  assert.equal(await page.textContent('#word-title bdi'), word);
  const topics = await texts(page, '.word-topics tbody th');
  assert.ok(topics.length >= 1);
  assert.equal((await page.$$('.map .found')).length, topics.length);
  await page.click('.word-topics tbody th button');
  assert.equal(await detail(page), `Topic ${topics[0]}`);
  assert.ok((await texts(page, '.detail .words tbody th')).includes(word));
  await page.focus('#search');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.word-topics', {state: 'detached'});
}

async function hostileWordsStayText(page) {
  for (const word of ['</script><script>alert(1)</script>', '<!--', '<img src=x onerror=alert(1)>', "'\"`"]) {
    await findsWord(page, word, word);
  }
  await findsWord(page, 'a\u2028b', 'a\u2028b');
  assert.equal((await page.$$('img, b b, #page script')).length, 0);
}

async function showsDocumentsAndTime(page) {
  assert.ok((await page.$$('.detail .time-chart .band')).length === 1);
  assert.ok((await page.$$('.multiples .sparkline')).length >= 5);
  assert.ok((await page.$$('.detail .documents-bar')).length > 10);
  const names = await texts(page, '.detail .document-name');
  assert.equal(names.length, 5);
  assert.match(names[0], /^<b>post-\d+<\/b>$/);
  assert.match(await page.textContent('.detail .snippet'), /[a-z]+ [a-z]+ /);
  assert.ok((await page.$$('.misfits li')).length >= 5);
  await page.click('.detail details summary');
  const documents = (await texts(page, '.periods tbody td:nth-child(2)')).map(Number);
  assert.equal(documents.reduce((a, b) => a + b), 600, 'every document is in one period');
  await page.click('.theme');
  assert.match(await page.evaluate(() => document.documentElement.dataset.theme), /dark|light/);
  assert.equal((await page.$$('img, .documents b')).length, 0);
}

// The posts were fitted with several seeds.
async function showsHowManyRunsFoundATopic(page) {
  assert.match(await page.textContent('.detail .facts'), /found by [1-3] of 3 runs \(mean cosine [01]\.\d\d\)/);
  assert.match(await page.textContent('.printed-topic h3'), /found by [1-3] of 3 runs/);
  if (!(await page.isVisible('.topics thead .optional'))) return; // on a phone
  const column = (await texts(page, '.topics thead th')).findIndex((text) => text.startsWith('found by'));
  const found = () => texts(page, `.topics tbody tr > :nth-child(${column + 1})`);
  assert.ok((await found()).every((text) => /^[1-3] of 3$/.test(text)), `${await found()}`);
  await page.click(`.topics thead th:nth-child(${column + 1}) button`);
  assert.deepEqual(await found(), [...(await found())].sort().reverse());
  await page.click('.topics thead th:nth-child(2) button');
}

// What screen readers need: names for what can be operated, and no two elements with one id.
async function isAccessible(page) {
  const nameless = await page.$$eval('button, input, [role=button], [role=img]', (all) =>
    all.filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length);
  assert.equal(nameless, 0);
  const ids = await page.$$eval('[id]', (all) => all.map((e) => e.id));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal((await page.$$('h1')).length, 1);
}

async function printsAllTopics(page) {
  const topics = (await page.$$('.topics tbody tr')).length;
  await page.fill('#search', 'harbour');
  await page.waitForSelector('#proposals [role=option]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.word-topics');
  await page.emulateMedia({media: 'print'});
  assert.equal(await page.$$eval('.printed-topic', (all) => all.filter((e) => e.offsetHeight > 0).length), topics);
  assert.equal(await page.isVisible('#search'), false);
  // Of a word that is looked up, the numbers of its topics are printed, too; the button is not.
  assert.equal(await page.isVisible('.word-topics tbody th button'), true);
  assert.equal(await page.isVisible('.word-topics .section-line button'), false);
  await page.emulateMedia({media: 'screen'});
}

const kTests = [
  [hostile, drawsMapListAndWords], [hostile, selectsTopics], [hostile, ranksByRelevance],
  [hostile, hostileWordsStayText], [posts, drawsMapListAndWords], [posts, showsDocumentsAndTime],
  [posts, showsHowManyRunsFoundATopic],
  [posts, isAccessible], [posts, printsAllTopics],
];
let failed = 0;
for (const [size, viewport] of Object.entries(kSizes)) {
  for (const file of [hostile, posts]) {
    try {
      await open(file, viewport, async (page) => {
        for (const [of, test] of kTests) {
          if (of !== file) continue;
          try {
            await test(page);
            console.log(`passed: ${test.name}, ${size}`);
          } catch (error) {
            ++failed;
            console.log(`FAILED: ${test.name}, ${size}: ${error.message}`);
          }
        }
      }, size === 'phone' ? 'dark' : 'light');
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${file}, ${size}: ${error.message}`);
    }
  }
}
process.exit(failed === 0 ? 0 : 1);
