#!/usr/bin/python3
"""The data of each kind of page against report.json and the other machine-readable forms, without a browser."""
import collections
import csv
import json
import pathlib
import tempfile
import unittest

import pages

SIDES = {"u55": ("axi0", "axi1"), "u65": ("axi0", "axi1"), "u85": ("sram", "ext")}


def columns(data, names):
    return list(zip(*(data[name] for name in names)))


class PageData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def runs(self, *options, networks=pages.NETWORKS):
        """report.json, the data of its page and the names of the ports, network by network."""
        for network in networks:
            for accelerator in pages.ACCELERATORS:
                _, stream = pages.compiled(self.folder, network, accelerator)
                report, page = pages.simulated(self.folder, stream, *options)
                yield report, pages.data_of(page), SIDES[accelerator.split("-")[1]]

    def test_totals_limits_and_origin(self):
        for report, page, sides in self.runs("--sram-size", "300K"):
            for name in ("network", "accelerator", "system", "memory_mode", "clock_hz", "cycles", "pmu", "bytes_per_cycle", "region_side", "origin"):
                self.assertEqual(page[name], report[name], name)
            self.assertEqual(tuple(page["sides"]), sides)
            self.assertEqual(page["unmodelled"], report["pmu_unmodelled"])
            self.assertEqual(page["timing_adapter"], report["timing_adapter"] == "on")
            self.assertEqual(page["bounds"], [[b["bound"], b["cycles"]] for b in report["bounds"]])
            self.assertEqual(sum(cycles for _, cycles in page["bounds"]), report["cycles"])
            self.assertEqual(page["findings"][:len(report["bottlenecks"])], report["bottlenecks"])
            self.assertEqual(page["compute"], report["compute"])
            self.assertEqual(page["sram_size"], 300 * 1024)
            self.assertIsNone(page["advice"])

    def test_layers(self):
        for report, page, sides in self.runs():
            self.assertEqual(len(page["layers"]), len(report["layers"]))
            self.assertEqual(sum(layer["exclusive"] for layer in page["layers"]), report["cycles"])
            macs = int(report["accelerator"].rsplit("-", 1)[1])
            for shown, layer in zip(page["layers"], report["layers"]):
                for name in ("name", "kind", "exclusive", "inclusive", "macs", "bound", "why", "change"):
                    self.assertEqual(shown[name], layer[name], name)
                self.assertEqual((shown.get("shape"), shown.get("output", "")), (layer["shape"], layer["output"]))
                self.assertEqual(shown["alive"], [layer["alive"][side] for side in sides])
                operations = [report["operations"][i] for i in layer["operations"]]
                moved = collections.Counter()
                for o in operations:
                    for m in o["memory"]:
                        moved["written" if m["write"] else "read", report["region_side"][m["region"]]] += m["bytes"]
                for way in ("read", "written"):
                    self.assertEqual(shown[way], [moved[way, 0], moved[way, 1]])
                self.assertEqual([sum(layer["bytes"][side].values()) for side in sides],
                                 [shown["read"][i] + shown["written"][i] for i in (0, 1)])
                active = sum(o["details"]["mac_cycles"] for o in operations if "details" in o)
                self.assertEqual("lanes" in shown, bool(layer["macs"]))
                if layer["macs"]:
                    self.assertAlmostEqual(shown["lanes"], layer["macs"] / (active * macs))
                    self.assertAlmostEqual(shown["lanes"], layer["lanes"])
                streams = {(o["details"]["weights"]["checksum"], o["details"]["weights"]["encoded"]): o["details"]["weights"]
                           for o in operations if "weights" in o.get("details", {})}
                self.assertEqual("weights" in shown, bool(streams))
                if streams:
                    self.assertEqual(shown["weights"], [sum(w[name] for w in streams.values()) for name in ("encoded", "count", "zeros")])
                    self.assertEqual({name: layer["weights"][name] for name in ("encoded", "count", "zeros")},
                                     dict(zip(("encoded", "count", "zeros"), shown["weights"])))
                    encoded, count, _ = shown["weights"]
                    self.assertAlmostEqual(shown["weight_ratio"], count / encoded)
                    self.assertAlmostEqual(shown["decoded_per_cycle"], layer["weights"]["decoded_per_cycle"])
                candidates = [i for i in layer["operations"] if report["operations"][i]["name"] != "NPU_OP_DMA_START"] or layer["operations"]
                longest = max(report["operations"][i]["exclusive"] for i in candidates)
                self.assertIn(shown["main"], candidates)
                self.assertEqual(report["operations"][shown["main"]]["exclusive"], longest)

    def test_operations_blocks_and_activity(self):
        for report, page, _ in self.runs("--blocks", networks=pages.NETWORKS[:2]):
            names, mine, theirs = page["names"], page["operations"], report["operations"]
            self.assertEqual(columns(mine, ("start", "exclusive", "macs", "command")),
                             [(o["start"], o["exclusive"], o["macs"], o["command"]) for o in theirs])
            self.assertEqual(mine["cycles"], [o["end"] - o["start"] for o in theirs])
            self.assertEqual([names[i] for i in mine["name"]], [o["name"] for o in theirs])
            for i, layer in enumerate(report["layers"]):
                self.assertEqual([o for o, place in enumerate(mine["layer"]) if place == i], layer["operations"])
            for side in (0, 1):
                self.assertEqual(mine["bytes"][side], [sum(m["bytes"] for m in o["memory"] if report["region_side"][m["region"]] == side) for o in theirs])
            for blocks, o in zip(mine["blocks"], theirs):
                self.assertEqual([[start, start + cycles] for start, cycles, _ in blocks], [[b["start"], b["end"]] for b in o.get("blocks", [])])
            for unit, activity in zip(page["activity"], report["activity"]):
                self.assertEqual(unit["unit"], activity["unit"])
                at, spans = 0, []
                for i in range(0, len(unit["data"]), 4):
                    operation, gap, length, busy = unit["data"][i:i + 4]
                    spans.append((at + gap, at + gap + length, busy))
                    at += gap + length
                    if operation >= 0:
                        self.assertEqual(theirs[operation]["command"], activity["command"][i // 4])
                rounded = lambda cycles: int(cycles + 0.5)
                self.assertEqual(spans, [tuple(map(rounded, span)) for span in zip(activity["start"], activity["end"], activity["busy"])])

    def test_memory_over_time(self):
        for report, page, sides in self.runs():
            lives = columns(page["lifetimes"], ("region", "first", "last", "start", "end"))
            for i, side in enumerate(sides):
                memory = report["memory"][side]
                self.assertEqual({name: page["memory"][i][name] for name in ("peak", "peak_cycle", "reach")},
                                 {name: memory[name] for name in ("peak", "peak_cycle", "reach")})
                here = [life for life in lives if report["region_side"][life[0]] == i]
                live = lambda cycle: sum(last - first + 1 for _, first, last, start, end in here if start <= cycle < end)
                self.assertEqual(live(memory["peak_cycle"]), memory["peak"])
                self.assertLessEqual(max(map(live, {life[3] for life in here}), default=0), memory["peak"])
                curve = page["memory"][i]["curve"]
                self.assertEqual([bytes for _, bytes in curve], [live(cycle) for cycle, _ in curve])
                self.assertEqual({life[3] for life in here} - {cycle for cycle, _ in curve}, set())
                at_peak = sorted(([region, first, last] for region, first, last, start, end in here if start <= memory["peak_cycle"] < end), key=str)
                told = sorted(([t["region"], t["first"], t["last"]] for t in memory["at_peak"]), key=str)
                self.assertTrue(all(t in at_peak for t in told))
                self.assertEqual(len(told), min(20, len(at_peak)))

    def test_what_ifs(self):
        for report, page, _ in self.runs("--advise", networks=("tiny_cnn",)):
            self.assertEqual([(a["kind"], a["change"], a["command"], a["gain"]) for a in page["advice"]],
                             [(a["kind"], a["change"], a["command"], a["gain"]) for a in report["advice"]])
            for a in page["advice"]:
                self.assertAlmostEqual(a["share"], a["gain"] / report["cycles"])
            self.assertTrue(any(a["kind"] == "compute" for a in page["advice"]), page["advice"])
            memory = [a["gain"] for a in report["advice"] if a["kind"] == "memory"]
            self.assertEqual("cannot help" in page["memory_verdict"], not memory)

    def test_a_saved_report_makes_the_same_page(self):
        for report, page, _ in self.runs(networks=("tiny_cnn",)):
            saved, again = self.folder / "saved.json", self.folder / "again.html"
            saved.write_text(json.dumps(report))
            pages.macaw("report", saved, "--html", again, "--force")
            self.assertEqual(pages.data_of(again), page)

    def test_the_answers_of_the_guide(self):
        """The answers in docs/how-to/read-the-report.md are those of the runs that it shows."""
        guide = (pages.ROOT / "docs/how-to/read-the-report.md").read_text()
        graph, stream, out = self.folder / "kws.tosa", self.folder / "kws.npz", self.folder / "kws"
        pages.macaw("model", "ds_cnn", "-o", graph)
        pages.macaw("compile", graph, "-a", "ethos-u55-128", "-o", stream)
        pages.macaw("sim", stream, "--mode", "timing", "--advise", "--sram-size", "256KiB", "--output-dir", out, "--html", self.folder / "kws.html")
        pages.macaw("sim", stream, "--mode", "timing", "-C", "axi1.read_latency=500", "--output-dir", self.folder / "slow")
        report, page = json.loads((out / "report.json").read_text()), pages.data_of(self.folder / "kws.html")
        layers, short = report["layers"], lambda layer: layer["name"].split("'")[1]
        strip = {name: value for value, name, _ in page["strip"]}
        bounds = [f"{b['bound']} for {100 * b['share']:.1f} %" for b in report["bounds"][:2]]
        worst = min((layer for layer in layers if layer["macs"]), key=lambda layer: layer["lanes"])
        heaviest = sorted((layer for layer in layers if layer["weights"]), key=lambda layer: -layer["weights"]["encoded"])[:2]
        compute = next(a for a in report["advice"] if a["kind"] == "compute")
        peak = report["memory"]["axi0"]
        compared = json.loads(pages.macaw("report", out / "report.json", self.folder / "slow" / "report.json", "--json"))
        most = max(compared["layers"], key=lambda layer: abs(layer["cycles"][1] - layer["cycles"][0]))
        answers = [f"{1e3 * report['cycles'] / report['clock_hz']:.3f} ms for {report['cycles']:,} NPU cycles",
                   f"{bounds[0]} of the time, {bounds[1]}", f"{100 * worst['lanes']:.1f} %: {worst['why'][-1]}",
                   f"{100 * layers[0]['lanes']:.1f} % of the lanes are used", layers[0]["why"][1], page["memory_verdict"],
                   f"{100 * compute['gain'] / report['cycles']:.1f} % at most: {compute['change']}",
                   f"fits into 256.0 KiB: {next(value for name, value in strip.items() if 'at its peak' in name)} at the peak",
                   f"at cycle {peak['peak_cycle']:,}", f"in {len(peak['at_peak'])} pieces",
                   f"{next(value for name, value in strip.items() if name.startswith('weights'))} encoded",
                   f"{' and '.join(sorted(map(short, heaviest)))} have {heaviest[0]['weights']['encoded']:,} bytes each",
                   f"{1 / compared['runs'][1]['speed_up']:.2f}x slower", f"{short(most)} changed most, by +{most['cycles'][1] - most['cycles'][0]:,} cycles",
                   f"is bound by {most['bounds'][1]}"]
        for answer in answers:
            self.assertIn(answer, guide)
        self.assertEqual(sorted(short({"name": t["layer"]}) for t in peak["at_peak"]), ["clamp_11", "clamp_22"])

    def test_a_comparison_of_runs(self):
        reports, files = [], []
        for seed, option in (("a", "axi1.read_latency=0"), ("b", "axi1.read_latency=500"), ("c", "axi1.read_latency=900")):
            _, stream = pages.compiled(self.folder, "tiny_cnn", "ethos-u55-128")
            report, _ = pages.simulated(self.folder, stream, "-C", option, "--before", "1" if seed == "a" else "2")
            files.append(self.folder / f"{seed}.json")
            files[-1].write_text(json.dumps(report))
            reports.append(report)
        printed = json.loads(pages.macaw("report", *files, "--json"))
        pages.macaw("report", *files, "--html", self.folder / "three.html", "--force")
        page = pages.data_of(self.folder / "three.html")
        self.assertEqual(page, printed)
        self.assertEqual([r["cycles"] for r in page["runs"]], [r["cycles"] for r in reports])
        for i, report in enumerate(reports):
            self.assertEqual(sum(layer["cycles"][i] or 0 for layer in page["layers"]), report["cycles"])
            self.assertEqual(page["runs"][i]["macs"], sum(o["macs"] for o in report["operations"]))
            self.assertEqual(page["runs"][i]["bytes"], sum(m["bytes"] for o in report["operations"] for m in o["memory"]))
            self.assertAlmostEqual(page["inference"]["totals"][i]["ms"], report["inference"]["ms"])
            self.assertAlmostEqual(sum(part["ms"][i] or 0 for part in page["inference"]["parts"]), report["inference"]["ms"])

    def test_a_study(self):
        graph, _ = pages.compiled(self.folder, "tiny_cnn", "ethos-u55-128")
        (self.folder / "study.toml").write_text(f'[[network]]\ngraph = "{graph}"\ncompile = "macaw"\n[axes]\n'
                                                'accelerators = ["ethos-u55-128", "ethos-u55-256"]\nmemory_modes = ["Sram_Only", "Shared_Sram"]\n')
        out, html, table = self.folder / "study", self.folder / "study.html", self.folder / "study.csv"
        pages.macaw("sweep", "run", self.folder / "study.toml", "-o", out)
        pages.macaw("sweep", "show", out, "--html", html, "--csv", table)
        with table.open(newline="") as file:
            rows = list(csv.DictReader(file))
        runs = pages.data_of(html)["runs"]
        self.assertEqual(len(runs), 4)
        key = lambda row: (row["accelerator"], row["memory_mode"])
        for run, row in zip(sorted(runs, key=key), sorted(rows, key=key)):
            self.assertEqual(key(run), key(row))
            self.assertEqual(run["cycles"], int(row["cycles"]))
            self.assertAlmostEqual(run["ms"], float(row["milliseconds"]))
            self.assertEqual(sum(n or 0 for n in run["layers"]), run["cycles"])

    def test_equality(self):
        graph, stream = pages.compiled(self.folder, "tiny_cnn", "ethos-u55-128")
        other = self.folder / "other.tosa"
        pages.macaw("model", "tiny_cnn", "--size", "tiny", "--seed", 7, "-o", other)
        for source, code in ((graph, 0), (other, 1)):
            html = self.folder / f"{source.stem}-equality.html"
            printed = json.loads(pages.macaw("compare", source, stream, "--inputs", "1", "--json", "--html", html, expected=code))
            page = pages.data_of(html)
            self.assertEqual({name: page[name] for name in printed}, printed)
            self.assertEqual((page["names"], page["accelerator"]), ([source.name, stream.name], "ethos-u55-128"))
            for picture in page["pictures"]:
                apart = sum(a != b for a, b in zip(picture["expected"], picture["sim"]))
                told = next(t for t in page["runs"][0]["recognised"] if t["tensor"] == picture["tensor"])
                self.assertEqual((apart, len(picture["sim"])), (told["different"], told["elements"]))


if __name__ == "__main__":
    unittest.main()
