// The pages of `warpgrade report` in headless Chromium, as a person sees them.
//
//   node pages_test.mjs TEST_PAGES [SCREENSHOTS]
//
// TEST_PAGES is the test program that writes the pages of a class with 505 submissions. With a folder SCREENSHOTS, the
// test keeps pictures for a person to look at.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdirSync, mkdtempSync, readdirSync, rmSync, statSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

import {accessibility, launch, open} from "./browser.mjs";

const [testPages, screenshots] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "warpgrade-pages-"));
const browser = await launch();

const classPage = join(folder, "index.html");
// The golden file, which the program writes byte for byte (tests/profile/profile_test.cpp).
const profilePage = join(dirname(fileURLToPath(import.meta.url)), "../../profile/golden/profile.html");
const submissionPage = (name) => join(folder, "submissions", `${name}.html`);

async function closed({page, complaints}) {
  await page.close();
  assert.deepEqual(complaints, []);
}

async function texts(page, selector) {
  return page.$$eval(selector, (cells) => cells.filter((cell) => cell.offsetParent).map((cell) => cell.textContent));
}

const tests = {
  async "505 submissions are ready, after the time that is printed"() {
    const start = performance.now();
    const opened = await open(browser, classPage);
    await opened.page.waitForSelector(".uplot canvas");
    const took = performance.now() - start;
    assert.equal(await opened.page.locator("#submissions tbody tr").count(), 505);
    console.log(`  ${Math.round(took)} ms`);
    // What the time depends on. Times themselves depend on the machine.
    const kMostBytes = 600_000, kMostNodes = 14_000;
    const bytes = statSync(classPage).size;
    const nodes = await opened.page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(bytes <= kMostBytes, `${bytes} bytes`);
    assert.ok(nodes <= kMostNodes, `${nodes} nodes`);
    await closed(opened);
  },

  async "a click sorts a table, another one turns it round"() {
    const opened = await open(browser, classPage);
    const {page} = opened;
    for (const column of [1, 2]) {  // the course's percentage, points
      const numbers = () => page.$$eval(`#submissions tbody tr td:nth-child(${column + 1})`,
                                        (cells) => cells.map((cell) => Number(cell.dataset.value ?? NaN)));
      const button = page.locator("#submissions thead button").nth(column);
      await button.click();
      const up = (await numbers()).filter((value) => !Number.isNaN(value));
      assert.deepEqual(up, [...up].sort((a, b) => a - b));
      assert.ok(up.length > 500 && up[0] < up.at(-1));
      assert.ok(Number.isNaN((await numbers()).at(-1)), "a submission without a grade comes last");
      await button.press("Enter");
      const down = await numbers();
      assert.equal(down[0], up.at(-1));
      assert.ok(Number.isNaN(down.at(-1)), "also in the other direction");
      assert.equal(await page.locator("#submissions th").nth(column).getAttribute("aria-sort"), "descending");
    }
    await closed(opened);
  },

  async "the filter keeps the rows with all of its words"() {
    const opened = await open(browser, classPage);
    const {page} = opened;
    await page.getByLabel("Filter").fill("student00 runtime");
    const rows = await texts(page, "#submissions tbody tr");
    assert.ok(rows.length > 10 && rows.length < 100);
    assert.ok(rows.every((row) => row.includes("student00") && row.includes("runtime error")));
    assert.equal(await page.locator("output").textContent(), `${rows.length} of 505 submissions`);
    await closed(opened);
  },

  async "every link leads to a page and a place that exist"() {
    const opened = await open(browser, classPage);
    const {page} = opened;
    const targets = await page.$$eval("a[href]", (links) => links.map((link) => link.getAttribute("href")));
    const pages = new Set(readdirSync(join(folder, "submissions")).map((name) => `submissions/${name}`));
    for (const target of targets) {
      const [file, anchor] = target.split("#");
      if (file) assert.ok(pages.has(file), target);
      else assert.equal(await page.locator(`[id="${anchor}"]`).count(), 1, target);
    }
    await page.locator("#submissions tbody a", {hasText: "alice"}).click();
    assert.equal(await page.locator("h1").textContent(), "alice");
    await page.getByRole("link", {name: "The class"}).click();
    assert.equal(await page.locator("h1").textContent(), "Class report");
    await page.close();
    assert.deepEqual(opened.complaints.filter((one) => !one.startsWith("request: file:")), []);
  },

  async "names, sources and messages run nothing"() {
    for (const name of readdirSync(join(folder, "submissions")).filter((one) => !one.startsWith("s")))
      await closed(await open(browser, join(folder, "submissions", name)));
  },

  async "charts show what their tables contain"() {
    const opened = await open(browser, classPage);
    const {page} = opened;
    const charts = await page.locator(".uplot").count();
    assert.equal(charts, 4);  // the course, points, speed-up, items
    const before = await texts(page, ".u-legend .u-value");
    assert.ok(before.length >= 2 * charts && before.every((value) => value !== "–" && value !== "--"), `${before}`);
    const lines = await page.$$eval("table[data-chart]", (all) => all.map((one) => one.dataset.xLines ?? ""));
    assert.ok(lines.some((one) => /^[\d.]+ half the points;[\d.]+ all points$/.test(one)), `${lines}`);
    assert.ok(lines.some((one) => one === "20 difficult;95 easy"), `${lines}`);
    await page.locator(".u-over").first().hover();
    const legend = await texts(page, ".u-legend >> nth=0 >> .u-value");
    const rows = await page.$$eval("table[data-chart=bars] >> nth=0 >> tbody tr",
                                   (all) => all.map((row) => [row.cells[0].textContent, row.cells[1].textContent]));
    assert.ok(rows.some((row) => row[0] === legend[0] && row[1] === legend[1]), `${legend}`);
    await closed(opened);
  },

  async "without JavaScript, every number is in a table"() {
    const opened = await open(browser, classPage, {javaScriptEnabled: false});
    const {page} = opened;
    assert.equal(await page.getByLabel("Filter").count(), 0);
    assert.ok(await page.locator("table[data-chart=bars]").first().isVisible());
    assert.ok(await page.locator("table[data-chart=bars] meter").first().isVisible());
    await closed(opened);
  },

  async "the course's grade and the questions are read without JavaScript"() {
    const opened = await open(browser, submissionPage("alice"), {javaScriptEnabled: false});
    const {page} = opened;
    await page.getByRole("link", {name: "Grade in the course"}).click();
    assert.ok(await page.getByRole("heading", {name: "Grade in the course"}).isVisible());
    const marks = page.getByRole("table", {name: "Rules and marks for 02-tiled-matmul"});
    assert.match(await marks.textContent(), /report: <script>alert\(5\)<\/script> clear figures\+4\.5/);
    const answers = page.getByRole("table", {name: /^Answers for the name/});
    assert.equal(await answers.getByRole("row").count(), 1 + 4 + 1);
    await page.close();
    assert.deepEqual(opened.complaints.filter((one) => !one.startsWith("request: file:")), []);
  },

  async "the keyboard reaches contents, filter, headings and links in this order"() {
    const opened = await open(browser, classPage);
    const {page} = opened;
    const reached = [];
    for (let i = 0; i < 20; ++i) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate(() => document.activeElement.textContent || document.activeElement.type));
    }
    const places = ["Skip to the content", "Submissions", "search", "submission", "alice"]
      .map((name) => reached.indexOf(name));
    assert.ok(places.every((place, i) => place >= 0 && (i === 0 || place > places[i - 1])), `${reached}`);
    await closed(opened);
  },

  async "axe finds nothing, in light and dark colours"() {
    for (const colorScheme of ["light", "dark"])
      for (const file of [classPage, submissionPage("alice"), submissionPage("s6"), profilePage]) {
        const opened = await open(browser, file, {colorScheme});
        assert.deepEqual(await accessibility(opened.page), [], `${file}, ${colorScheme}`);
        await closed(opened);
      }
  },

  async "pages fit narrow windows, and A4 sheets"() {
    for (const file of [classPage, submissionPage("s6"), profilePage]) {
      const opened = await open(browser, file, {viewport: {width: 360, height: 800}});
      const width = await opened.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${file} is ${width} pixels wide`);
      const pdf = (await opened.page.pdf({preferCSSPageSize: true})).toString("latin1");
      assert.ok(/MediaBox \[0 0 59[45]\.?\d* 84[12]\.?\d*\]/.test(pdf), `${file} is not printed on A4`);
      await closed(opened);
    }
  },
};

async function takeScreenshots() {
  mkdirSync(screenshots, {recursive: true});
  for (const [name, file] of [["class", classPage], ["submission", submissionPage("s6")],
                              ["course", submissionPage("alice")], ["profile", profilePage]])
    for (const [kind, options] of [["light", {}], ["dark", {colorScheme: "dark"}],
                                   ["narrow", {viewport: {width: 360, height: 800}}]]) {
      const {page} = await open(browser, file, options);
      await page.screenshot({path: join(screenshots, `${name}-${kind}.png`), fullPage: name !== "class"});
      if (kind === "dark") await page.pdf({path: join(screenshots, `${name}.pdf`), preferCSSPageSize: true});
      await page.close();
    }
}

let failed = 0;
try {
  execFileSync(testPages, ["pages for a browser"], {env: {...process.env, WARPGRADE_PAGES: folder}});
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok: ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
  if (screenshots) await takeScreenshots();
} finally {
  await browser.close();
  rmSync(folder, {recursive: true});
}
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
