// The handbook as a book in headless Chromium, from local files: its front page and its search.
//
//   node book_test.mjs SITE
import assert from "node:assert/strict";
import {existsSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

import {accessibility, launch} from "./browser.mjs";

// Pages with cards, tables, pictures, code and long lines.
const kExamined = ["index.html", "student/set-up.html", "student/profile.html", "student/diagnostics/WG-P01.html",
                   "student/labs/02-tiled-matmul/index.html"];

const [site] = process.argv.slice(2);
if (!existsSync(join(site, "index.html"))) {
  console.log(`skipped: ${site} is not built; run cmake --build --preset book`);
  process.exit(77);
}
const browser = await launch();
const addressOf = (name) => pathToFileURL(join(site, name)).href;

async function examine(name, options) {
  const page = await browser.newPage(options);
  await page.goto(addressOf(name));
  const where = `${name}, ${options.colorScheme}, ${options.viewport.width} pixels`;
  assert.deepEqual(await accessibility(page), [], where);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= options.viewport.width, `${where}: the page is ${width} pixels wide`);
  await page.close();
}

let failed = 0;
try {
  const page = await browser.newPage({viewport: {width: 1400, height: 900}});
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(request.url());
  });
  await page.goto(addressOf("index.html"));
  assert.equal(await page.locator(".cards.labs li").count(), 7);
  const dead = await page.$$eval(".cards li", (all) => all.filter((one) => !one.querySelector("a")).map((one) => one.textContent));
  assert.deepEqual(dead, [], "cards without a link");
  const broken = await page.$$eval("article img", (all) => all.filter((one) => one.naturalWidth === 0).length);
  assert.equal(broken, 0, "pictures that are missing");

  await page.click(".md-search__input");
  await page.keyboard.type("bank conflict", {delay: 30});
  const first = page.locator(".md-search-result__link").first();
  await first.waitFor({timeout: 20000});
  await first.click();
  await page.waitForURL(/bank\+conflict/);
  assert.match((await page.textContent("article")).toLowerCase(), /bank conflict/);
  assert.deepEqual(complaints, []);

  for (const name of kExamined)
    for (const colorScheme of ["light", "dark"])
      for (const width of [1400, 400]) await examine(name, {colorScheme, viewport: {width, height: 900}});
} catch (error) {
  failed = 1;
  console.log(error.stack);
} finally {
  await browser.close();
}
console.log(`${1 - failed} passed, ${failed} failed`);
process.exit(failed);
