// The handbook as a book in headless Chromium, from local files: its front page and its search.
//
//   node book_test.mjs SITE
import assert from "node:assert/strict";
import {existsSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

import {launch} from "./browser.mjs";

const [site] = process.argv.slice(2);
if (!existsSync(join(site, "index.html"))) {
  console.log(`skipped: ${site} is not built; run cmake --build --preset book`);
  process.exit(77);
}
const browser = await launch();
let failed = 0;
try {
  const page = await browser.newPage({viewport: {width: 1400, height: 900}});
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(request.url());
  });
  await page.goto(pathToFileURL(join(site, "index.html")).href);
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
} catch (error) {
  failed = 1;
  console.log(error.stack);
} finally {
  await browser.close();
}
console.log(`${1 - failed} passed, ${failed} failed`);
process.exit(failed);
