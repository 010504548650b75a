#!/usr/bin/python3
"""Sequences: the same steps on the interpreter and on the simulator, with state, feedback, scores and an early end."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

# sum: the state plus the input, as a variable or by feedback; twice: the sum doubled.
VARIABLE = """
"tosa.variable"() <{name = "sum", type = tensor<1x4xi8>, initial_value = dense<3> : tensor<1x4xi8>}> : () -> ()
func.func @main(%x: tensor<1x4xi8>) -> (tensor<1x4xi8>) {
  %old = "tosa.variable_read"() <{name = "sum"}> : () -> tensor<1x4xi8>
  %a = "tosa.cast"(%x) : (tensor<1x4xi8>) -> tensor<1x4xi32>
  %b = "tosa.cast"(%old) : (tensor<1x4xi8>) -> tensor<1x4xi32>
  %wide = "tosa.add"(%a, %b) : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  %new = "tosa.cast"(%wide) : (tensor<1x4xi32>) -> tensor<1x4xi8>
  "tosa.variable_write"(%new) <{name = "sum"}> : (tensor<1x4xi8>) -> ()
  return %new : tensor<1x4xi8>
}
"""
FEEDBACK = """
func.func @main(%x: tensor<1x4xi32>, %old: tensor<1x4xi32>) -> (tensor<1x4xi32>, tensor<1x4xi32>) {
  %new = "tosa.add"(%x, %old) : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  %twice = "tosa.add"(%new, %new) : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  return %new, %twice : tensor<1x4xi32>, tensor<1x4xi32>
}
"""
# Rows of a table by an index, so that cycles may depend on values.
GATHER = """
func.func @main(%i: tensor<1x1xi32>) -> tensor<1x1x16xi8> {
  %rows = "tosa.const"() <{values = dense<"0xROWS"> : tensor<1x8x16xi8>}> : () -> tensor<1x8x16xi8>
  %row = "tosa.gather"(%rows, %i) : (tensor<1x8x16xi8>, tensor<1x1xi32>) -> tensor<1x1x16xi8>
  return %row : tensor<1x1x16xi8>
}
""".replace("0xROWS", "0x" + "".join(f"{(7 * k * k + 3 * k) % 256:02X}" for k in range(128)))


class Sequences(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.steps = numpy.arange(20, dtype=numpy.int32).reshape(5, 1, 4) - 7
        numpy.save(self.folder / "steps.npy", self.steps)

    def macaw(self, *words, code=0):
        done = subprocess.run([os.environ["MACAW"], *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def graph(self, name, text, accelerator=None):
        (self.folder / f"{name}.mlir").write_text(text)
        if accelerator:
            self.macaw("compile", f"{name}.mlir", "-a", accelerator, "-o", f"{name}.npz")

    def output(self, folder, number=0):
        return numpy.load(self.folder / folder / f"output_{number}.npy")

    def test_a_variable_keeps_its_contents(self):
        self.graph("net", VARIABLE)
        numpy.save(self.folder / "small.npy", self.steps.astype(numpy.int8))
        self.macaw("tosa", "net.mlir", "--sequence", "small.npy", "--output-dir", "out")
        numpy.testing.assert_array_equal(self.output("out"), 3 + numpy.cumsum(self.steps, axis=0, dtype=numpy.int8).reshape(5, 4))
        numpy.save(self.folder / "start.npy", numpy.full((1, 4), 33, numpy.int8))
        self.macaw("tosa", "net.mlir", "--variable", "sum=start.npy", "--sequence", "small.npy", "--output-dir", "from")
        numpy.testing.assert_array_equal(self.output("from"), self.output("out") + 30)

    def test_feedback_is_the_same_on_both_engines_and_in_both_modes(self):
        self.graph("net", FEEDBACK, "ethos-u85-256")
        expected = numpy.cumsum(self.steps, axis=0, dtype=numpy.int32).reshape(5, 4)
        self.macaw("tosa", "net.mlir", "--sequence", "steps.npy", "--feedback", "new=old", "--output-dir", "tosa")
        for mode in ("functional", "timed"):
            self.macaw("sim", "net.npz", "--mode", mode, "--sequence", "steps.npy", "--feedback", "0=1", "--output-dir", mode)
            numpy.testing.assert_array_equal(self.output(mode), expected)
            numpy.testing.assert_array_equal(self.output(mode, 1), 2 * expected)
        numpy.testing.assert_array_equal(self.output("tosa"), expected)
        sequence = json.loads((self.folder / "timed" / "report.json").read_text())["sequence"]
        cycles = sequence["cycles"]
        self.assertEqual(sequence["steps"], 5)
        self.assertEqual(len(cycles["steps"]), 5)
        self.assertEqual({cycles["min"], cycles["median"], cycles["max"], *cycles["steps"]}, {cycles["min"]})
        single = json.loads(self.macaw("sim", "net.npz", "--random-inputs", 1, "--json"))
        self.assertEqual(single["cycles"], cycles["min"])

    def test_the_number_of_steps_stands_for_sets(self):
        self.graph("net", FEEDBACK, "ethos-u85-256")
        numpy.save(self.folder / "one.npy", numpy.ones((1, 4), numpy.int32))
        numpy.save(self.folder / "first.npy", numpy.full((1, 4), 40, numpy.int32))
        joined = ("--feedback", "0=1", "--initial", "1=first.npy", "--stop", "0=42")
        text = self.macaw("sim", "net.npz", "--mode", "functional", "--sequence", 100, "--input", "one.npy", *joined, "--output-dir", "out")
        self.assertIn("sequence of 2 steps", text)
        numpy.testing.assert_array_equal(self.output("out"), [[41] * 4, [42] * 4])
        self.macaw("tosa", "net.mlir", "--sequence", 100, "--input", "one.npy", *joined, "--output-dir", "tosa")
        numpy.testing.assert_array_equal(self.output("tosa"), self.output("out"))
        self.macaw("tosa", "net.mlir", "--sequence", 100, "--input", "0=one.npy", *joined, "--output-dir", "number")
        numpy.testing.assert_array_equal(self.output("number"), self.output("out"))

    def test_steps_with_indices_are_timed_one_by_one(self):
        self.graph("net", GATHER, "ethos-u85-256")
        self.macaw("sim", "net.npz", "--sequence", 8, "--count", "0=0", "--output-dir", "out", "--html", "page.html")
        rows = numpy.array([(7 * k * k + 3 * k) % 256 for k in range(128)], numpy.uint8).astype(numpy.int8)
        numpy.testing.assert_array_equal(self.output("out").reshape(8, 16), rows.reshape(8, 16))
        self.assertIn('"sequence":{', (self.folder / "page.html").read_text())
        alone = []
        for index in range(8):
            numpy.save(self.folder / "index.npy", numpy.array([[index]], numpy.int32))
            alone.append(json.loads(self.macaw("sim", "net.npz", "--input", "index.npy", "--json"))["cycles"])
        report = json.loads((self.folder / "out" / "report.json").read_text())
        self.assertEqual(report["sequence"]["cycles"]["steps"], alone)
        self.assertEqual(report["outputs"][0]["shape"][0], 8)
        text = self.macaw("sim", "net.npz", "--sequence", 9, "--count", "0=0", code=5)
        self.assertIn("step 8", text)

    def test_score_is_that_of_the_real_values(self):
        self.graph("net", GATHER, "ethos-u85-256")
        targets = numpy.array([3, 9, 0, -1, 15, 7, 2, 11], numpy.int64)
        numpy.save(self.folder / "targets.npy", targets)
        call = ("--sequence", 8, "--count", "0=0", "--score", "0=targets.npy", "--scale", "0=0.05:4", "--json")
        rows = numpy.array([(7 * k * k + 3 * k) % 256 for k in range(128)], numpy.uint8).astype(numpy.int8).reshape(8, 16)
        real = (rows.astype(numpy.float64) - 4) * 0.05
        losses = [math.log(numpy.exp(row).sum()) - row[target] for row, target in zip(real, targets) if target >= 0]
        top1 = sum(int(row.argmax() == target) for row, target in zip(real, targets))
        for score in (json.loads(self.macaw("tosa", "net.mlir", *call))["score"],
                      json.loads(self.macaw("sim", "net.npz", *call))["sequence"]["score"]):
            self.assertEqual((score["classes"], score["top1"]), (7, top1))
            self.assertAlmostEqual(score["negative_log_likelihood"], sum(losses) / 7, places=5)
            self.assertAlmostEqual(score["perplexity"], math.exp(sum(losses) / 7), places=3)
        text = self.macaw("tosa", "net.mlir", *call[:6], code=2)
        self.assertIn("--scale", text)

    def test_wrong_calls(self):
        self.graph("net", FEEDBACK, "ethos-u85-256")
        self.graph("rows", GATHER)
        numpy.savez(self.folder / "both.npz", x=self.steps, old=self.steps)
        run = ("tosa", "net.mlir", "--sequence", "steps.npy")
        for words, code, expected in (
                ((*run, "--feedback", "new=nothing"), 3, "no input is called 'nothing'"),
                ((*run, "--feedback", "new"), 2, "expected OUT=IN"),
                ((*run, "--feedback", "new=old", "--feedback", "twice=old"), 2, "fed by more than one"),
                ((*run, "--feedback", "new=old", "--stop", "new=x"), 2, "expected OUT=VALUE"),
                ((*run, "--feedback", "new=old", "--initial", "x=steps.npy"), 2, "no --feedback leads to this input"),
                ((*run,), 3, "no array for input"),
                (("tosa", "net.mlir", "--feedback", "new=old"), 2, "require --sequence"),
                (("tosa", "rows.mlir", "--sequence", 0, "--count", "i=0"), 2, "0 steps, expected 1"),
                (("tosa", "rows.mlir", "--sequence", "1.5", "--count", "i=0"), 2, "a number of steps from 1 to 10000000"),
                (("tosa", "rows.mlir", "--sequence=-1", "--count", "i=0"), 2, "a number of steps from 1 to 10000000"),
                (("tosa", "net.mlir", "--sequence", "both.npz", "--feedback", "new=old"), 3, "input 'old' has another source as well"),
                (("tosa", "rows.mlir", "--sequence", 2), 2, "nothing feeds 'i'"),
                (("tosa", "rows.mlir", "--sequence", "steps.npy", "--count", "i=0"), 2, "give the number of steps"),
                (("sim", "net.npz", "--mode", "timing", "--sequence", 3, "--feedback", "0=1"), 2, "time alone"),
                (("sim", "net.npz", "--sequence", 3, "--steps", 2), 2, "--steps")):
            self.assertIn(expected, self.macaw(*words, "--output-dir", "out", code=code), words)
            self.assertFalse((self.folder / "out").exists(), words)

    def test_a_scale_on_one_side_alone_is_refused(self):
        (self.folder / "net.mlir").write_text(FEEDBACK)
        call = ("tosa", "net.mlir", "--sequence", "steps.npy", "--feedback", "new=old", "--output-dir", "out")
        for side, message in (("new", "the input no scale"), ("old", "the output has no scale")):
            text = self.macaw(*call, "--scale", f"{side}=0.5", code=3)
            self.assertIn(message, text)
            self.assertIn("--scale", text)
        self.macaw(*call, "--scale", "new=0.5", "--scale", "old=0.5")

    def test_differing_types_need_requantize(self):
        text = """
func.func @main(%x: tensor<1x4xi8>) -> (tensor<1x4xi16>) {
  %new = "tosa.cast"(%x) : (tensor<1x4xi8>) -> tensor<1x4xi16>
  return %new : tensor<1x4xi16>
}
"""
        self.graph("net", text)
        numpy.save(self.folder / "first.npy", numpy.array([[100, -100, 3, 50]], numpy.int8))
        call = ("tosa", "net.mlir", "--sequence", 3, "--feedback", "new=x", "--initial", "x=first.npy", "--output-dir", "out")
        self.assertIn("--requantize", self.macaw(*call, code=3))
        self.macaw(*call, "--requantize", "--scale", "new=0.5", "--scale", "x=1")
        numpy.testing.assert_array_equal(self.output("out"), [[100, -100, 3, 50], [50, -50, 2, 25], [25, -25, 1, 13]])


if __name__ == "__main__":
    unittest.main()
