#!/usr/bin/python3
"""A memory of a library's own behind an NPU: cycles change, no byte does, and what cannot be run is one clear error."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

NETWORKS = {accelerator: pathlib.Path(f"traces/tiny_cnn/{accelerator}/tiny_cnn.npz") for accelerator in ("ethos-u55-128", "ethos-u85-256")}
INPUT = pathlib.Path("traces/tiny_cnn/input_0.npy")


class MemoryEngines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def system(self, axi1, clock=500e6):
        file = self.folder / "board.toml"
        file.write_text('description = "board"\nsource = "drawn"\nconfidence = "assumed"\nchecked_against = "nothing"\n'
                        f'accelerators = []\nclock_hz = {clock}\ndefault_memory_mode = "Shared_Sram"\n[axi0]\n[axi1]\n{axi1}\n')
        return file

    def sim(self, axi1, network="ethos-u55-128", clock=500e6, **environment):
        return subprocess.run([os.environ["MACAW"], "sim", NETWORKS[network], "--input", INPUT, "--system", self.system(axi1, clock),
                               "--output-dir", self.folder / "out", "--force"], capture_output=True, text=True,
                              env=dict(os.environ, **environment))

    def ran(self, axi1, *more):
        done = self.sim(axi1, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "out/report.json").read_text()), (self.folder / "out/output_0.npy").read_bytes()

    def refused(self, said, axi1, **environment):
        done = self.sim(axi1, **environment)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(said, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_cycles_change_and_no_byte(self):
        for network in NETWORKS:
            runs = [self.ran(axi1, network) for axi1 in ("", *(f'engine = "open_rows"\nengine_setup = "{setup}"'
                                                             for setup in ("15 45 1.6", "15 900 1.6", "15 45 0.4")))]
            plain, fast, far, slow = [report["cycles"] for report, _ in runs]
            self.assertLess(plain, fast)
            self.assertLess(fast, far)
            self.assertLess(fast, slow)
            self.assertEqual(len({output for _, output in runs}), 1)
            for event, count in runs[0][0]["pmu"].items():
                if "BEAT" in event or event.endswith("MAC_ACTIVE"):
                    self.assertEqual({report["pmu"][event] for report, _ in runs}, {count}, event)

    def test_a_run_is_the_same_every_time_and_slower_in_cycles_at_a_higher_clock(self):
        engine = 'engine = "open_rows"\nengine_setup = "15 45 1.6"'
        first, again, faster = [self.ran(engine, "ethos-u55-128", clock)[0]["cycles"] for clock in (500e6, 500e6, 1e9)]
        self.assertEqual(first, again)
        self.assertGreater(faster, first)

    def test_the_timing_adapter_stays_before_it(self):
        engine = 'engine = "open_rows"\nengine_setup = "15 45 1.6"\n'
        self.assertGreater(self.ran(engine + "read_latency = 500")[0]["cycles"], self.ran(engine)[0]["cycles"])

    def test_what_is_not_there_is_named(self):
        self.refused("no memory engine 'dramsys': MACAW_MEMORY_ENGINES names no folder with libmacaw_memory_dramsys.so",
                     'engine = "dramsys"')
        self.refused("no memory engine 'open_rows'", 'engine = "open_rows"', MACAW_MEMORY_ENGINES="")
        (self.folder / "libmacaw_memory_text.so").write_text("no library")
        self.refused("libmacaw_memory_text.so", 'engine = "text"', MACAW_MEMORY_ENGINES=str(self.folder))

    def test_what_an_engine_must_not_do_ends_the_run(self):
        self.refused("no run with 'waiting': it let time pass", 'engine = "waiting"')
        self.refused("no run with 'refusing': it answered the read of ", 'engine = "refusing"')
        self.refused("engine_setup: 'fast' is not three numbers", 'engine = "open_rows"\nengine_setup = "fast"')

    def test_fields_that_contradict_it_are_named(self):
        for field in ("beats_per_cycle = 0.5", "least_bytes = 32", "traffic = 0.3"):
            self.refused("engine's own", f'engine = "open_rows"\n{field}')
        self.refused("engine_setup needs an engine", 'engine_setup = "15 45 1.6"')
        self.refused("axi1.engine", 'engine = "../open_rows"')


if __name__ == "__main__":
    unittest.main()
