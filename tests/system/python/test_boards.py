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


class Traffic(unittest.TestCase):
    def test_other_masters_cost_cycles_and_change_no_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            outputs, reports = [], []
            for i, share in enumerate((0, 0.3, 0.6, 0.9)):
                out = pathlib.Path(folder) / str(i)
                done = run("sim", ARTIFACT, "--input", "traces/tiny_cnn/input_0.npy", "--traffic", f"axi0={share}", "--traffic",
                           f"axi1={share}", "--output-dir", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                outputs.append((out / "output_0.npy").read_bytes())
                reports.append(json.loads((out / "report.json").read_text()))
        self.assertEqual(len(set(outputs)), 1)
        cycles = [report["cycles"] for report in reports]
        self.assertEqual(cycles, sorted(set(cycles)))
        self.assertEqual(cycles[0], sim()["cycles"])
        for report in reports[1:]:
            self.assertIsNone(report["cycles_interval"])
            for event in ("AXI0_RD_DATA_BEAT_RECEIVED", "AXI0_WR_DATA_BEAT_WRITTEN", "AXI1_RD_DATA_BEAT_RECEIVED", "MAC_ACTIVE"):
                self.assertEqual(report["pmu"][f"ETHOSU_PMU_{event}"], reports[0]["pmu"][f"ETHOSU_PMU_{event}"])

    def test_it_is_a_field_of_the_memory(self):
        memory = json.loads(run("sim", ARTIFACT, "--print-config", "--traffic", "ext=0.25").stdout)
        self.assertIn('"traffic": {"source": "-C", "unit": "share", "value": 0.25}', json.dumps(memory, sort_keys=True))
        self.assertEqual(sim("--traffic", "sram=0.5")["cycles"], sim("-C", "axi0.traffic=0.5")["cycles"])
        for text in ("ext", "ddr=0.3", "ext=1", "ext=-0.1", "ext=nan"):
            self.assertEqual(run("sim", ARTIFACT, "--mode", "timing", "--traffic", text).returncode, 2, text)


class Systems(unittest.TestCase):
    def test_each_is_listed_with_what_it_rests_on_and_runs(self):
        listed = json.loads(run("list", "systems", "--json").stdout)
        presets = sorted(file.stem for file in pathlib.Path("configs/systems").glob("*.toml"))
        self.assertEqual(sorted(system["name"] for system in listed), presets)
        wide = subprocess.run([os.environ["MACAW"], "list", "systems"], capture_output=True, text=True, env={**os.environ, "COLUMNS": "5000"}).stdout
        accelerators = {row["name"] for row in json.loads(run("list", "accelerators", "--json").stdout)}
        for system in listed:
            for member in ("name", "source", "confidence", "checked_against"):
                self.assertTrue(system[member], system["name"])
                self.assertIn(system[member], wide)
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


class Fit(unittest.TestCase):
    """A board whose arena and constants lie in one memory, as `macaw fit` finds it from microbenchmarks."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.made = run("microbench", "-a", "ethos-u55-128", "-o", cls.folder)
        cls.truth = cls.folder / "truth.toml"
        cls.truth.write_text('description = "board"\nsource = "drawn"\nconfidence = "assumed"\nchecked_against = "nothing"\n'
                             'accelerators = ["ethos-u55-128"]\nclock_hz = 160e6\ndefault_memory_mode = "Sram_Only"\n'
                             "[axi0]\nread_latency = 90\nwrite_latency = 40\nbeats_per_cycle = 0.4\n[axi1]\n")

    def cycles(self, network, system, mode="Sram_Only"):
        done = run("sim", network, "--mode", "timing", "--system", system, "--memory-mode", mode, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["cycles"]

    def filled(self, name, keep):
        """The file of runs with the cycles that the board would show, in steps of 1,000."""
        head, *lines = (self.folder / "board.csv").read_text().splitlines()
        rows = [line.split(",") for line in lines]
        for row in rows:
            if keep(row):
                taken = self.cycles(self.folder / row[1], self.truth, row[2])
                row[3:] = [str(-(-taken // 1000) * 1000), "1000"]
        (self.folder / name).write_text("\n".join([head, *map(",".join, rows)]) + "\n")
        return self.folder / name

    def test_microbenchmarks_are_files_for_a_board(self):
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        networks = sorted(self.folder.glob("*_vela.tflite"))
        self.assertGreater(len(networks), 6)
        for network in networks:
            header = network.with_name(network.stem + "_tflite.h").read_text()
            array = bytes(int(byte, 16) for byte in header.split("{")[1].split("}")[0].replace("\n", "").split(",") if byte.strip())
            self.assertEqual(array, network.read_bytes())

    def test_a_fitted_board_takes_the_cycles_of_the_board(self):
        # As few as a fit asks for: with more, hundreds of further runs tell latencies from limits that are not asserted.
        networks = {f"{name}_vela.tflite" for name in ("weights", "small_weights", "maps", "map_reads", "map_writes",
                                                       "short_accesses", "compute")}
        runs = self.filled("runs.csv", lambda row: row[1] in networks and row[2] == "Sram_Only")
        fitted = self.folder / "fitted.toml"
        done = run("fit", runs, "-o", fitted, "--clock", "160MHz", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        fields = json.loads(done.stdout)["fields"]
        self.assertTrue(fields["axi0.beats_per_cycle"]["known"])
        # Defaults of fields that the file does not name.
        for name, true in (("beats_per_cycle", 0.4), ("max_reads", 63), ("max_writes", 63), ("least_bytes", 8)):
            field = fields[f"axi0.{name}"]
            self.assertTrue(not field["known"] or field["low"] <= true <= field["high"], (name, field))
        self.assertAlmostEqual(self.cycles(ARTIFACT, fitted) / self.cycles(ARTIFACT, self.truth), 1, delta=0.02)
        report = json.loads(run("sim", ARTIFACT, "--mode", "timing", "--system", fitted, "--json").stdout)
        self.assertEqual(report["clock_hz"], 160e6)
        self.assertIsNone(report["cycles_interval"])

    def test_too_few_runs_are_said_to_be(self):
        done = run("fit", self.filled("few.csv", lambda row: row[1:3] == ["weights_vela.tflite", "Shared_Sram"]))
        self.assertEqual(done.returncode, 3)
        self.assertIn("few.csv: 1 runs are too few", done.stderr)
        done = run("fit", self.folder / "board.csv")
        self.assertEqual(done.returncode, 3)
        self.assertIn("npu_active", done.stderr)

    def test_wrong_lines_are_named(self):
        head = "accelerator,network,memory_mode,npu_active,resolution\n"
        good = "ethos-u55-128,weights_vela.tflite,Shared_Sram,5000,\n"
        (self.folder / "spaced.csv").write_text(head + good.replace("weights_", '"my weights_').replace(".tflite", '.tflite" '))
        self.assertIn("my weights_vela.tflite", run("fit", self.folder / "spaced.csv").stderr)
        for text, said in (("network\n", "line 1: expected the columns"), (head, "no runs"), (head + "a,b\n", "line 2: 2 columns"),
                           (head + good + good.replace("5000", "5,000"), "line 3: 6 columns"),
                           (head + good.replace("5000", "many"), "'many' is not a number"),
                           (head + good.replace("5000,", "5000,nan"), "resolution: 'nan'"),
                           (head + good.replace("u55-128", "u55-1"), "unknown accelerator"),
                           (head + good + good.replace("128", "256"), "one file is of one NPU")):
            (self.folder / "wrong.csv").write_text(text)
            done = run("fit", self.folder / "wrong.csv")
            self.assertEqual(done.returncode, 3, text)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
