#!/usr/bin/python3
"""Energy of a run: counted events times a table, from and to, checked against the same sums over report.json and the table's file."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import tomllib
import unittest

TABLES = sorted(pathlib.Path("configs/energy").glob("*.toml"))
# As Accelergy 0.4 writes it.
ERT = """ERT:
    version: '0.4'
    tables:
      - name: chip.mac[1..256]
        actions:
          - name: compute
            arguments: {}
            energy: 0.315
          - name: leak
            arguments: {}
            energy: 0.0036
      - name: chip.DRAM[1..1]
        actions:
          - name: read
            arguments: {global_cycle_seconds: 1e-09}
            energy: 512.0
"""
BY_ACCELERGY = """description = "by Accelergy"
[accelergy]
file = "ERT.yaml"
error = 0.2
[picojoules]
mac_8bit = {accelergy = "chip.mac[1..256].compute"}
axi1_read = {accelergy = "chip.DRAM[1..1].read", each = 8}
"""


def macaw(*arguments):
    return subprocess.run([os.environ["MACAW"], *map(str, arguments)], capture_output=True, text=True)


def events(report):
    """Event counts for an energy table, from the report alone."""
    u85 = "u85" in report["accelerator"]
    macs_per_cycle = int(report["accelerator"].split("-")[-1])
    counts = {f"mac_{bits}bit": sum(o["macs"] for o in report["operations"] if o.get("mac_bits") == bits) for bits in (8, 16, 32)}
    for side, name in enumerate(("SRAM", "EXT") if u85 else ("AXI0", "AXI1")):
        for word, event in (("read", "RD_DATA_BEAT_RECEIVED"), ("write", "WR_DATA_BEAT_WRITTEN")):
            counts[f"axi{side}_{word}"] = report["pmu"][f"ETHOSU_PMU_{name}_{event}"] * (8 if "u55" in report["accelerator"] else 16)
    counts["cycle"] = report["cycles"]
    counts["mac_ns"] = 1e9 * report["cycles"] / report["clock_hz"] * macs_per_cycle
    counts["cpu_ns"] = 1e6 * sum(row["ms"] for row in report["inference"]["rows"] if row["kind"] != "npu")
    return counts


class Energy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.reports = {}
        for accelerator in ("ethos-u55-128", "ethos-u65-256", "ethos-u85-256"):
            net, out = cls.folder / f"{accelerator}.npz", cls.folder / accelerator
            for command in (("compile", "traces/tiny_cnn/tiny_cnn.tosa", "-a", accelerator, "-o", net),
                            ("sim", net, "--mode", "timing", "--output-dir", out)):
                done = macaw(*command)
                assert done.returncode == 0, done.stderr
            cls.reports[out / "report.json"] = json.loads((out / "report.json").read_text())
        (cls.folder / "ERT.yaml").write_text(ERT)

    def table(self, text):
        (self.folder / "table.toml").write_text(text)
        return self.folder / "table.toml"

    def energy(self, report, table):
        done = macaw("report", report, "--energy", table)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, text, counts, costs, seconds):
        """The text's lines and sums are those of `costs`, (low, high) by event."""
        low = high = 0
        for event, (least, most) in costs.items():
            count, *joules = re.search(rf"^{event} +(\d+) +(\S+) +(\S+)  ", text, re.M).groups()
            self.assertAlmostEqual(int(count), counts[event], delta=0.5)
            for shown, each in zip(joules, (least, most)):
                self.assertAlmostEqual(float(shown), 1e-12 * each * counts[event], delta=0.005 * float(shown))
            low, high = low + 1e-12 * least * counts[event], high + 1e-12 * most * counts[event]
        total = re.search(r"^(\S+) to (\S+) J, (\S+) to (\S+) mW", text, re.M)
        for shown, sum_ in zip(total.groups(), (low, high, 1e3 * low / seconds, 1e3 * high / seconds)):
            self.assertAlmostEqual(float(shown), sum_, delta=0.005 * sum_)
        self.assertLess(low, high)

    def test_sums_are_events_times_table_for_every_table(self):
        self.assertGreater(len(TABLES), 2)
        for report, data in self.reports.items():
            for table in TABLES:
                with self.subTest(accelerator=data["accelerator"], table=table.stem):
                    costs = {event: (cost["low"], cost["high"])
                             for event, cost in tomllib.loads(table.read_text())["picojoules"].items()}
                    self.check(self.energy(report, table.stem), events(data), costs, data["cycles"] / data["clock_hz"])

    def test_multiply_accumulates_are_counted_by_their_width(self):
        for data in self.reports.values():
            self.assertEqual(events(data)["mac_8bit"], sum(o["macs"] for o in data["operations"]))
            self.assertGreater(events(data)["mac_8bit"], 0)

    def test_every_figure_is_a_range_with_a_source(self):
        for table in TABLES:
            for event, cost in tomllib.loads(table.read_text())["picojoules"].items():
                self.assertLess(cost["low"], cost["high"], (table, event))
                self.assertGreater(len(cost["source"]), 10)

    def test_it_is_off_unless_asked_for(self):
        for report in self.reports:
            shown = macaw("report", report).stdout
            self.assertNotRegex(shown, r"[Ee]nergy|\bJ\b|\bmW\b")
            self.assertNotRegex(report.read_text(), "energy|joules")
            simulated = macaw("sim", report.parent.with_suffix(".npz"), "--mode", "timing").stdout
            self.assertNotRegex(simulated, r"[Ee]nergy|\bJ\b|\bmW\b")

    def test_sim_says_what_the_report_of_its_run_says(self):
        for report in self.reports:
            call = ("sim", report.parent.with_suffix(".npz"), "--energy", TABLES[0].stem, "--mode")
            done = macaw(*call, "timing")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = re.search(r"(?ms)^Energy by .*", self.energy(report, TABLES[0].stem))[0]
            self.assertIn(told, done.stdout)
            self.assertIn(" mW", told)
            self.assertEqual(macaw(*call, "functional").returncode, 2)
            self.assertEqual(macaw(*call, "timing", "--json").returncode, 2)
            self.assertEqual(macaw(*call[:3], "none", "--mode", "timing").returncode, 2)

    def test_the_cpu_s_part_of_the_inference(self):
        table = self.table('description = "CPU"\n[picojoules.cpu_ns]\nlow = 20\nhigh = 60\nsource = "a data sheet of a CPU"\n')
        for report, data in self.reports.items():
            counts, text = events(data), self.energy(report, table)
            self.assertGreater(counts["cpu_ns"], 0)
            self.check(text, counts, {"cpu_ns": (20, 60)}, data["cycles"] / data["clock_hz"] + 1e-9 * counts["cpu_ns"])
            self.assertIn("mW over NPU and CPU", text)

    def test_accelergy_s_tables_are_read(self):
        for report, data in self.reports.items():
            text = self.energy(report, self.table(BY_ACCELERGY))
            costs = {"mac_8bit": (0.8 * 0.315, 1.2 * 0.315), "axi1_read": (0.8 * 64, 1.2 * 64)}
            self.check(text, events(data), costs, data["cycles"] / data["clock_hz"])
            self.assertIn("not covered by the table: cycles of the run", text)

    def test_mistakes_are_named(self):
        one = 'description = "x"\n[picojoules]\n'
        report = next(iter(self.reports))
        for text, words in (("x = 1", "'x' is not known"), ('description = "x"', "'picojoules'"),
                            (one + 'mac_8bit = {low = 1, high = 1, source = "s"}', "'high' must be greater than 'low'"),
                            (one + "mac_8bit = {low = 1, high = 2}", "'source'"), (one + "mac_8bit = 3", "'mac_8bit' must be a table"),
                            (one + 'mac_7bit = {low = 1, high = 2, source = "s"}', "is not an event; expected one of mac_8bit"),
                            (one + 'mac_8bit = {low = -1, high = 2, source = "s"}', "'low' must be a number from 0"),
                            (one + 'mac_8bit = {accelergy = "a.b"}', "needs 'accelergy.file'"),
                            (BY_ACCELERGY.replace(".compute", ".run"), "names an action that ERT.yaml has not"),
                            (BY_ACCELERGY.replace("0.2", "0"), "'error' must be above 0"),
                            (BY_ACCELERGY.replace("ERT.yaml", "none.yaml"), "none.yaml")):
            done = macaw("report", report, "--energy", self.table(text))
            self.assertEqual(done.returncode, 3, text + done.stderr)
            self.assertIn(words, done.stderr)
        for yaml in ("", "a: [", "ERT: 3", "ERT: {tables: [1]}", "ERT: {tables: [{name: a, actions: [{name: b, energy: -1}]}]}",
                     "ERT: {tables: [{name: a, actions: [{name: b, energy: x}]}]}", "[" * 100000):
            (self.folder / "wrong.yaml").write_text(yaml)
            done = macaw("report", report, "--energy", self.table(BY_ACCELERGY.replace("ERT.yaml", "wrong.yaml")))
            self.assertEqual(done.returncode, 3, yaml[:50])
            self.assertIn("wrong.yaml", done.stderr)
        done = macaw("report", report, "--energy", "sram-lpddr5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("sram-lpddr4", done.stderr)


if __name__ == "__main__":
    unittest.main()
