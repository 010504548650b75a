#!/usr/bin/python3
"""`macaw-dev check` on folders of tests as Arm's test runner has them, and of networks with answers or originals."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TRACE = pathlib.Path("traces/tiny_cnn")


class Descriptions(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def add(self, name, **changes):
        """A test of the bundled network whose expected result is right."""
        test = self.folder / name
        test.mkdir(parents=True)
        shutil.copy(TRACE / "tiny_cnn.tosa", test / "test.tosa")
        shutil.copy(TRACE / "input_0.npy", test)
        shutil.copy(TRACE / "ethos-u55-128" / "output_0.npy", test / "expected.npy")
        description = {"tosa_file": "test.tosa", "ifm_name": ["image"], "ifm_file": ["input_0.npy"], "ofm_name": ["logits"],
                       "ofm_file": ["result.npy"], "expected_result_file": ["expected.npy"], "expected_failure": False}
        description.update(changes)
        (test / "desc.json").write_text(json.dumps({k: v for k, v in description.items() if v is not None}))
        return test

    def check(self, folder=None):
        done = subprocess.run([os.environ["MACAW_DEV"], "check", folder or self.folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_results_are_compared(self):
        test = self.add("right")
        self.add("deep/er/ofm_file", expected_result_file=None, ofm_file=["expected.npy"])
        self.assertEqual(self.check(), (0, "verdict VALID: 2 passed, 0 failed\n2 passed, 0 failed\n"))
        self.assertEqual(self.check(test)[0], 0)
        (test / "expected.npy").rename(test / "expected.runner.tosa_refmodel_sut_run.npy")
        self.assertEqual(self.check(test)[0], 0)
        wrong = self.add("wrong") / "expected.npy"
        data = bytearray(wrong.read_bytes())
        data[-1] ^= 1
        wrong.write_bytes(data)
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("FAIL wrong: output 'logits'", text)
        self.assertTrue(text.endswith("2 passed, 1 failed\n"))

    def test_verdicts_are_compared(self):
        self.add("fails", expected_failure=True)
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("verdict VALID, expected ERROR", text)

    def test_wrong_calls(self):
        self.assertEqual(self.check(self.folder / "none"), (3, f"macaw: {self.folder}/none: there is no such file or folder\n"))
        there = self.folder / "there"
        there.write_text("kept")
        done = subprocess.run([os.environ["MACAW_DEV"], "check", self.folder, "--junit", there], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--force overwrites it", done.stderr)
        self.assertEqual(there.read_text(), "kept")

    def test_wrong_folders(self):
        self.assertEqual(self.check()[0], 3)
        for name, changes in (("no_expected_file", {"expected_result_file": ["missing.npy"]}),
                              ("no_expected_result", {"expected_result_file": []})):
            self.add(name, **changes)
            code, text = self.check(self.folder / name)
            self.assertEqual(code, 1)
            self.assertIn("FAIL " + name, text)
        self.add("wrong_type", expected_result_file=5)
        code, text = self.check()
        self.assertEqual(code, 3)
        self.assertIn("desc.json", text)

    def test_networks_are_held_against_answers_or_the_original(self):
        test = self.folder / "net"
        test.mkdir()
        shutil.copy(TRACE / "tiny_cnn.tosa", test / "net.tosa")
        shutil.copy(TRACE / "ethos-u55-128" / "tiny_cnn.npz", test / "net_vela.npz")
        self.assertEqual(self.check(), (0, "1 passed, 0 failed\n"))
        shutil.copy(TRACE / "input_0.npy", test / "in_0_0.npy")
        answer = test / "exp_0_output_0.npy"
        shutil.copy(TRACE / "ethos-u55-128" / "output_0.npy", answer)
        self.assertEqual(self.check(), (0, "2 passed, 0 failed\n"))
        data = bytearray(answer.read_bytes())
        data[-1] ^= 1
        answer.write_bytes(data)
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("FAIL net/net_vela.npz: case 0, output 0: 1 of", text)
        self.assertTrue(text.endswith("0 passed, 2 failed\n"))


if __name__ == "__main__":
    unittest.main()
