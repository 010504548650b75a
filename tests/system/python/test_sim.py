#!/usr/bin/python3
"""`macaw sim`: exit codes, and what is left behind."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

TRACE = pathlib.Path("traces/tiny_cnn")
ARTIFACT = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
GRAPH = TRACE / "tiny_cnn.tosa"


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


class Sets(unittest.TestCase):
    """Many sets of inputs in one process."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        one = numpy.load(TRACE / "input_0.npy")
        self.sets = numpy.random.default_rng(1).integers(-128, 128, (7, *one.shape[1:]), dtype=numpy.int8)
        numpy.save(self.folder / "sets.npy", self.sets)

    def command(self, mode):
        return ["sim", ARTIFACT, "--mode", mode]

    def sim(self, *more, mode="functional"):
        done = subprocess.run([os.environ["MACAW"], *self.command(mode), *map(str, more)], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def single_runs(self):
        outputs = []
        for i, inputs in enumerate(self.sets):
            numpy.save(self.folder / "one.npy", inputs)
            code, text = self.sim("--input", self.folder / "one.npy", "--output-dir", self.folder / str(i))
            self.assertEqual(code, 0, text)
            (file,) = (self.folder / str(i)).glob("*.npy")
            outputs.append(numpy.load(file))
        return numpy.concatenate(outputs)

    def test_outputs_are_those_of_single_runs(self):
        expected = self.single_runs()
        parts = self.folder / "parts"
        parts.mkdir()
        for i, inputs in enumerate(self.sets):
            numpy.save(parts / f"{i}.npy", inputs)
        numpy.savez(self.folder / "sets.npz", any_name=self.sets)
        for number, source in enumerate((self.folder / "sets.npy", self.folder / "sets.npz", parts)):
            for threads in (1, 3):
                out = self.folder / f"out{number}{threads}"
                code, text = self.sim("--inputs", source, "--threads", threads, "--output-dir", out)
                self.assertEqual(code, 0, text)
                self.assertIn("7 runs in", text)
                self.assertEqual([file.name for file in out.iterdir()], ["output_0.npy"])
                self.assertTrue((numpy.load(out / "output_0.npy") == expected).all())
                self.assertEqual(self.sim("--inputs", source, "--output-dir", out)[0], 2)

    def test_labels(self):
        scores = self.single_runs().reshape(7, -1).astype(int)
        order = numpy.argsort(-scores, axis=1, kind="stable")
        numpy.save(self.folder / "labels.npy", order[range(7), [0, 0, 0, 1, 4, 5, 6]])
        code, text = self.sim("--inputs", self.folder / "sets.npy", "--labels", self.folder / "labels.npy")
        self.assertEqual(code, 0, text)
        self.assertIn("top-1 42.86 % (3), top-5 71.43 % (5)", text)
        numpy.save(self.folder / "labels.npy", [0, 1, 2])
        code, text = self.sim("--inputs", self.folder / "sets.npy", "--labels", self.folder / "labels.npy")
        self.assertEqual(code, 3, text)
        self.assertIn("3 labels for 7 sets of inputs", text)

    def test_tensors_of_all_sets_are_those_of_single_runs(self):
        code, text = self.sim("--inputs", self.folder / "sets.npy", "--threads", 2, "--dump-tensors", self.folder / "all")
        self.assertEqual(code, 0, text)
        names = sorted(file.name for file in (self.folder / "all").iterdir())
        for i in (0, 6):
            numpy.save(self.folder / "one.npy", self.sets[i])
            code, text = self.sim("--input", self.folder / "one.npy", "--dump-tensors", self.folder / str(i))
            self.assertEqual(code, 0, text)
            self.assertEqual(sorted(file.name for file in (self.folder / str(i)).iterdir()), names)
            for name in names:
                every, one = numpy.load(self.folder / "all" / name), numpy.load(self.folder / str(i) / name)
                self.assertEqual(every.shape[0], 7)
                numpy.testing.assert_array_equal(every[i].reshape(-1), one.reshape(-1))
        self.assertEqual(self.sim("--inputs", self.folder / "sets.npy", "--dump-tensors", self.folder / "all")[0], 2)

    def test_a_wrong_set_leaves_nothing(self):
        parts = self.folder / "parts"
        parts.mkdir()
        for i, inputs in enumerate(self.sets):
            numpy.save(parts / f"{i}.npy", inputs if i != 4 else inputs[:3])
        code, text = self.sim("--inputs", parts, "--threads", 2, "--output-dir", self.folder / "out")
        self.assertEqual(code, 3, text)
        self.assertIn("set 4: ", text)
        self.assertEqual(list((self.folder / "out").iterdir()), [])

    def test_what_does_not_go_together(self):
        sets = ("--inputs", self.folder / "sets.npy")
        for more in (("--input", TRACE / "input_0.npy"), ("--steps", 2), ("--random-inputs", 1)):
            self.assertEqual(self.sim(*sets, *more)[0], 2)
        self.assertEqual(self.sim(*sets, mode="timed")[0], 2)
        self.assertEqual(self.sim("--input", TRACE / "input_0.npy", "--labels", self.folder / "sets.npy")[0], 2)


class GraphSets(Sets):
    """The same through the interpreter of TOSA graphs, which writes tensors of a single run alone."""

    test_tensors_of_all_sets_are_those_of_single_runs = None

    def command(self, mode):
        return ["tosa", GRAPH]

    def test_what_does_not_go_together(self):
        sets = ("--inputs", self.folder / "sets.npy")
        for more in (("--input", TRACE / "input_0.npy"), ("--write-variables", "--output-dir", self.folder / "out"),
                     ("--variable", "v=v.npy"), ("--dump_intermediates", 1)):
            self.assertEqual(self.sim(*sets, *more)[0], 2)
        self.assertEqual(self.sim("--input", TRACE / "input_0.npy", "--labels", self.folder / "sets.npy")[0], 2)

    def test_a_verdict_ends_the_run(self):
        code, text = self.sim("--inputs", self.folder / "sets.npy", "--profile", "PRO-FP", "--output-dir", self.folder / "out")
        self.assertEqual(code, 3, text)
        self.assertIn("needs PRO-INT", text)
        self.assertFalse((self.folder / "out").exists())


class Inputs(unittest.TestCase):
    def sim(self, old, new, *more):
        return self.run_with(["sim", ARTIFACT, "--mode", "functional", *more], old, new)

    def run_with(self, call, old, new):
        """A run with the input's header changed."""
        data = (TRACE / "input_0.npy").read_bytes()
        self.assertIn(old, data[:128])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.npy"
            file.write_bytes(data.replace(old, new, 1))
            done = subprocess.run([os.environ["MACAW"], *call, "--input", file], capture_output=True, text=True)
        return done.returncode, done.stderr

    def test_another_arrangement_is_an_error_unless_meant(self):
        code, text = self.sim(b"(1, 32, 32, 3)", b"(1, 3, 32, 32)")
        self.assertEqual(code, 3, text)
        self.assertIn("has shape [1, 3, 32, 32], expected [1, 32, 32, 3]", text)
        self.assertEqual(self.sim(b"(1, 32, 32, 3)", b"(1, 3, 32, 32)", "--reshape")[0], 0)
        shape = b"(1, 32, 32, 3), }"
        for flat in (b"(3072,), }", b"(32, 32, 3), }", b"(32, 96), }"):
            code, text = self.sim(shape, flat.ljust(len(shape)))
            self.assertEqual(code, 0, text)

    def test_tosa_and_compare_have_the_same_rule(self):
        for call in (["tosa", GRAPH], ["compare", GRAPH, ARTIFACT]):
            shape = b"(1, 32, 32, 3)"
            code, text = self.run_with(call, shape, b"(1, 3, 32, 32)")
            self.assertEqual(code, 3, text)
            self.assertIn("has shape [1, 3, 32, 32], expected [1, 32, 32, 3]", text)
            self.assertEqual(self.run_with([*call, "--reshape"], shape, b"(1, 3, 32, 32)")[0], 0)
            self.assertEqual(self.run_with(call, shape + b", }", b"(3072,), }".ljust(17))[0], 0)
            code, text = self.run_with(call, b"|i1", b"|u1")
            self.assertEqual(code, 3, text)
            self.assertIn("is UINT8, expected INT8", text)
            self.assertEqual(self.run_with([*call, "--reinterpret"], b"|i1", b"|u1")[0], 0)

    def test_a_file_without_types_says_what_it_took(self):
        code, text = self.sim(b"|i1", b"|u1")
        self.assertEqual(code, 0, text)
        self.assertIn("the file states no type", text)
        self.assertEqual(self.sim(b"|i1", b"|i1"), (0, ""))

    def test_the_limit_of_work_ends_a_run(self):
        code, text = self.sim(b"|i1", b"|i1", "--max-work", "1000")
        self.assertEqual(code, 3, text)
        self.assertIn("more work than the limit of 1000", text)

    @unittest.skipIf(os.environ.get("MACAW_SANITIZE"), "sanitizers take memory of their own")
    def test_the_limit_of_memory_ends_a_run(self):
        code, text = self.sim(b"|i1", b"|i1", "--max-memory", "500K")
        self.assertEqual(code, 3, text)
        self.assertIn("memory", text)


if __name__ == "__main__":
    unittest.main()
