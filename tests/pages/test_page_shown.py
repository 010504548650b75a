#!/usr/bin/python3
"""Contents of a page in a browser: every figure of the tables and of the summary is that of report.json, and keys, wheel, links and exports do
what the page says."""
import csv
import io
import json
import pathlib
import sys
import tempfile
import unittest

import numpy

import pages
import browser

sys.path.insert(0, str(pages.ROOT / "tests/tools/accuracy"))
from small_network import small_network

SUMMARY = """({title: document.title, figures: [...document.querySelectorAll("#figures div")].map(d => [d.querySelector("dd").textContent, d.querySelector("dt").textContent])})"""
TABLE = """(id => { const rows = [...document.querySelectorAll(`#${id} tbody tr`)];
  return {head: [...document.querySelectorAll(`#${id} th`)].map(c => c.textContent), rows: rows.map(r => [...r.children].map(c => c.textContent))}; })"""


def number(text):
    return int(text.replace(",", ""))


def percent(text):
    return float(text.split(" ")[0])


class Shown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.temporary.cleanup()

    def open(self, page, width=1280, fragment=""):
        self.browser.open(page, width)
        if fragment:
            self.browser.run(f"location.hash = {json.dumps(fragment)}; 0")
            self.browser.call("Page.reload")
            self.browser.events.clear()
            while not any(e.get("method") == "Page.loadEventFired" for e in self.browser.events):
                self.browser.events.append(self.browser.message())

    def table(self, name):
        """Rows as dictionaries by the names of the columns, with those that are hidden."""
        shown = self.browser.run(f"{TABLE}({json.dumps(name)})")
        return [dict(zip(shown["head"], row)) for row in shown["rows"]]

    def report_page(self, network, accelerator, *options):
        _, stream = pages.compiled(self.folder, network, accelerator)
        report, page = pages.simulated(self.folder, stream, *options)
        self.open(page)
        return report

    def check_layers(self, report):
        rows = {int(row["#"]): row for row in self.table("layers")}
        self.assertEqual(len(rows), len(report["layers"]))
        macs = int(report["accelerator"].rsplit("-", 1)[1])
        sides = self.browser.run("run.sides")
        for i, layer in enumerate(report["layers"]):
            row = rows[i]
            self.assertEqual((row["layer"], row["bound by"]), (layer["name"], layer["bound"]))
            self.assertEqual([number(row[name]) for name in ("cycles", "active", "MACs", "commands")],
                             [layer["exclusive"], layer["inclusive"], layer["macs"], len(layer["operations"])])
            self.assertEqual(row["shape"], "x".join(map(str, layer["shape"] or [])))
            self.assertAlmostEqual(percent(row["share"]), 100 * layer["share"], delta=0.051)
            self.assertEqual(row["of peak"] != "", layer["macs"] > 0)
            if layer["macs"]:
                self.assertAlmostEqual(percent(row["of peak"]), 100 * layer["macs"] / layer["inclusive"] / macs, delta=0.051)
                self.assertAlmostEqual(percent(row["lanes"]), 100 * layer["lanes"], delta=0.051)
            if layer["weights"]:
                weights = layer["weights"]
                self.assertEqual(number(row["weights"]), weights["encoded"])
                self.assertAlmostEqual(float(row["ratio"]), weights["count"] / weights["encoded"], delta=0.0051)
                self.assertAlmostEqual(percent(row["zeros"]), 100 * weights["zeros"] / weights["count"], delta=0.051)
                self.assertAlmostEqual(float(row["decoded/cycle"]), weights["decoded_per_cycle"], delta=0.0051)
            for side in sides:
                self.assertEqual((number(row[f"{side} bytes"]), number(row[f"{side} live"])), (sum(layer["bytes"][side].values()), layer["alive"][side]))

    def check_others(self, report):
        operations = {number(row["command"]): row for row in self.table("operations")}
        for o in sorted(report["operations"], key=lambda o: -o["exclusive"])[:100]:
            row = operations[o["command"]]
            self.assertEqual([number(row[name]) for name in ("start", "active", "exclusive", "MACs")],
                             [o["start"], o["end"] - o["start"], o["exclusive"], o["macs"]])
        counters = {row["event"]: row["count"] for row in self.table("counters")}
        self.assertEqual({event: number(count) for event, count in counters.items() if count != "not modelled"}, report["pmu"])
        self.assertEqual(sorted(event for event, count in counters.items() if count == "not modelled"), sorted(report["pmu_unmodelled"]))
        peak = self.table("peak")
        for side in self.browser.run("run.sides"):
            shown = sum(number(row["bytes"]) for row in peak if row["memory"] == side)
            if len(peak) < 20:
                self.assertEqual(shown, report["memory"][side]["peak"])
        bounds = self.browser.run('[...document.querySelectorAll("#bounds-legend li")].map(li => li.textContent)')
        self.assertEqual(bounds, [f"{b['bound']} {100 * b['share']:.1f} %" for b in report["bounds"] if 2000 * b["cycles"] >= report["cycles"]])

    def check_summary(self, report):
        shown = self.browser.run(SUMMARY)
        figures = dict((name, value.replace("\u00a0", " ")) for value, name in shown["figures"])
        self.assertEqual(shown["title"], f"{report['network']} on {report['accelerator']}")
        of = lambda start: next((value, name) for name, value in figures.items() if name.startswith(start))
        self.assertEqual(of("predicted at")[0], f"{1e3 * report['cycles'] / report['clock_hz']:.3f} ms")
        self.assertEqual(number(of("NPU cycles")[0]), report["cycles"])
        value, name = of("limits most")
        self.assertEqual((value, percent(name.split(": ")[1])), (report["bounds"][0]["bound"], round(100 * report["bounds"][0]["share"], 1)))
        macs = sum(o["macs"] for o in report["operations"])
        self.assertAlmostEqual(percent(of("MAC utilisation")[0]), 100 * macs / report["cycles"] / int(report["accelerator"].rsplit("-", 1)[1]), delta=0.051)
        weights = sum(layer["weights"]["encoded"] for layer in report["layers"] if layer["weights"])
        if weights:
            self.assertEqual(of("weights, encoded")[0], self.browser.run(f"sizeText({weights})"))
        sides = self.browser.run("run.sides")
        side = next((side for side in sides if report["memory"][side]["reach"]), sides[0])
        self.assertTrue(of(f"{side} at its peak")[1].endswith("needs " + self.browser.run(f"sizeText({report['memory'][side]['reach']})")))
        self.assertEqual(of(f"{side} at its peak")[0], self.browser.run(f"sizeText({report['memory'][side]['peak']})"))

    def test_every_figure_of_a_run(self):
        for network in pages.NETWORKS:
            for accelerator in pages.ACCELERATORS:
                with self.subTest(network=network, accelerator=accelerator):
                    report = self.report_page(network, accelerator)
                    self.check_summary(report)
                    self.check_layers(report)
                    self.check_others(report)
                    self.assertEqual(self.browser.complaints(), [])

    def test_every_layer_of_an_accuracy_page(self):
        """Figures of the tables are those of --json; the worst layer is selected, and each layer can be."""
        files = [self.folder / name for name in ("sound.tflite", "damaged.tflite", "x.npy", "accuracy.html", "accuracy.json")]
        for file, damaged in zip(files, (False, True)):
            file.write_bytes(small_network(damaged))
        numpy.save(files[2], numpy.random.default_rng(1).integers(-128, 128, (60, 1, 8, 8, 3), numpy.int8))
        pages.macaw("accuracy", *files[:2], "--inputs", files[2], "--html", files[3], "--json", files[4], "--force")
        report = json.loads(files[4].read_text())
        self.open(files[3])
        decibels = lambda errors: "exact" if errors["exact"] else f"{errors['sqnr_db']:.2f}"
        for row, layer in zip(self.table("layers"), report["layers"], strict=True):
            errors, codes = layer["accumulated"], layer["codes"]
            self.assertEqual((row["output"], row["SQNR dB"], row["alone dB"]), (layer["tensor"], decibels(errors), decibels(layer["alone"])))
            self.assertAlmostEqual(float(row["cosine"]), errors["cosine"], delta=6e-6)
            self.assertAlmostEqual(float(row["bias, steps"]), errors["mean_error_steps"], delta=6e-4)
            self.assertAlmostEqual(float(row["largest error, steps"]), errors["largest_error_steps"], delta=0.06)
            self.assertAlmostEqual(percent(row["clipped"]), 100 * (codes["clipped_below"] + codes["clipped_above"]) / layer["elements"], delta=0.006)
            self.assertEqual(row["codes used"], f"{codes['used']} of 256")
        self.assertEqual(self.browser.run("selection.layer.operator"), report["ranking"][0])
        worst = self.browser.run("Math.min(...selection.layer.channel_sqnr_db)")
        self.assertEqual(self.table("channels")[0]["SQNR dB"], f"{worst:.2f}")
        flips = report["classification"]["flips"]
        self.assertEqual([(int(row["set"]), int(row["float"]), int(row["quantised"])) for row in self.table("flips")],
                         [(flip["set"], flip["float"], flip["quantised"]) for flip in flips])
        self.assertEqual(self.browser.complaints(), [])

    def test_the_timeline_has_the_units_cycles(self):
        """Each unit's busy cycles on the page, to a cycle for each span, which are rounded."""
        report = self.report_page("tiny_cnn", "ethos-u55-128", "--activity-spans", "100000")
        for unit in report["activity"]:
            shown = self.browser.run(f"sumOf(run.activity.find(a => a.unit === {json.dumps(unit['unit'])}).spans, s => s.busy)")
            self.assertAlmostEqual(shown, sum(unit["busy"]), delta=len(unit["busy"]))

    def test_what_is_live_at_the_cursor(self):
        report = self.report_page("tiny_cnn", "ethos-u65-512")
        self.browser.run("""const c = byId("memory"), box = c.getBoundingClientRect();
          c.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + 78 + (box.width - 78) * run.memory[0].peak_cycle / run.cycles + 1, clientY: box.top + 40})); 0""")
        live = self.browser.run('byId("live").textContent')
        self.assertIn(self.browser.run(f"sizeText({report['memory']['axi0']['peak']})"), live.split("\n")[0])

    def test_a_what_if_is_shown_with_its_options(self):
        report = self.report_page("tiny_cnn", "ethos-u55-128", "--advise")
        rows = self.table("advice-table")
        self.assertEqual([(row["limit of"], row["change"], number(row["cycles saved"])) for row in rows],
                         [(a["kind"], a["change"], a["gain"]) for a in report["advice"]])
        call = self.browser.run('byId("advice-call").textContent')
        self.assertEqual([f"{call} {row['options']}" for row in rows], [a["command"] for a in report["advice"]])

    def test_a_selected_layer_is_explained(self):
        report = self.report_page("tiny_cnn", "ethos-u55-128")
        worst = min((layer for layer in report["layers"] if layer["macs"]), key=lambda layer: layer["lanes"])
        self.browser.run(f"selection.set(layers[{report['layers'].index(worst)}]); 0")
        facts = dict(self.browser.run('[...document.querySelectorAll("#selected-facts dt")].map(d => [d.textContent, d.nextSibling.textContent])'))
        self.assertEqual(facts["MAC lanes used"], f"{100 * worst['lanes']:.1f} % while the array is active")
        self.assertEqual(facts["why"], "; ".join(worst["why"]))
        self.assertEqual(facts["what would change it"], "; ".join(worst["change"]) or "no change of the network is known")

    def test_the_wheel_scrolls_and_a_click_does_not(self):
        self.report_page("mobilenet_v2", "ethos-u55-128")
        place = self.browser.run("""(() => { byId("timeline").scrollIntoView({block: "center"}); const b = byId("timeline").getBoundingClientRect();
          return [b.left + b.width / 2, b.top + 10, scrollY]; })()""")
        x, y, before = place
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.assertEqual(self.browser.run("[scrollY, selection.layer !== null]"), [before, True])
        self.assertEqual(self.browser.run("[viewport.from, viewport.to === run.cycles]"), [0, True])
        wheel = lambda **more: self.browser.run(f"""byId("timeline").dispatchEvent(new WheelEvent("wheel",
          {{deltaY: -100, clientX: {x}, cancelable: true, {", ".join(f"{k}: {v}" for k, v in more.items())}}}))""")
        self.assertTrue(wheel())  # not prevented: the page scrolls
        self.assertEqual(self.browser.run("viewport.from"), 0)
        self.assertFalse(wheel(ctrlKey="true"))
        self.assertGreater(self.browser.run("viewport.from"), 0)

    def test_keys_of_perfetto_move_the_timeline_and_the_memory_together(self):
        self.report_page("mobilenet_v2", "ethos-u55-128")
        press = lambda canvas, key: self.browser.run(f'byId("{canvas}").dispatchEvent(new KeyboardEvent("keydown", {{key: "{key}"}})); [viewport.from, viewport.to, run.cycles]')
        from_, to, cycles = press("timeline", "w")
        self.assertAlmostEqual(to - from_, cycles / 2)
        moved = press("memory", "d")
        self.assertAlmostEqual(moved[0] - from_, cycles / 16)
        self.assertLess(press("timeline", "a")[0], moved[0])
        self.assertEqual(press("memory", "s")[:2], [0, cycles])
        self.browser.run("selection.set(layers[3]); 0")
        start, end = self.browser.run("[layers[3].start, layers[3].end]")
        from_, to, _ = press("timeline", "f")
        self.assertTrue(from_ <= start and to >= end and to - from_ < 1.5 * max(end - start, 50) + 1)

    def test_two_fingers_zoom_and_one_pans(self):
        self.report_page("tiny_cnn", "ethos-u55-128")
        fingers = lambda kind, *points: self.browser.run(f"""for (const [id, x] of {json.dumps(points)}) (("{kind}" === "pointerup") ? window : byId("timeline"))
          .dispatchEvent(new PointerEvent("{kind}", {{pointerId: id, clientX: x, clientY: 5, pointerType: "touch"}})); [viewport.from, viewport.to, run.cycles]""")
        fingers("pointerdown", [1, 500], [2, 700])
        from_, to, cycles = fingers("pointermove", [1, 400], [2, 800])
        self.assertAlmostEqual((to - from_) / cycles, 0.5, delta=0.01)
        fingers("pointerup", [1, 400], [2, 800])
        fingers("pointerdown", [3, 600])
        later = fingers("pointermove", [3, 500])
        self.assertGreater(later[0], from_)

    def test_a_link_shows_the_same_view(self):
        self.report_page("mobilenet_v2", "ethos-u55-128")
        page = self.browser.run("location.href.replace('file://', '')")
        self.browser.run("""selection.set(layers[5]); viewport.show(1000, 5000); const s = byId("search"); s.value = "conv"; s.dispatchEvent(new Event("input"));
          [...document.querySelectorAll("#layers th button")].find(b => b.textContent === "lanes").click();
          const box = [...document.querySelectorAll("#layer-tools .columns input")].find(i => i.parentNode.textContent.trim() === "block"); box.click(); 0""")
        state = """({layer: selection.layer.index, zoom: [viewport.from, viewport.to], search: byId("search").value,
          rows: [...document.querySelectorAll("#layers tbody tr")].map(r => r.textContent),
          head: [...document.querySelectorAll("#layers th")].filter(h => !h.hidden).map(h => h.textContent), sorted: document.querySelector("#layers th[aria-sort]").textContent})"""
        fragment = self.browser.run("new Promise(done => setTimeout(() => done(location.hash), 400))")
        before = self.browser.run(state)
        self.assertIn("block", before["head"])
        self.open(pathlib.Path(page.split("#")[0]), fragment=fragment)
        self.assertEqual(self.browser.run(state), before)

    def test_slash_searches_and_tables_are_exported(self):
        report = self.report_page("tiny_cnn", "ethos-u55-128")
        self.browser.run('document.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true})); 0')
        self.assertEqual(self.browser.run("document.activeElement.id"), "search")
        text = self.browser.run("""new Promise(done => { const make = URL.createObjectURL; URL.createObjectURL = blob => { blob.text().then(done); return make.call(URL, blob); };
          [...document.querySelectorAll("#layer-tools button")].find(b => b.textContent === "Save CSV").click(); })""")
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual({row["layer"]: int(row["cycles"]) for row in rows}, {layer["name"]: layer["exclusive"] for layer in report["layers"]})
        copied = self.browser.run("""new Promise(done => { navigator.clipboard.writeText = text => { done(text); return Promise.resolve(); };
          byId("copy-strip").click(); })""")
        self.assertTrue(copied.startswith(f"{report['network']} on {report['accelerator']}, system {report['system']}"))
        self.assertIn(f"NPU cycles, predicted: {report['cycles']:,}\n", copied)

    def test_the_table_of_layers_fits(self):
        self.report_page("mobilenet_v2", "ethos-u55-128")
        self.assertEqual(self.browser.run('(() => { const s = byId("layers").parentNode; return s.scrollWidth <= s.clientWidth; })()'), True)

    def test_a_comparison_of_three_runs(self):
        files, reports = [], []
        _, stream = pages.compiled(self.folder, "tiny_cnn", "ethos-u55-128")
        for name, latency in (("a", 0), ("b", 500), ("c", 900)):
            report, _ = pages.simulated(self.folder, stream, "-C", f"axi1.read_latency={latency}", "--before", latency / 100)
            files.append(self.folder / f"{name}.json")
            files[-1].write_text(json.dumps(report))
            reports.append(report)
        page = self.folder / "three.html"
        pages.macaw("report", *files, "--html", page, "--force")
        self.open(page)
        rows = self.table("layers")
        for i, name in enumerate(("a.json", "b.json", "c.json")):
            self.assertEqual({row["layer"]: number(row[name]) for row in rows}, {layer["name"]: layer["exclusive"] for layer in reports[i]["layers"]})
        runs = self.table("runs")
        self.assertEqual([number(row["cycles"]) for row in runs], [r["cycles"] for r in reports])
        self.assertEqual([number(row["MACs"]) for row in runs], [sum(o["macs"] for o in r["operations"]) for r in reports])
        self.assertEqual(self.browser.run('document.querySelectorAll("#multiples figure").length'), min(12, len(rows)))
        parts = self.table("whole")
        for i, name in enumerate(("a.json", "b.json", "c.json")):
            shown = sorted(f"{row['ms']:.3f}" for row in reports[i]["inference"]["rows"])
            self.assertEqual(sorted(row[name] for row in parts if row[name] != "no counterpart"), shown)
        self.assertEqual(next(row["change"] for row in parts if row["part"] == "before"), "+9.000")
        self.assertIn("slower", self.browser.run("document.title"))

    def test_a_study(self):
        graph, _ = pages.compiled(self.folder, "tiny_cnn", "ethos-u55-128")
        (self.folder / "shown.toml").write_text(f'[[network]]\ngraph = "{graph}"\ncompile = "macaw"\n[axes]\n'
                                                'accelerators = ["ethos-u55-128", "ethos-u55-256"]\nmemory_modes = ["Sram_Only", "Shared_Sram"]\n')
        out, page, table = self.folder / "shown", self.folder / "shown.html", self.folder / "shown.csv"
        pages.macaw("sweep", "run", self.folder / "shown.toml", "-o", out)
        pages.macaw("sweep", "show", out, "--html", page, "--csv", table)
        self.open(page)
        key = lambda row: (row["accelerator"], row["memory mode"])
        with table.open(newline="") as file:
            rows = {(r["accelerator"], r["memory_mode"]): r for r in csv.DictReader(file)}
        for row in self.table("runs"):
            self.assertEqual(number(row["cycles"]), int(rows[key(row)]["cycles"]))
            self.assertEqual(row["ms"], f"{float(rows[key(row)]['milliseconds']):.3f}")

    def test_an_equality_page_names_both_sides_and_counts_what_differs(self):
        _, stream = pages.compiled(self.folder, "tiny_cnn", "ethos-u55-128")
        other, page = self.folder / "seed7.tosa", self.folder / "seed7.html"
        pages.macaw("model", "tiny_cnn", "--size", "tiny", "--seed", 7, "-o", other)
        printed = json.loads(pages.macaw("compare", other, stream, "--inputs", "1", "--json", "--html", page, expected=1))
        self.open(page)
        title = self.browser.run("document.title")
        self.assertTrue(title.startswith(f"{other.name} vs {stream.name} (ethos-u55-128): "), title)
        apart = {t["tensor"]: t["different"] for t in printed["runs"][0]["recognised"]}
        for row in self.table("tensors"):
            if row["tensor"] in apart:
                self.assertEqual(row["differs"], f"{apart[row['tensor']]:,}" if apart[row["tensor"]] else "no")


if __name__ == "__main__":
    if not browser.CHROMIUM:
        print("skipped: chromium is not installed (Debian: apt-get install chromium)")
        sys.exit(pages.SKIPPED)
    unittest.main()
