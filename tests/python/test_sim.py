#!/usr/bin/python3
"""`macaw sim`: exit codes, and what is left behind."""
import os
import pathlib
import subprocess
import tempfile
import unittest

TRACE = pathlib.Path("traces/tiny_cnn")
ARTIFACT = TRACE / "ethos-u55-128" / "tiny_cnn.npz"


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sim(self, *more):
        done = subprocess.run([os.environ["MACAW"], "sim", ARTIFACT, "--input", TRACE / "input_0.npy", *map(str, more)],
                              capture_output=True, text=True)
        return done.returncode, done.stderr

    def test_max_cycles(self):
        wave = self.folder / "run.vcd"
        for waveform in ((), ("--vcd", wave)):
            code, text = self.sim("--max-cycles", 1000, *waveform, "--output-dir", self.folder / "out")
            self.assertEqual(code, 3, text)
            self.assertIn("the NPU did not stop within 1000 cycles", text)
            self.assertEqual(list(self.folder.iterdir()), [])
        code, text = self.sim("--max-cycles", 1_000_000, "--vcd", wave)
        self.assertEqual(code, 0, text)
        self.assertIn("$enddefinitions", wave.read_text())
        self.assertEqual(self.sim("--max-cycles", 0)[0], 2)


if __name__ == "__main__":
    unittest.main()
