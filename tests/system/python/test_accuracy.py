#!/usr/bin/python3
"""macaw accuracy: its tables beside those that numpy computes from the dumps of macaw tflite, its limits and its files. The pairs of
MLPerf Tiny are taken from the corpus, where it is there."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "accuracy"))
from tflite_patch import Model

try:
    import macaw
except ImportError:
    macaw = None

MACAW = os.environ["MACAW"]
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"))
PAIRS = CORPUS / "outside" / "accuracy"


def run(*arguments, code=0):
    done = subprocess.run([MACAW, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def sqnr(reference, value):
    noise = ((reference - value) ** 2).sum()
    return np.inf if noise == 0 else 10 * np.log10((reference ** 2).sum() / noise)


@unittest.skipUnless(PAIRS.is_dir(), "the corpus is not there")
class Accuracy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def images(self, model, count=3):
        """Random sets of the network's input, and the floats that they stand for."""
        tensor = model.tensors[model.inputs[0]]
        codes = np.random.default_rng(5).integers(-128, 128, (count, *tensor.shape), dtype=np.int8)
        return codes, model.real(tensor, codes).astype(np.float32)

    def dumps(self, network, values, name):
        """By tensor's file name, all sets along the first axis."""
        np.save(self.folder / "in.npy", values)
        run("tflite", network, "--inputs", self.folder / "in.npy", "--dump-tensors", self.folder / name, "--force")
        return {file.stem: np.load(file) for file in (self.folder / name).glob("*.npy")}

    def measure(self, *arguments, code=0):
        file = self.folder / "accuracy.json"
        run("accuracy", *arguments, "--json", file, "--force", code=code)
        return json.loads(file.read_text())

    def check_pair(self, name):
        reference, quantised = PAIRS / f"{name}_float.tflite", PAIRS / f"{name}_int8.tflite"
        model = Model(quantised.read_bytes())
        codes, floats = self.images(model)
        np.save(self.folder / "x.npy", codes)
        ideal, found = self.dumps(reference, floats, name + "_f"), self.dumps(quantised, codes, name + "_q")
        measured = self.measure(reference, quantised, "--inputs", self.folder / "x.npy")
        self.assertEqual(len(measured["layers"]), len(model.operators))
        by_place = {l["operator"]: l for l in measured["layers"]}
        for place, op in enumerate(model.operators):
            tensor = model.tensors[op.outputs[0]]
            layer = by_place[place]
            self.assertEqual(layer["tensor"], tensor.name)
            key, other = self.key(found, tensor.name), self.key(ideal, layer["float_tensor"])
            real, wanted = model.real(tensor, found[key]), ideal[other].astype(np.float64)
            wanted = wanted.reshape(real.shape)
            accumulated = layer["accumulated"]
            self.assertAlmostEqual(accumulated["sqnr_db"], sqnr(wanted, real), delta=0.01, msg=f"{name} {place}")
            cosine = (wanted * real).sum() / np.sqrt((wanted ** 2).sum() * (real ** 2).sum())
            self.assertAlmostEqual(accumulated["cosine"], cosine, delta=1e-5)
            step = float(model.scales(tensor)[0])
            self.assertAlmostEqual(accumulated["largest_error_steps"], np.abs(wanted - real).max() / step, delta=1e-3)
            self.assertAlmostEqual(accumulated["mean_error_steps"], (real - wanted).mean() / step, delta=1e-3)
            self.assertEqual(layer["codes"]["used"], len(np.unique(found[key])))
            self.assertEqual(layer["codes"]["at_least"], (found[key] == -128).sum())
            self.assertEqual(layer["codes"]["at_greatest"], (found[key] == 127).sum())

    @staticmethod
    def key(tensors, name):
        """Names of more than 180 bytes are cut in files."""
        name = name.replace("/", "_")
        found = [k for k in tensors if k == name or (len(name) > 180 and k[:150] == name[:150])]
        assert len(found) == 1, (name, found)
        return found[0]

    def test_tables_equal_numpy(self):
        for name in ("resnet8", "ad01", "vww", "kws"):
            with self.subTest(name):
                self.check_pair(name)

    def test_alone_is_one_float_operator_on_the_quantised_operands(self):
        """ad01 is a chain of matrix products, which numpy does as well."""
        reference, quantised = Model((PAIRS / "ad01_float.tflite").read_bytes()), Model((PAIRS / "ad01_int8.tflite").read_bytes())
        codes, _ = self.images(quantised)
        np.save(self.folder / "x.npy", codes)
        found = self.dumps(PAIRS / "ad01_int8.tflite", codes, "q")
        layers = self.measure(PAIRS / "ad01_float.tflite", PAIRS / "ad01_int8.tflite", "--inputs", self.folder / "x.npy")["layers"]
        value = quantised.real(quantised.tensors[quantised.inputs[0]], codes)
        for layer, op, ideal in zip(layers, quantised.operators, reference.operators):
            weights, bias = (reference.constant(reference.tensors[i]).astype(np.float64) for i in ideal.inputs[1:])
            wanted = value @ weights.T + bias
            if layer["operator"] < len(layers) - 1:
                wanted = np.maximum(wanted, 0)
            tensor = quantised.tensors[op.outputs[0]]
            value = quantised.real(tensor, found[self.key(found, tensor.name)]).reshape(wanted.shape)
            self.assertAlmostEqual(layer["alone"]["sqnr_db"], sqnr(wanted, value), delta=0.01)

    def test_keywords(self):
        artifact = next(iter(sorted((CORPUS / "npu" / "kws_ref_model").glob("ethos-u55-128*tflite/*_vela.tflite"))), None)
        arguments = [PAIRS / "kws_float.tflite", PAIRS / "kws_int8.tflite", "--inputs", PAIRS / "kws01_x.npy", "--labels", PAIRS / "kws01_labels.npy"]
        measured = self.measure(*arguments)
        self.assertEqual(measured["classification"]["quantised"]["top1"], 901)
        self.assertEqual(measured["sets"], 1000)
        once, again = (self.measure(*arguments, "-j", j) for j in (1, 3))
        self.assertEqual(once, again)
        self.assertEqual(once, measured)
        once = self.measure(*arguments[:2], artifact, *arguments[2:])
        self.assertTrue(all(one["equal"] for layer in once["layers"] for one in layer["npu"]), once["npu"])
        self.assertTrue(all(layer["npu"][0]["cycles"] for layer in once["layers"] if layer["kind"] != "RESHAPE"))
        self.assertEqual(once["npu"][0]["sets_different"], 0)
        agreement = measured["classification"]["agreement"]
        run("accuracy", *arguments, "--min-agreement", agreement - 0.001)
        run("accuracy", *arguments, "--min-agreement", min(1, agreement + 0.001), code=1)
        run("accuracy", *arguments, "--max-drop", measured["classification"]["drop_points"] - 0.01, code=1)

    def test_a_wrong_artifact_is_named(self):
        """The network of which one weight was changed, beside what was compiled of the other."""
        network = PAIRS / "ad01_int8.tflite"
        model = Model(network.read_bytes())
        codes, _ = self.images(model)
        np.save(self.folder / "x.npy", codes)
        run("compile", network, "-a", "ethos-u55-128", "-o", self.folder / "net.npz")
        arguments = [self.folder / "net.npz", "--inputs", self.folder / "x.npy"]
        self.assertTrue(all(l["npu"][0]["equal"] is not False for l in self.measure(network, *arguments)["layers"]))
        weights = model.constant(model.tensors[model.operators[4].inputs[1]])
        weights[:] = -weights
        (self.folder / "changed.tflite").write_bytes(model.bytes)
        measured = self.measure(self.folder / "changed.tflite", *arguments, code=1)
        self.assertEqual(measured["npu"][0]["sets_different"], len(codes))
        self.assertIs(measured["layers"][9]["npu"][0]["equal"], False)

    def test_network_alone_and_files(self):
        network = PAIRS / "ad01_int8.tflite"
        model = Model(network.read_bytes())
        codes, floats = self.images(model)
        np.save(self.folder / "x.npy", codes)
        np.save(self.folder / "f.npy", floats)
        measured = self.measure(network, "--inputs", self.folder / "x.npy")
        self.assertEqual(measured, self.measure(network, "--inputs", self.folder / "f.npy"))
        self.assertTrue(all(a["evidence"] for a in measured["advice"]))
        lowest = measured["output_sqnr_db"]
        table, page = self.folder / "t.csv", self.folder / "t.html"
        arguments = ["accuracy", network, "--inputs", self.folder / "x.npy"]
        shown = run(*arguments, "--csv", table, "--html", page, "--min-sqnr", lowest - 0.1).stdout
        self.assertTrue(all(len(line) <= 80 for line in shown.splitlines()[3:]), shown)
        self.assertEqual([float(r["sqnr_db"]) for r in csv.DictReader(table.open())],
                         [float(f"{l['accumulated']['sqnr_db']:.6g}") for l in measured["layers"]])
        self.assertIn("Accuracy", page.read_text())
        run(*arguments, "--min-sqnr", lowest + 0.1, code=1)
        run(*arguments, "--csv", table, code=2)
        run(*arguments, "--max-drop", 1, code=2)

    @unittest.skipIf(macaw is None, "built without the Python module")
    def test_python(self):
        names = [PAIRS / "ad01_float.tflite", PAIRS / "ad01_int8.tflite"]
        model = Model(names[1].read_bytes())
        codes, floats = self.images(model)
        np.save(self.folder / "x.npy", codes)
        measured = self.measure(*names, "--inputs", self.folder / "x.npy")
        result = macaw.accuracy(*names, inputs=codes)
        self.assertEqual([l["accumulated"] for l in result.report["layers"]], [l["accumulated"] for l in measured["layers"]])
        self.assertEqual([r["alone_sqnr_db"] for r in result.records], [l["alone"]["sqnr_db"] for l in measured["layers"]])
        self.assertIn("Layers that lose most", str(result))
        tensors = macaw.tflite.load(names[1]).tensors
        self.assertEqual([t.name for t in tensors], [t.name for t in model.tensors])
        for tensor, stored in zip(tensors, model.tensors):
            np.testing.assert_array_equal(tensor.scale, model.scales(stored))
            np.testing.assert_array_equal(tensor.zero_point, model.zero_points(stored))
        self.assertEqual(tensors[model.inputs[0]].dtype, "INT8")
        with self.assertRaisesRegex(macaw.Error, "sets"):
            macaw.accuracy(*names, inputs=codes[:0])
        with self.assertRaisesRegex(macaw.Error, "labels"):
            macaw.accuracy(*names, inputs=codes, labels=[1])

    @unittest.skipIf(macaw is None, "built without the Python module")
    def test_python_takes_graphs(self):
        graphs = [self.folder / "float.tosa", self.folder / "int8.tosa"]
        for graph, form in zip(graphs, ("float", "int8")):
            run("import", PAIRS / f"ad01_{form}.tflite", "-o", graph)
        model = Model((PAIRS / "ad01_int8.tflite").read_bytes())
        tensor = model.tensors[model.inputs[0]]
        scale = (float(model.scales(tensor)[0]), int(model.zero_points(tensor)[0]))
        codes, floats = self.images(model)
        np.save(self.folder / "x.npy", codes)
        measured = self.measure(*graphs, "--inputs", self.folder / "x.npy", "--input-scale", f"{scale[0]!r},{scale[1]}")
        for inputs in (codes, floats):
            result = macaw.accuracy(*graphs, inputs=inputs, input_scales=[scale])
            self.assertEqual(result.report["layers"], measured["layers"])
        self.assertEqual(result.report["scales"], "fitted")
        for scales, text in (([], "input"), ([(0, 1)], "scale above 0"), ([(1, 70000)], "zero point")):
            with self.assertRaisesRegex(macaw.Error, text):
                macaw.accuracy(*graphs, inputs=codes, input_scales=scales)
        with self.assertRaisesRegex(macaw.Error, "states its scales"):
            macaw.accuracy(PAIRS / "ad01_float.tflite", PAIRS / "ad01_int8.tflite", inputs=codes, input_scales=[scale])

    def test_errors(self):
        np.save(self.folder / "x.npy", np.zeros((2, 1, 640), np.int8))
        inputs = ["--inputs", self.folder / "x.npy"]
        self.assertIn("no quantised tensors", run("accuracy", PAIRS / "ad01_float.tflite", *inputs, code=2).stderr)
        self.assertIn("in common", run("accuracy", PAIRS / "kws_float.tflite", PAIRS / "ad01_int8.tflite", *inputs, code=3).stderr)
        self.assertIn("input", run("accuracy", PAIRS / "kws_int8.tflite", *inputs, code=3).stderr)


if __name__ == "__main__":
    unittest.main()
