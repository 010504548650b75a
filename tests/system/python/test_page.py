#!/usr/bin/python3
"""The pages in headless Chromium: what they show is what the report holds, selections are linked, nothing is complained of."""
import contextlib
import csv
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import numpy

import browser

TRACE = pathlib.Path("traces/tiny_cnn")
AXE = pathlib.Path(os.environ.get("MACAW_AXE", "build/node_modules/axe-core/axe.min.js"))
CHROMIUM = browser.CHROMIUM
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"]

# Runs after the page's own script; what it gathers is the body's only contents.
DRIVER = """<script>
const answer = {errors: []};
addEventListener("error", event => answer.errors.push(event.message));
addEventListener("load", () => {
  %s
  const text = JSON.stringify(answer);
  document.body.replaceChildren(text);
});
</script>"""

ACCURACY = """
const rows = () => [...document.querySelectorAll("#layers tbody tr")], cells = row => [...row.children].map(cell => cell.textContent);
answer.layers = rows().map(cells);
answer.selected = selection.layer.operator;
answer.confusion = [...document.querySelectorAll("#confusion tbody td")].map(cell => cell.textContent);
answer.flips = document.querySelectorAll("#flips tbody tr").length;
answer.pictures = [...document.querySelectorAll("#flip-pictures canvas")].map(c => [c.width, c.height]);
rows()[0].querySelector("button").click();
answer.picked = selection.layer.operator;
answer.marked = rows().filter(row => row.getAttribute("aria-current") === "true").map(cells);
[...document.querySelectorAll("#layers th button")].find(b => b.textContent === "alone dB").click();
answer.byAlone = rows().map(cells);
answer.saved = [];
HTMLAnchorElement.prototype.click = function() { answer.saved.push(this.download); };
for (const id of ["layers", "channels", "flips"]) [...document.querySelectorAll(`#${id}-tools button`)].find(b => b.textContent === "Save CSV").click();
for (const p of plots) { if (p.layOut) p.layOut(); p.now(); }
answer.inked = plots.map(p => { const {width, height} = p.canvas;
  return p.canvas.getContext("2d").getImageData(0, 0, width, height).data.some(v => v !== 0); });
"""

REPORT = """
const rows = () => [...document.querySelectorAll("#layers tbody tr")];
const cells = row => [...row.children].map(cell => cell.textContent);
answer.head = [...document.querySelectorAll("#layers th")].map(cell => cell.textContent);
answer.layers = rows().map(cells);
answer.title = document.title;
rows()[1].querySelector("button").click();
answer.selected = rows().filter(row => row.getAttribute("aria-current") === "true").map(cells);
answer.linked = selection.layer.name;
const search = document.getElementById("search");
search.value = answer.layers[0][1].split("'")[1];
search.dispatchEvent(new Event("input"));
answer.found = rows().map(cells);
search.value = "";
search.dispatchEvent(new Event("input"));
[...document.querySelectorAll("#layers th button")].find(b => b.textContent === "MACs").click();
answer.byMacs = rows().map(cells);
const canvas = document.getElementById("timeline");
for (const key of ["+", "+", "ArrowRight", "-", "0"]) canvas.dispatchEvent(new KeyboardEvent("keydown", {key}));
for (const p of plots) { if (p.layOut) p.layOut(); p.now(); }
answer.inked = plots.map(p => { const {width, height} = p.canvas;
  return p.canvas.getContext("2d").getImageData(0, 0, width, height).data.some(v => v !== 0); });
answer.graph = !document.getElementById("graph-section").hidden;
if (answer.graph) {
  const laid = pieces(layers.length, run.edges).map(piece => layOutPiece(piece, run.edges)), {places, lines} = placePieces(laid, run.edges, 2);
  answer.lines = lines.map(l => [l.from, l.to]);
  answer.overlapping = places.flatMap((a, i) => places.slice(i + 1).filter(b => Math.abs(a.x - b.x) < nodeWidth && Math.abs(a.y - b.y) < nodeHeight)).length;
}
answer.unnamed = [...document.querySelectorAll("canvas, button, input, [role=region]")].filter(e =>
  !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim() || e.closest("label"))).length;
"""

COMPARISON = """
answer.layers = [...document.querySelectorAll("#layers tbody tr")].map(row => [...row.children].map(cell => cell.textContent));
answer.runs = document.querySelectorAll("#runs tbody tr").length;
"""

