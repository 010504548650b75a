#!/usr/bin/python3
"""A network at the clock and with the memories of a named board."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ARTIFACT = pathlib.Path("traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz")


def run(*arguments):
    return subprocess.run([os.environ["MACAW"], *map(str, arguments)], capture_output=True, text=True)


def sim(*more):
    done = run("sim", ARTIFACT, "--mode", "timing", "--json", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Clock(unittest.TestCase):
    def test_it_scales_times_and_changes_no_cycle(self):
        system = sim()
        for text, hertz in (("250MHz", 250e6), ("0.4 GHz", 400e6), ("400000kHz", 400e6), ("125e6", 125e6), ("1Hz", 1)):
            report = sim("--clock", text)
            self.assertEqual(report["clock_hz"], hertz, text)
            self.assertAlmostEqual(report["milliseconds"], 1e3 * report["cycles"] / hertz, delta=1e-9 * report["milliseconds"])
            self.assertEqual([report[key] for key in ("cycles", "pmu")], [system[key] for key in ("cycles", "pmu")])
        self.assertIn(" at 250 MHz", run("sim", ARTIFACT, "--mode", "timing", "--clock", "250MHz").stdout)

    def test_the_setup_says_whose_clock_it_is(self):
        for more, hertz, source in (([], 500e6, "system corstone-300-u55"), (["--clock", "200MHz"], 200e6, "-C")):
            system = json.loads(run("sim", ARTIFACT, "--print-config", *more).stdout)["system"]
            self.assertEqual((system["clock_hz"], system["clock_source"]), (hertz, source))

    def test_the_calls_of_the_advice_keep_it(self):
        for advice in sim("--advise", "--clock", "250MHz")["advice"]:
            self.assertIn("--clock 250MHz", advice["command"])

    def test_what_is_no_clock_is_a_wrong_call(self):
        for text in ("0", "-1", "nan", "inf", "fast", "500mhz", "500MHz2", "MHz", "1e13", "0.5"):
            done = run("sim", ARTIFACT, "--mode", "timing", f"--clock={text}")
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("clock", done.stderr, text)


class Systems(unittest.TestCase):
    def test_each_is_listed_with_what_it_rests_on_and_runs(self):
        listed = json.loads(run("list", "systems", "--json").stdout)
        presets = sorted(file.stem for file in pathlib.Path("configs/systems").glob("*.toml"))
        self.assertEqual(sorted(system["name"] for system in listed), presets)
        table = run("list", "systems").stdout
        accelerators = {row["name"] for row in json.loads(run("list", "accelerators", "--json").stdout)}
        for system in listed:
            for member in ("name", "source", "confidence", "checked_against"):
                self.assertTrue(system[member], system["name"])
                self.assertIn(system[member], table)
            self.assertLessEqual(set(system["accelerators"]), accelerators)
            for accelerator in system["accelerators"] or ["ethos-u55-128"]:
                with self.subTest(system=system["name"], accelerator=accelerator):
                    self.check_resolves(system, accelerator)

    def check_resolves(self, system, accelerator):
        with tempfile.TemporaryDirectory() as folder:
            artifact = pathlib.Path(folder) / "tiny_cnn.npz"
            made = run("compile", "traces/tiny_cnn/tiny_cnn.tosa", "-a", accelerator, "-o", artifact)
            self.assertEqual(made.returncode, 0, made.stderr)
            done = run("sim", artifact, "--mode", "timing", "--system", system["name"], "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["accelerator"], report["system"]), (accelerator, system["name"]))
        self.assertEqual(report["clock_hz"], system["clock_hz"])


if __name__ == "__main__":
    unittest.main()
