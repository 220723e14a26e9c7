// A headless Chromium for tests of pages: opens files, and reports everything that a page must not do. Ends with 77,
// "skipped", if Chromium or the packages are missing.
import {existsSync} from "node:fs";
import {pathToFileURL} from "node:url";

const kSkipped = 77;
const kBrowsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

async function packages() {
  try {
    const {chromium} = await import("playwright-core");
    const axe = (await import("axe-core")).default;
    return {chromium, axe};
  } catch {
    console.log("skipped: run grader/setup.sh --browser");
    process.exit(kSkipped);
  }
}

export const {chromium, axe} = await packages();

export async function launch() {
  const executablePath = process.env.CHROMIUM ?? kBrowsers.find(existsSync);
  if (!executablePath) {
    console.log("skipped: there is no Chromium; run grader/setup.sh --browser");
    process.exit(kSkipped);
  }
  // Root has no sandbox of Chromium; the pages come from this test.
  return chromium.launch({executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : []});
}

// Opens a file. `complaints` collects messages on the console, errors, dialogs, and requests for other files.
export async function open(browser, file, options = {}) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  const address = pathToFileURL(file).href;
  const complaints = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`) && dialog.dismiss());
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !url.startsWith("data:")) complaints.push(`request: ${url}`);
  });
  await page.goto(address);
  return {page, complaints};
}

// What axe finds, a line for each rule. The page's policy forbids further scripts, so axe runs in a world of its own.
export async function accessibility(page) {
  const session = await page.context().newCDPSession(page);
  const {frameTree} = await session.send("Page.getFrameTree");
  const {executionContextId} = await session.send("Page.createIsolatedWorld", {frameId: frameTree.frame.id});
  const evaluate = (expression) => session.send("Runtime.evaluate",
    {expression, contextId: executionContextId, awaitPromise: true, returnByValue: true});
  await evaluate(axe.source);
  const {result, exceptionDetails} = await evaluate("axe.run().then((found) => found.violations)");
  if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
  return result.value.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html).join(" ")}`);
}
