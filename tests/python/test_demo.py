#!/usr/bin/python3
"""The program of ./dev demo: what it has is as in the whole program, what it lacks it names."""
import os
import subprocess
import unittest

TRACE = "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"


def run(program, *arguments):
    return subprocess.run([os.environ[program], *arguments], capture_output=True, text=True)


class Demo(unittest.TestCase):
    def test_sim_prints_what_the_whole_program_prints(self):
        call = ("sim", TRACE, "--input", "traces/tiny_cnn/input_0.npy")
        whole, demo = run("MACAW", *call), run("MACAW_DEMO", *call)
        self.assertEqual((demo.returncode, demo.stdout, demo.stderr), (whole.returncode, whole.stdout, whole.stderr))
        self.assertEqual(demo.returncode, 0)

    def test_compare_prints_what_the_whole_program_prints(self):
        call = ("compare", "traces/tiny_cnn/tiny_cnn.tosa", TRACE, "--input", "traces/tiny_cnn/input_0.npy")
        whole, demo = run("MACAW", *call), run("MACAW_DEMO", *call)
        self.assertEqual((demo.returncode, demo.stdout, demo.stderr), (whole.returncode, whole.stdout, whole.stderr))
        self.assertEqual(demo.returncode, 0)

    def test_format_that_it_does_not_read_is_named(self):
        done = run("MACAW_DEMO", "compare", "tests/fuzz/seeds/tflite/conv_softmax.tflite", TRACE)
        self.assertEqual(done.returncode, 3)
        self.assertIn("the program of ./dev demo compares with .tosa files of 1.x alone", done.stderr)

    def test_missing_subcommand_is_named(self):
        done = run("MACAW_DEMO", "check", "somewhere", "--jobs", "2")
        self.assertEqual(done.returncode, 3)
        self.assertIn("check: not in the program that ./dev demo builds", done.stderr)

    def test_unknown_subcommand_is_a_usage_error_in_both(self):
        for program in ("MACAW", "MACAW_DEMO"):
            self.assertEqual(run(program, "chekc").returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
