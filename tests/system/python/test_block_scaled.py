#!/usr/bin/python3
"""Block-scaled tensors in numpy, as docs/FORMATS.md says, through the program, its judge and the Python module."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

try:
    import macaw
except ImportError:
    macaw = None

SCHEMA = pathlib.Path("reference/tosa/schema/tosa_v1.fbs").resolve()
BLOCKS, VALUES = "BS32_FP8UE8M0_MXINT8", "MXINT8"


def graph(operator, attribute_type, attribute, inputs, outputs):
    """The JSON of one operator on tensors {name: (type, shape)}."""
    tensors = [{"name": name, "type": dtype, "shape": shape} for name, (dtype, shape) in (inputs | outputs).items()]
    block = {"name": "main", "tensors": tensors, "inputs": list(inputs), "outputs": list(outputs), "operators": [
        {"op": operator, "attribute_type": attribute_type, "attribute": attribute, "inputs": list(inputs), "outputs": list(outputs)}]}
    return {"version": {"_major": 1, "_minor": 1, "_patch": 0, "_draft": True},
            "regions": [{"name": "main", "blocks": [block]}]}


TO_BLOCKS = graph("CAST", "CastAttribute", {}, {"x": ("FP32", [2, 64])}, {"y": (BLOCKS, [2, 64])})
FROM_BLOCKS = graph("CAST", "CastAttribute", {}, {"x": (BLOCKS, [2, 64])}, {"y": ("FP32", [2, 64])})
TO_PAIR = graph("CAST_TO_BLOCK_SCALED", "CastToBlockScaledAttribute", {"block_size": 32}, {"x": ("FP32", [2, 64])},
                {"y": (VALUES, [2, 64]), "s": ("FP8UE8M0", [2, 2])})
X = np.random.default_rng(1).normal(size=(2, 64)).astype(np.float32)


def taken_apart(array):
    return np.split(array, [array.shape[-1] * 32 // 33], axis=-1)


def numbers(array):
    values, scales = taken_apart(array)
    return values.view(np.int8) / 64 * np.repeat(np.exp2(scales.astype(float) - 127), 32, axis=-1)


class BlockScaled(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def call(self, *arguments, program="MACAW"):
        return subprocess.run([os.environ[program], *map(str, arguments)], capture_output=True, text=True)

    def run_graph(self, made, x, compliance, bounds=False):
        """Runs a description normally and precisely; the outputs' arrays of both by name."""
        (self.folder / "graph.json").write_text(json.dumps(made))
        np.save(self.folder / "x.npy", x)
        names = made["regions"][0]["blocks"][0]["outputs"]
        (self.folder / "desc.json").write_text(json.dumps({
            "tosa_file": "graph.json", "ifm_name": ["x"], "ifm_file": ["x.npy"], "ofm_name": names,
            "ofm_file": [f"{name}.npy" for name in names], "expected_failure": False,
            "test_requirements": {"bounds_file_required": bounds},
            "meta": {"compliance": {"tensors": {"y": compliance}}}}))
        runs = []
        for prefix, flags in (("result", []), ("precise", ["--precise_mode=1"])):
            done = self.call("tosa", self.folder / "desc.json", "--operator_fbs", SCHEMA, *flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in names:
                (self.folder / f"{name}.npy").rename(self.folder / f"{prefix}-{name}.npy")
            runs.append({name: np.load(self.folder / f"{prefix}-{name}.npy") for name in names})
        return runs

    def verify(self, *arguments):
        return self.call("verify", "--test_desc", self.folder / "desc.json", "--imp_result_file", self.folder / "result-y.npy",
                         "--ref_result_file", self.folder / "precise-y.npy", "--ofm_name", "y", *arguments)

    def test_to_blocks(self):
        result, precise = self.run_graph(TO_BLOCKS, X, {"mode": "BLOCK_SCALE", "data_type": BLOCKS})
        self.assertEqual((result["y"].dtype, result["y"].shape), (np.uint8, (2, 66)))
        np.testing.assert_allclose(numbers(result["y"]), X, atol=np.abs(X).max() / 64)
        values, scales = taken_apart(precise["y"])
        np.testing.assert_array_equal(values * np.repeat(scales, 32, axis=-1), X)
        self.assertEqual(self.verify().returncode, 0)
        result["y"][1, 65] += 2
        np.save(self.folder / "result-y.npy", result["y"])
        wrong = self.verify()
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("32 of 128 elements not compliant, the first at [1, 32]", wrong.stdout)
        np.save(self.folder / "result-y.npy", result["y"][:, :34])
        self.assertEqual(self.verify().returncode, 2)

    def test_from_blocks(self):
        blocks = np.random.default_rng(2).integers(0, 256, (2, 66), np.uint8)
        result, precise = self.run_graph(FROM_BLOCKS, blocks, {"mode": "FROM_BLOCK", "data_type": "FP32"}, bounds=True)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(result["y"], numbers(blocks).astype(np.float32))
        np.testing.assert_array_equal(precise["y"], numbers(blocks))
        bounds = ["--bnd_result_file", self.folder / "bounds_y.npy"]
        self.assertEqual(self.verify(*bounds).returncode, 0)
        self.assertEqual(self.verify().returncode, 1)
        np.save(self.folder / "result-y.npy", -result["y"])
        self.assertEqual(self.verify(*bounds).returncode, 2)

    def test_pair(self):
        compliance = {"mode": "BLOCK_SCALE", "data_type": BLOCKS, "block_scale_info": {"scale_tensor": "s"}}
        result, _ = self.run_graph(TO_PAIR, X, compliance)
        scales = ["--imp_scale_file", self.folder / "result-s.npy", "--ref_scale_file", self.folder / "precise-s.npy"]
        self.assertEqual(self.verify(*scales).returncode, 0)
        missing = self.verify()
        self.assertEqual(missing.returncode, 1)
        self.assertIn("--imp_scale_file", missing.stderr)
        np.save(self.folder / "result-s.npy", result["s"] + np.uint8(2))
        self.assertEqual(self.verify(*scales).returncode, 2)

    def compile(self, made):
        (self.folder / "graph.json").write_text(json.dumps(made))
        subprocess.run(["flatc", "--binary", "-o", self.folder, SCHEMA, self.folder / "graph.json"], check=True)

    @unittest.skipUnless(shutil.which("flatc"), "no flatc")
    def test_check(self):
        compliance = {"mode": "BLOCK_SCALE", "data_type": BLOCKS, "block_scale_info": {"scale_tensor": "s"}}
        _, precise = self.run_graph(TO_PAIR, X, compliance)
        self.compile(TO_PAIR)
        description = json.loads((self.folder / "desc.json").read_text()) | {"tosa_file": "graph.tosa"}
        description["meta"]["compliance"]["tensors"]["s"] = {"mode": "ULP", "data_type": "FP8UE8M0", "ulp_info": {"ulp": 1}}
        (self.folder / "desc.json").write_text(json.dumps(description))
        outputs = [{"name": name, "expected": f"precise-{name}.npy", "compliance": "BLOCK_SCALE"} for name in ("y", "s")]
        manifest = {"tests": [{"name": ".", "expected_status": "VALID", "outputs": outputs}]}
        (self.folder / "MANIFEST.json").write_text(json.dumps(manifest))
        done = self.call("check", self.folder, program="MACAW_DEV")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        precise["y"][1, 3] += 0.5
        np.save(self.folder / "precise-y.npy", precise["y"])
        done = self.call("check", self.folder, program="MACAW_DEV")
        self.assertEqual(done.returncode, 1)
        self.assertIn("output 'y': BLOCK_SCALE: 1 of 128 elements not compliant, the first at [1, 3]", done.stdout)

    @unittest.skipUnless(macaw and shutil.which("flatc"), "no Python module or no flatc")
    def test_module(self):
        self.compile(FROM_BLOCKS)
        blocks = np.concatenate((np.full((2, 64), 32, np.uint8), np.full((2, 2), 128, np.uint8)), axis=-1)
        run = macaw.tosa.run(self.folder / "graph.tosa", [blocks], intermediates=True)
        np.testing.assert_array_equal(run.outputs[0], np.ones((2, 64), np.float32))
        self.compile(TO_BLOCKS)
        for precise, dtype in ((False, np.uint8), (True, np.float64)):
            run = macaw.tosa.run(self.folder / "graph.tosa", [X], precise=precise)
            self.assertEqual((run.outputs[0].dtype, run.outputs[0].shape), (dtype, (2, 66)))
            self.assertEqual(run.types, [BLOCKS])
        for wrong in (blocks[:, :64], blocks.astype(np.float32), blocks[0]):
            with self.assertRaises(macaw.Error):
                macaw.tosa.run(self.folder / "graph.tosa", [wrong])


if __name__ == "__main__":
    unittest.main()
