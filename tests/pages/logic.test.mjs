// The parts of the pages that need no browser: numbers, axes, rows and the state in an address. node --test tests/pages/logic.test.mjs
import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import vm from "node:vm";

const folder = new URL("../../workflow/report/html/", import.meta.url);
const names = ["whole", "short", "bytes", "sizeText", "grouped", "percent", "roundStep", "linearTicks", "logTicks", "inkOn", "sortedRows",
  "searchWords", "matchesWords", "delimited", "parseFragment", "writeFragment", "verdictText"];
const source = ["numbers.js", "rows.js"].map(file => fs.readFileSync(new URL(file, folder), "utf8")).join("\n");
const page = vm.runInNewContext(`${source}\n({${names.join(", ")}})`, {URLSearchParams, Intl});
const plain = value => JSON.parse(JSON.stringify(value));

test("numbers have their unit and groups of three digits", () => {
  assert.equal(page.whole(1234567.4), "1,234,567");
  assert.deepEqual([9999, 10000, 1.5e6, 2.5e9].map(page.short), ["9,999", "10.0 k", "1.50 M", "2.50 G"]);
  assert.deepEqual([12, 12000].map(page.bytes), ["12 B", "12.0 kB"]);
  assert.deepEqual([1023, 1024, 369488, 1020 * 1024, 3 << 20, 5 * 2 ** 30].map(page.sizeText),
    ["1023 bytes", "1.00 KiB", "360.8 KiB", "1020 KiB", "3.00 MiB", "5.00 GiB"]);
  assert.equal(page.grouped("from 1234 to 12345 in 0x10"), "from 1234 to 12,345 in 0x10");
  assert.equal(page.percent(0.0925), "9.3 %");
});

test("ticks are round and within their range", () => {
  assert.deepEqual([0.003, 1, 1.1, 3, 7, 40].map(page.roundStep), [0.005, 1, 2, 5, 10, 50]);
  assert.deepEqual(plain(page.linearTicks(0, 1000, 5)), [0, 200, 400, 600, 800, 1000]);
  assert.deepEqual(plain(page.linearTicks(130, 290, 4)), [150, 200, 250]);
  assert.deepEqual(plain(page.linearTicks(0, 0.25, 5)), [0, 0.05, 0.1, 0.15, 0.2, 0.25]);
  assert.deepEqual(plain(page.linearTicks(7, 7, 5)), [7]);
  assert.deepEqual(plain(page.logTicks(0.9, 12)), [1, 2, 5, 10]);
  assert.deepEqual(plain(page.logTicks(1, 1e6)), [1, 10, 100, 1e3, 1e4, 1e5, 1e6]);
  for (const [from, to] of [[3.1, 3.3], [0.004, 0.0041], [11, 18]]) {
    const ticks = page.logTicks(from, to);
    assert.ok(ticks.length > 0, `${from} to ${to}`);
    for (const tick of ticks) assert.ok(tick >= from && tick <= to, `${tick} of ${from} to ${to}`);
  }
});

test("text is dark on light fills and light on dark ones", () => {
  assert.equal(page.inkOn("#f0e442"), "#000000");
  assert.equal(page.inkOn("#3b4a54"), "#ffffff");
});

test("rows are sorted without moving equal ones, and the given list stays", () => {
  const rows = [{a: 2, b: "x"}, {a: 1, b: "y"}, {a: 2, b: "z"}];
  assert.deepEqual(plain(page.sortedRows(rows, r => r.a, true).map(r => r.b)), ["x", "z", "y"]);
  assert.deepEqual(plain(page.sortedRows(rows, r => r.a, false).map(r => r.b)), ["y", "x", "z"]);
  assert.equal(rows[0].b, "x");
});

test("a search finds texts with all its words", () => {
  assert.ok(page.matchesWords(page.searchWords(" Conv AXI "), "conv 3x3/2 bound by weights on axi1"));
  assert.ok(!page.matchesWords(page.searchWords("conv pool"), "conv"));
  assert.ok(page.matchesWords(page.searchWords(""), "anything"));
});

test("an export has numbers as numbers and quotes what needs it", () => {
  const columns = [{name: "layer", text: true, key: r => r.name, show: r => r.name}, {name: "cycles", key: r => r.n, show: r => page.whole(r.n)},
    {name: "share, %", key: () => NaN, show: () => "1,0 %"},
    {name: "lanes", key: r => r.n > 9 ? 0.5 : -1, show: r => r.n > 9 ? "50.0 %" : ""}];
  const rows = [{name: 'a "b"', n: 12345}, {name: "c\td", n: 6}];
  assert.equal(page.delimited(columns, rows, ","), 'layer,cycles,"share, %",lanes\n"a ""b""",12345,"1,0 %",0.5\nc\td,6,"1,0 %",\n');
  assert.equal(page.delimited(columns, rows, "\t"), 'layer\tcycles\tshare, %\tlanes\na "b"\t12345\t1,0 %\t0.5\nc d\t6\t1,0 %\t\n');
});

test("a verdict mentions constants that differ beside equal outputs", () => {
  assert.equal(page.verdictText(true, 0, 0, "3 of 3 tensors compared"), "no difference found (3 of 3 tensors compared)");
  assert.equal(page.verdictText(true, 2, 2, "3 of 3 tensors compared"), "no difference found, with other constants (3 of 3 tensors compared)");
  assert.equal(page.verdictText(false, 1, 0, ""), "1 mismatch");
  assert.equal(page.verdictText(false, 1200, 1, ""), "1,200 mismatches");
});

test("the state of a page survives its address", () => {
  const state = {layer: "4", layersSort: "-of peak", search: "conv & pool=1", zoom: "10-200"};
  assert.deepEqual(plain(page.parseFragment(page.writeFragment(state))), state);
  assert.equal(page.writeFragment({layer: null, search: ""}), "");
  assert.deepEqual(plain(page.parseFragment("")), {});
  assert.deepEqual(plain(page.parseFragment("#layer=%zz&zoom")), {layer: "%zz", zoom: ""});
});