STUDY = """
answer.head = [...document.querySelectorAll("#runs th")].map(cell => cell.textContent);
const start = performance.now();
selection.set(shown[shown.length - 1]);
for (const p of plots) p.now();
answer.milliseconds = performance.now() - start;
answer.from = document.getElementById("from").textContent;
answer.changes = [...document.querySelectorAll("#changes li")].map(item => item.textContent);
answer.front = paretoFront(shown, r => r.macs_per_cycle).map(r => [r.accelerator, r.memory_mode]);
answer.rows = document.querySelectorAll("#runs tbody tr").length;
document.querySelector("#runs ~ .show-all, .show-all").click();
answer.all = document.querySelectorAll("#runs tbody tr").length;
answer.inked = plots.map(p => { const {width, height} = p.canvas;
  return p.canvas.getContext("2d").getImageData(0, 0, width, height).data.some(v => v !== 0); });
"""

EQUALITY = """
const read = id => [...byId(id).getContext("2d").getImageData(0, 0, byId(id).width, byId(id).height).data];
const pixels = {expected: read("expected"), sim: read("sim"), difference: read("difference")};
const distinct = id => new Set(pixels[id].join().match(/[^,]+,[^,]+,[^,]+,255/g)).size;
answer.title = document.title;
answer.options = [...document.querySelectorAll("#tensor option")].map(o => o.textContent);
answer.rows = document.querySelectorAll("#tensors tbody tr").length;
answer.colours = ["expected", "sim", "difference"].map(distinct);
answer.sizes = ["expected", "sim", "difference"].map(id => [byId(id).width, byId(id).height]);
answer.shape = pictures[0].shape;
const heat = pixels.difference, apart = [];
for (let i = 0; i < heat.length; i += 4) apart.push(heat[i] !== 128);
answer.apart = apart;
answer.expected = pictures[0].expected;
answer.sim = pictures[0].sim;
"""


