// The page in headless Chromium: node --test page.test.mjs with MACAW_WEB (build/web), MACAW_WEB_TOOLS (the folder with
// playwright-core), CHROMIUM (the browser) and, for pictures of the page, MACAW_WEB_PICTURES (a folder).
import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = resolve(process.env.MACAW_WEB), root = resolve(fileURLToPath(import.meta.url), "../../..");
const { chromium } = createRequire(join(resolve(process.env.MACAW_WEB_TOOLS), "package.json"))("playwright-core");
const trace = join(root, "traces/tiny_cnn");
const SINGLE = pathToFileURL(join(web, "macaw.html")).href;
const MINUTES = 60_000;

let browser, server, served;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  server = createServer((request, response) => {
    const file = join(web, "page", basename(request.url.split("?")[0]) || "index.html");
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": file.endsWith(".html") ? "text/html" : "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((started) => server.listen(0, "127.0.0.1", started));
  served = `http://127.0.0.1:${server.address().port}/`;
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** A page that has loaded its module; its errors and requests are recorded. */
async function open(address, width = 1200) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, offline: address.startsWith("file:") });
  const page = await context.newPage();
  const seen = { errors: [], requests: [] };
  page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
  page.on("pageerror", (error) => seen.errors.push(error.message));
  page.on("request", (request) => /^(https?|file):/.test(request.url()) && seen.requests.push(request.url()));
  await page.goto(address);
  await page.waitForFunction(() => /Ready|Done|Simulating/.test(document.getElementById("status").textContent), null, { timeout: MINUTES });
  return { page, seen, context };
}

const file = (path, name = basename(path)) => ({ name, mimeType: "application/octet-stream", buffer: readFileSync(path) });
const artifact = (accelerator) => file(join(trace, accelerator, "tiny_cnn.npz"));

async function runFiles(page, files) {
  await page.setInputFiles("#files", files);
  await page.waitForSelector("#run:enabled");
  await page.click("#run");
  await page.waitForFunction(() => /^(Done|Failed|Stopped)/.test(document.getElementById("status").textContent), null, { timeout: MINUTES });
  assert.match(await page.textContent("#status"), /^Done/, await page.textContent("#error"));
}

const openTab = (page, name) => page.click(`#tabs button:text-is("${name}")`);

test("the single file from disk: report, disassembly, comparison, two versions, no request", async () => {
  const { page, seen } = await open(SINGLE);
  await runFiles(page, [artifact("ethos-u55-128"), file(join(trace, "input_0.npy")), file(join(trace, "tiny_cnn.tosa"))]);
  assert.match(await page.textContent("#panel"), /27,599 cycles/);
  await openTab(page, "Report");
  await page.frameLocator("#panel iframe").getByText("tiny_cnn.npz").first().waitFor();
  await openTab(page, "Compare");
  assert.match(await page.textContent("#panel"), /bit-exact|equal/i);
  await openTab(page, "Disassembly");
  await page.fill("#panel input", "NPU_OP_CONV");
  assert.match(await page.textContent("#panel pre"), /NPU_OP_CONV/);
  await runFiles(page, [artifact("ethos-u85-256")]);
  await openTab(page, "Versions");
  await page.frameLocator("#panel iframe").locator("body").waitFor();
  assert.deepEqual(seen.errors, []);
  assert.deepEqual(seen.requests, [SINGLE]);
});

test("a planted difference is named", async () => {
  const { page, seen } = await open(SINGLE);
  const graph = file(join(trace, "tiny_cnn.tosa"));
  graph.buffer[graph.buffer.length / 2] ^= 0x11;  // a weight of the last convolution
  await runFiles(page, [artifact("ethos-u55-128"), graph]);
  await openTab(page, "Compare");
  assert.match(await page.textContent("#panel"), /operator 69 \(CONV2D\)/);
  assert.deepEqual(seen.errors, []);
});

test("a file that is not a network ends with the program's message", async () => {
  const { page } = await open(SINGLE);
  await page.setInputFiles("#files", [{ name: "x.npz", mimeType: "application/octet-stream", buffer: Buffer.from("not a network") }]);
  await page.click("#run");
  await page.waitForSelector("#error:visible", { timeout: MINUTES });
  assert.match(await page.textContent("#error"), /macaw: \/in\/x\.npz/);
});

test("a run is cancelled, and another one follows", async () => {
  const { page } = await open(SINGLE);
  await page.setInputFiles("#files", [artifact("ethos-u55-128")]);
  // Both clicks in one task: the run cannot have ended between them.
  await page.evaluate(() => (document.getElementById("run").click(), document.getElementById("cancel").click()));
  await page.waitForTimeout(200);
  if (!/^(Stopped|Done)/.test(await page.textContent("#status"))) await page.click("#cancel");
  await page.waitForFunction(() => /^(Stopped|Done)/.test(document.getElementById("status").textContent), null, { timeout: MINUTES });
  assert.match(await page.textContent("#status"), /^Stopped/);
  await runFiles(page, [artifact("ethos-u65-512")]);
});

test("the folder on a server: an example by its link; pictures at three widths", async () => {
  for (const width of [400, 800, 1400]) {
    const { page, seen } = await open(`${served}#example=tiny_cnn+on+ethos-u55-128&mode=timed`, width);
    await page.waitForFunction(() => /^Done/.test(document.getElementById("status").textContent), null, { timeout: MINUTES });
    assert.match(await page.textContent("#panel"), /cycles/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: the page is wider than the window`);
    if (process.env.MACAW_WEB_PICTURES) {
      await page.screenshot({ path: join(process.env.MACAW_WEB_PICTURES, `summary-${width}.png`), fullPage: true });
      await openTab(page, "Report");
      await page.waitForTimeout(1500);
      await page.screenshot({ path: join(process.env.MACAW_WEB_PICTURES, `report-${width}.png`), fullPage: true });
    }
    assert.deepEqual(seen.errors, []);
    assert.ok(seen.requests.every((url) => url.startsWith(served)), seen.requests.join());
  }
});
