#!/usr/bin/python3
"""The time of a whole inference: `macaw sim` with its options, report.json, the page, and a table of the user's own."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

ARTIFACT = "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"
TOOLS = pathlib.Path("tests/tools/cpu_costs").resolve()
KNOWN = ("--cpu", "core=cortex-m55,clock_hz=100e6,library=cmsis-nn,compiler=gcc-O2")


def macaw(*arguments):
    """On a terminal that is wide enough for every line."""
    return subprocess.run([os.environ["MACAW"], *map(str, arguments)], capture_output=True, text=True, env={**os.environ, "COLUMNS": "5000"})


class Inference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sim(self, *more):
        done = macaw("sim", ARTIFACT, "--mode", "timing", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, *more):
        return json.loads(self.sim("--json", *more))

    def test_parts_add_up(self):
        report = self.report(*KNOWN, "--before", 1.5, "--after", 0.25)
        whole = report["inference"]
        kinds = {row["kind"]: row for row in whole["rows"]}
        self.assertEqual(list(kinds), ["before", "copy_in", "cache", "npu", "runtime", "driver", "copy_out", "after"])
        self.assertAlmostEqual(whole["ms"], sum(row["ms"] for row in whole["rows"]), 9)
        self.assertAlmostEqual(kinds["npu"]["ms"], report["milliseconds"], 9)
        self.assertEqual((kinds["before"]["ms"], kinds["after"]["ms"]), (1.5, 0.25))
        self.assertLess(whole["low_ms"], whole["ms"])
        self.assertLess(whole["ms"], whole["high_ms"])
        for row in whole["rows"]:
            self.assertTrue(row["low_ms"] <= row["ms"] <= row["high_ms"] and row["source"], row)

    def test_text(self):
        text = self.sim(*KNOWN)
        self.assertRegex(text, r"Predicted: [\d.]+ ms for the whole inference on cortex-m55 at 100 MHz, cmsis-nn, gcc-O2 \([\d.]+-[\d.]+ ms\)")
        self.assertIn("driver and interrupt, 1 job", text)
        without = self.sim("--npu-only")
        self.assertNotIn("inference", without)
        self.assertEqual(without, re.sub(r"Predicted: [\d.]+ ms for the whole(?s:.*?)  basis:[^\n]*\n", "", text))
        self.assertNotIn("inference", self.report("--npu-only"))

    def test_clock_of_the_cpu_alone_moves_its_parts(self):
        slow, fast = (self.report("--cpu", f"core=cortex-m55,clock_hz={hz},cache=whole")["inference"]["rows"] for hz in ("1e8", "2e8"))
        for a, b in zip(slow, fast):
            self.assertAlmostEqual(a["ms"], b["ms"] * (1 if a["kind"] == "npu" else 2), 9)

    def test_wrong_options(self):
        for words, text in ((("--cpu", "core=x"), "--cpu core: unknown value 'x'"), (("--cpu", "cores=x"), "'cores' is not known"),
                            (("--before", "-1"), "--before -1: expected milliseconds"), (("--after", "x"), "--after x: expected milliseconds"),
                            (("--npu-only", "--before", "1"), "'--npu-only' and '--before' cannot be used together"),
                            (("--cpu", "core=cortex-m55,clock_hz=1e8,library=none.toml"), "none.toml")):
            done = macaw("sim", ARTIFACT, "--mode", "timing", *words)
            self.assertIn(done.returncode, (2, 3), words)
            self.assertIn(text, done.stderr)

    def test_without_a_described_cpu_it_is_a_lower_bound(self):
        text = self.sim("--system", "ideal")
        self.assertRegex(text, r"Predicted: at least [\d.]+ ms for the whole inference\n  the CPU is not described: give --cpu core=NAME,clock_hz=HZ\n")
        whole = self.report("--system", "ideal")["inference"]
        self.assertTrue(whole["lower_bound"])
        self.assertEqual([row["kind"] for row in whole["rows"]], ["npu"])

    def test_system_file_has_a_cpu(self):
        system = self.folder / "s.toml"
        text = pathlib.Path("configs/systems/ideal.toml").read_text()
        system.write_text(text + '\n[cpu]\ncore = "cortex-m4"\nclock_hz = 64e6\n')
        self.assertEqual(self.report("--system", system)["inference"]["cpu"], "cortex-m4 at 64 MHz")
        for wrong, message in (('[cpu]\ncolour = "red"', "key 'cpu.colour' is not known"), ("[cpu]\nclock_hz = -1", "key 'cpu.clock_hz' must be a number above 0"),
                               ("cpu = 1", "'cpu' must be a table"), ("[cpu]\ncopy_low = 1", "copy_low and copy_high need each other")):
            system.write_text(wrong + "\n" + text if wrong.startswith("cpu") else text + "\n" + wrong)
            done = macaw("sim", ARTIFACT, "--mode", "timing", "--system", system)
            self.assertEqual(done.returncode, 3, wrong)
            self.assertIn(message, done.stderr)

    def test_report_reads_it(self):
        self.sim(*KNOWN, "--output-dir", self.folder)
        done = macaw("report", self.folder / "report.json", "--html", self.folder / "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "report.json").read_text())
        for key, value in (("ms", "x"), ("rows", 1), ("notes", [1]), ("colour", 1)):
            broken = report | {"inference": report["inference"] | {key: value}}
            (self.folder / "broken.json").write_text(json.dumps(broken))
            done = macaw("report", self.folder / "broken.json")
            self.assertEqual(done.returncode, 3, key)
            self.assertIn(f"inference.{key}", done.stderr)


class Tables(unittest.TestCase):
    def test_presets_have_sources_and_known_names(self):
        for file in pathlib.Path("configs/systems").glob("*.toml"):
            cpu = tomllib.loads(file.read_text()).get("cpu")
            if cpu is None:
                continue
            self.assertTrue(cpu["source"], file)
            said = ",".join(f"{key}={value}" for key, value in cpu.items() if key != "source")
            done = macaw("sim", ARTIFACT, "--mode", "timing", "--cpu", said)
            self.assertEqual(done.returncode, 0, f"{file}: {done.stderr}")

    def test_fit_finds_the_costs_that_made_its_points(self):
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(TOOLS))
        import fit
        import operators
        points = [operators.measured(n, m, 20 * n + 0.25 * m, "s") for n, m in ((1000, 64000), (5000, 80000), (3000, 900000))]
        row = fit.fit("conv_1x1", points)
        self.assertAlmostEqual(row["element"], 20, 4)
        self.assertAlmostEqual(row["mac"], 0.25, 6)
        self.assertTrue(row["low"] <= 0.9 and row["high"] >= 1.1)
        self.assertIsNone(fit.fit("conv_1x1", points[:1]))
        far = fit.fit("pad", [operators.measured(10000, 0, 10000, "s"), operators.measured(10000, 0, 20000, "s")])
        self.assertTrue(far["low"] * far["element"] <= 0.98 and far["high"] * far["element"] >= 2.0)


if __name__ == "__main__":
    unittest.main()