def chromium(*arguments):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *map(str, arguments)], capture_output=True, text=True,
                              timeout=300)


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def macaw(self, *arguments):
        subprocess.run([os.environ["MACAW"], *map(str, arguments)], check=True, capture_output=True)

    def drive(self, page, steps):
        driven = self.folder / "driven.html"
        driven.write_text(page.read_text().replace("</body>", DRIVER % steps + "</body>"))
        done = chromium("--dump-dom", driven)
        self.assertNotIn("CONSOLE", done.stderr)
        body = done.stdout[done.stdout.index("<body>") + 6:done.stdout.rindex("</body>")]
        answer = json.loads(body.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
        self.assertEqual(answer["errors"], [])
        return answer

    def run_of(self, name, *more):
        self.macaw("sim", TRACE / "ethos-u55-128" / "tiny_cnn.npz", "--mode", "timing", "--blocks", "--output-dir", self.folder / name,
                   "--html", self.folder / (name + ".html"), *more)
        return self.folder / name / "report.json"

    def test_a_run(self):
        report = json.loads(self.run_of("run").read_text())
        answer = self.drive(self.folder / "run.html", REPORT)
        number = lambda text: int(text.replace(",", ""))
        column = {name: i for i, name in enumerate(answer["head"])}
        self.assertEqual([(row[1], number(row[column["cycles"]]), number(row[column["active"]]), row[column["bound by"]])
                          for row in answer["layers"]],
                         sorted(((layer["name"], layer["exclusive"], layer["inclusive"], layer["bound"])
                                 for layer in report["layers"]), key=lambda row: -row[1]))
        self.assertEqual([row[1] for row in answer["selected"]], [answer["linked"]])
        self.assertEqual([row[1] for row in answer["found"]], [answer["layers"][0][1]])
        macs = [number(row[column["MACs"]]) for row in answer["byMacs"]]
        self.assertEqual(macs, sorted(macs, reverse=True))
        self.assertEqual(answer["inked"], [True] * (4 if answer["graph"] else 3))
        if answer["graph"]:  # a build without dagre has none
            self.assertEqual(sorted(answer["lines"]), sorted([edge["from"], edge["to"]] for edge in report["edges"]))
            self.assertEqual(answer["overlapping"], 0)
        self.assertEqual(answer["unnamed"], 0)

    def test_two_runs(self):
        reports = [self.run_of("a"), self.run_of("b", "-C", "axi1.read_latency=500")]
        self.macaw("report", *reports, "--html", self.folder / "two.html")
        answer = self.drive(self.folder / "two.html", COMPARISON)
        self.assertEqual(answer["runs"], 2)
        first, second = ({layer["name"]: layer["exclusive"] for layer in json.loads(file.read_text())["layers"]} for file in reports)
        self.assertEqual({row[0]: [int(cell.replace(",", "")) for cell in row[2:4]] for row in answer["layers"]},
                         {name: [first[name], second[name]] for name in first})

    def study(self, *accelerators):
        """A small study's folder, its page's answer and its rows."""
        graph = TRACE.resolve() / "tiny_cnn.tosa"
        (self.folder / "study.toml").write_text(f"""
[[network]]
graph = "{graph}"
compile = "macaw"
[axes]
accelerators = {list(accelerators) or ["ethos-u55-32", "ethos-u55-256"]}
memory_modes = ["Sram_Only", "Shared_Sram"]
[axes.params]
"axi1.read_latency" = [50, 500]
""")
        self.macaw("sweep", "run", self.folder / "study.toml", "-o", self.folder / "out")
        return self.folder / "out"

    def shown(self, out):
        self.macaw("sweep", "show", out, "--html", self.folder / "study.html", "--csv", self.folder / "study.csv", "--force")
        with open(self.folder / "study.csv", newline="") as file:
            return self.drive(self.folder / "study.html", STUDY), list(csv.DictReader(file))

    def test_a_study(self):
        answer, rows = self.shown(self.study())
        slowest = max(rows, key=lambda row: float(row["milliseconds"]))
        self.assertIn(slowest["accelerator"], answer["from"])
        def saved(**change):
            other = next(row for row in rows if all(row[key] == change.get(key, slowest[key]) for key in ("accelerator", "memory_mode", "params")))
            return 100 * (1 - float(other["milliseconds"]) / float(slowest["milliseconds"]))
        expected = sorted([saved(accelerator="ethos-u55-256"), saved(memory_mode="Sram_Only"), saved(params='{"axi1.read_latency":50.0}')], reverse=True)
        self.assertEqual([float(text.split(" saves ")[1].split(" %")[0]) for text in answer["changes"]], [round(share, 1) for share in expected])
        best = {name: min(float(row["milliseconds"]) for row in rows if row["accelerator"] == name) for name in ("ethos-u55-32", "ethos-u55-256")}
        self.assertEqual([name for name, _ in answer["front"]], sorted(best, key=lambda name: -best[name]))
        self.assertEqual((answer["rows"], answer["all"]), (8, 8))
        self.assertEqual(answer["inked"], [True] * 4)

    def test_an_accelerator_brings_its_own_system(self):
        answer, rows = self.shown(self.study("ethos-u55-128", "ethos-u65-256"))
        slowest = max(rows, key=lambda row: float(row["milliseconds"]))
        other = next(row for row in rows if row["accelerator"] != slowest["accelerator"]
                     and all(row[key] == slowest[key] for key in ("memory_mode", "params")))
        saved = 100 * (1 - float(other["milliseconds"]) / float(slowest["milliseconds"]))
        self.assertTrue(any(text.startswith(f"accelerator {other['accelerator']} (on {other['system']}) instead of {slowest['accelerator']} "
                                            f"saves {saved:.1f} %") for text in answer["changes"]), answer["changes"])

    def test_five_thousand_runs_stay_in_a_page_that_answers(self):
        out = self.study()
        with contextlib.closing(sqlite3.connect(out / "study.sqlite")) as base:
            names = [row[1] for row in base.execute("PRAGMA table_info(runs)")]
            layers = [row[1] for row in base.execute("PRAGMA table_info(layers)")]
            runs = base.execute("SELECT * FROM runs").fetchall()
            of_run = {run[0]: base.execute("SELECT * FROM layers WHERE run = ?", run[:1]).fetchall() for run in runs}
            for i in range(4992):
                run = dict(zip(names, runs[i % len(runs)]))
                was, run["id"], run["params"] = run["id"], f"{i:032x}", json.dumps({"axi1.read_latency": 1000 + i})
                base.execute(f"INSERT INTO runs ({','.join(names)}) VALUES ({','.join('?' * len(names))})", [run[name] for name in names])
                for layer in of_run[was]:
                    row = dict(zip(layers, layer), run=run["id"])
                    base.execute(f"INSERT INTO layers ({','.join(layers)}) VALUES ({','.join('?' * len(layers))})", [row[name] for name in layers])
            base.commit()
        answer, rows = self.shown(out)
        self.assertEqual((len(rows), answer["rows"], answer["all"]), (5000, 200, 5000))
        self.assertLess(len(answer["changes"]), 13)
        if "MACAW_TIMES" in os.environ:
            print(f"5,000 runs: {answer['milliseconds']:.0f} ms to select one", file=sys.stderr)

    def test_a_comparison(self):
        graph, page = self.folder / "other.tosa", self.folder / "equality.html"
        self.macaw("model", "tiny_cnn", "--seed", 2, "-o", graph)
        done = subprocess.run([os.environ["MACAW"], "compare", graph, TRACE / "ethos-u55-128" / "tiny_cnn.npz", "--inputs", "1", "--json",
                               "--html", page], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads(done.stdout)
        answer = self.drive(page, EQUALITY)
        self.assertTrue(answer["title"].startswith("other.tosa vs tiny_cnn.npz (ethos-u55-128): "), answer["title"])
        self.assertEqual(answer["rows"], len(report["coverage"]["compared"]))
        different = [o for o in report["runs"][0]["recognised"] if o["different"] > 0]
        self.assertEqual(len(answer["options"]), len(different))
        *_, height, width, depth = [1, 1, 1, *answer["shape"]]
        self.assertEqual(answer["sizes"], [[width, height]] * 3)
        self.assertEqual(answer["apart"], [answer["expected"][i * depth:(i + 1) * depth] != answer["sim"][i * depth:(i + 1) * depth]
                                           for i in range(height * width)])
        self.assertTrue(all(n > 0 for n in answer["colours"]))

    def pages(self):
        """A page of each kind."""
        reports = [self.run_of("a", "--advise", "--graph", TRACE / "tiny_cnn.tosa"), self.run_of("b", "-C", "axi1.read_latency=500")]
        self.macaw("report", *reports, "--html", self.folder / "two.html")
        self.macaw("sweep", "show", self.study(), "--html", self.folder / "study.html")
        self.macaw("model", "tiny_cnn", "--seed", 2, "-o", self.folder / "other.tosa")
        subprocess.run([os.environ["MACAW"], "compare", self.folder / "other.tosa", TRACE / "ethos-u55-128" / "tiny_cnn.npz", "--inputs", "1",
                        "--html", self.folder / "equality.html"], capture_output=True)
        self.accuracy_page()
        return [self.folder / name for name in ("a.html", "two.html", "study.html", "equality.html", "accuracy.html")]

    def accuracy_page(self):
        """The page of a small network of two classes, of which one layer lost a channel, and its report."""
        sys.path.insert(0, str(pathlib.Path("tests/tools/accuracy").resolve()))
        from small_network import small_network
        for name, damaged in (("sound", False), ("damaged", True)):
            (self.folder / f"{name}.tflite").write_bytes(small_network(damaged))
        numpy.save(self.folder / "x.npy", numpy.random.default_rng(1).integers(-128, 128, (60, 1, 8, 8, 3), numpy.int8))
        self.macaw("accuracy", self.folder / "sound.tflite", self.folder / "damaged.tflite", "--inputs", self.folder / "x.npy", "--html",
                   self.folder / "accuracy.html", "--json", self.folder / "accuracy.json", "--force")
        return json.loads((self.folder / "accuracy.json").read_text()), self.folder / "accuracy.html"

    def test_accuracy(self):
        report, page = self.accuracy_page()
        answer = self.drive(page, ACCURACY)
        self.assertEqual([row[:3] for row in answer["layers"]], [[str(l["operator"]), l["kind"], l["tensor"]] for l in report["layers"]])
        self.assertEqual([row[3] for row in answer["layers"]], [f"{l['accumulated']['sqnr_db']:.2f}" for l in report["layers"]])
        self.assertEqual(answer["picked"], report["layers"][0]["operator"])
        self.assertEqual([row[0] for row in answer["marked"]], [str(answer["picked"])])
        worst = report["ranking"][0]
        self.assertEqual(answer["selected"], worst)
        self.assertEqual(answer["byAlone"][0][0], str(worst))
        classes = report["classification"]
        self.assertEqual(sum(int(n.replace(",", "")) for n in answer["confusion"] if n), classes["sets"])
        self.assertEqual(answer["flips"], min(50, len(classes["flips"])))
        self.assertEqual(answer["pictures"], [[8, 8]] * min(24, len(classes["flips"])))
        self.assertGreater(len(answer["pictures"]), 0)
        self.assertEqual(answer["saved"], ["accuracy.csv", "channels.csv", "flips.csv"])
        self.assertTrue(all(answer["inked"]), answer["inked"])

    def test_no_page_is_wider_than_its_window_or_writes_to_the_console(self):
        with browser.Browser() as chromium:
            for page in self.pages():
                for width in (1440, 800, 390):
                    chromium.open(page, width)
                    self.assertLessEqual(chromium.run("document.documentElement.scrollWidth"), width, page)
                    self.assertEqual(chromium.complaints(), [], page)

    @unittest.skipUnless(AXE.exists(), f"{AXE} of axe-core is not there")
    def test_axe_finds_no_serious_fault(self):
        with browser.Browser() as chromium:
            for page in self.pages():
                for dark in (False, True):
                    chromium.open(page, dark=dark)
                    chromium.run(AXE.read_text() + ";0")
                    passed, found = chromium.run("axe.run().then(r => [r.passes.length, r.violations.map(v => "
                                                 "[v.impact, v.id, v.nodes.map(n => n.html + n.failureSummary)])])")
                    self.assertGreater(passed, 10)
                    self.assertEqual([fault for fault in found if fault[0] in ("serious", "critical")], [], (page.name, dark))


if __name__ == "__main__":
    unittest.main()
