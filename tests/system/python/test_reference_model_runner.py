#!/usr/bin/python3
"""The program called as Arm's runner calls the reference model and its verifier: the argument lists and the judgement of exit
codes are those of verif/runner/tosa_refmodel_sut_run.py, tosa_refmodel_compliance_sut_run.py and tosa_test_runner.py."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAMS = pathlib.Path(os.environ["MACAW"]).parent
REFERENCE_MODEL, VERIFY = PROGRAMS / "tosa_reference_model", PROGRAMS / "tosa_verify"
TRACE = pathlib.Path("traces/tiny_cnn").resolve()
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")) / "tosa"
SCHEMA = pathlib.Path("reference/tosa/schema/tosa_v1.fbs").resolve()
VALID, UNPREDICTABLE, ERROR, NO_VERDICT = 0, 1, 2, 3


def call(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def run_graph(description, *more, level="EIGHTK"):
    """TosaSUTRunner.runTestGraph"""
    return call(REFERENCE_MODEL, "--tosa_level", level, "--operator_fbs", SCHEMA, "--test_desc", description, *more)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copy_case(self, name):
        case = self.folder / name
        shutil.copytree(CORPUS / name, case)
        return case, json.loads((case / "desc.json").read_text())


class Bundled(Folder):
    def setUp(self):
        super().setUp()
        shutil.copy(TRACE / "tiny_cnn.tosa", self.folder)
        shutil.copy(TRACE / "input_0.npy", self.folder / "image.npy")
        self.description = {"tosa_file": "tiny_cnn.tosa", "ifm_name": ["image"], "ifm_file": ["image.npy"],
                            "ofm_name": ["logits"], "ofm_file": ["result.npy"], "variable_name": [], "variable_file": [],
                            "expected_failure": False}
        self.write()

    def write(self, **change):
        (self.folder / "desc.json").write_text(json.dumps(self.description | change))

    def result(self):
        return (self.folder / "result.npy").read_bytes()

    def test_runner(self):
        expected = np.load(TRACE / "ethos-u55-128" / "output_0.npy")
        for more in ([], ["-d", "ALL", "-l", "HIGH"], ["--dump_intermediates", "1"], ["--precise_mode=1"]):
            done = run_graph(self.folder / "desc.json", *more)
            self.assertEqual(done.returncode, VALID, done.stderr)
            np.testing.assert_array_equal(np.load(self.folder / "result.npy").ravel(), expected.ravel())
            (self.folder / "result.npy").unlink()

    def test_flags_override_the_description(self):
        self.write(ofm_file=["other.npy"], ifm_file=["missing.npy"])
        output = self.folder / "out"
        done = run_graph(self.folder / "desc.json", "--ifm_file", "image.npy", "--ofm_file", "named.npy", "--output_dir", output,
                         "--flatbuffer_dir", self.folder)
        self.assertEqual(done.returncode, VALID, done.stderr)
        self.assertTrue((output / "named.npy").is_file())

    def test_all_by_flags(self):
        done = call(REFERENCE_MODEL, "--tosa_file", "tiny_cnn.tosa", "--flatbuffer_dir", self.folder, "--output_dir", self.folder,
                    "--ifm_name", "image", "--ifm_file", "image.npy", "--ofm_name", "logits", "--ofm_file", "result.npy",
                    "--variable_name", "", "--variable_file", "", "--eval", "1", "--fp_format", "0.5", "--validate_only", "0",
                    "--output_tensors", "1", "--terminate_early", "--initialize_variable_tensor_from_numpy", "0",
                    "-o", self.folder / "log.txt")
        self.assertEqual(done.returncode, VALID, done.stderr)
        self.assertTrue(self.result())

    def test_nothing_written_without_evaluation(self):
        for flags in (["--eval", "0"], ["--validate_only", "1"], ["--output_tensors", "0"]):
            done = run_graph(self.folder / "desc.json", *flags)
            self.assertEqual(done.returncode, VALID, done.stderr)
            self.assertFalse((self.folder / "result.npy").exists())

    def test_what_is_no_verdict(self):
        """The runner reads 1 and 2 as verdicts (TosaRefReturnCode); Arm's model aborts."""
        self.write(ifm_file=["missing.npy"])
        self.assertEqual(run_graph(self.folder / "desc.json").returncode, NO_VERDICT)
        self.assertEqual(call(REFERENCE_MODEL, "--no_such_flag").returncode, NO_VERDICT)
        self.assertEqual(run_graph(self.folder / "nothing.json").returncode, NO_VERDICT)

    def test_desc_json_is_the_default(self):
        done = subprocess.run([REFERENCE_MODEL], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, VALID, done.stderr)
        self.assertTrue(self.result())
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([REFERENCE_MODEL], cwd=empty, capture_output=True, text=True)
        self.assertEqual(done.returncode, NO_VERDICT)
        self.assertIn("desc.json", done.stderr)

    def test_wrong_descriptions_say_what_is_wrong(self):
        del self.description["ofm_name"]
        self.write()
        for name, text in (("desc.json", '"ofm_name" is missing'), ("broken.json", "line 3, column 2")):
            (self.folder / "broken.json").write_text('{"tosa_file": "a.tosa",\n "ifm_name": [],\n ]')
            done = run_graph(self.folder / name)
            self.assertEqual(done.returncode, NO_VERDICT)
            self.assertIn(name, done.stderr)
            self.assertIn(text, done.stderr)

    def test_version(self):
        done = call(REFERENCE_MODEL, "--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^Model version \d+\.\d+\.\d+")
        self.assertRegex(call(os.environ["MACAW"], "--version").stdout, r"^macaw \d+\.\d+\.\d+")

    @unittest.skipUnless(shutil.which("flatc"), "no flatc")
    def test_graph_in_json(self):
        subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary", "-o", self.folder, SCHEMA, "--",
                        self.folder / "tiny_cnn.tosa"], check=True)
        run_graph(self.folder / "desc.json")
        expected = self.result()
        (self.folder / "result.npy").unlink()
        self.write(tosa_file="tiny_cnn.json")
        done = run_graph(self.folder / "desc.json")
        self.assertEqual(done.returncode, VALID, done.stderr)
        self.assertEqual(self.result(), expected)
        (self.folder / "tiny_cnn.json").write_text('{"regions": 3}')
        done = run_graph(self.folder / "desc.json")
        self.assertEqual(done.returncode, NO_VERDICT)
        self.assertIn("tiny_cnn.json", done.stderr)


@unittest.skipUnless(shutil.which("flatc"), "no flatc")
class Variables(Folder):
    """A graph that gives what its variable holds, and leaves that XOR its input in it."""

    def setUp(self):
        super().setUp()

        def tensor(name, **more):
            return {"name": name, "shape": [2], "type": "INT8"} | more

        def operator(op, attribute, inputs, outputs):
            return {"op": op, "attribute_type": attribute, "attribute": {}, "inputs": inputs, "outputs": outputs}

        state = tensor("state_tensor", variable=True, variable_name="state", data=[1, 2])
        graph = {"version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": False},
                 "regions": [{"name": "main", "blocks": [{
                     "name": "main", "inputs": ["x"], "outputs": ["y"],
                     "tensors": [tensor("x"), tensor("y"), tensor("z"), state],
                     "operators": [operator("VARIABLE", "VariableAttribute", [], ["state_tensor"]),
                                   operator("VARIABLE_READ", "VariableReadAttribute", ["state_tensor"], ["y"]),
                                   operator("BITWISE_XOR", "BitwiseXorAttribute", ["x", "y"], ["z"]),
                                   operator("VARIABLE_WRITE", "VariableWriteAttribute", ["z"], ["state_tensor"])]}]}]}
        (self.folder / "graph.json").write_text(json.dumps(graph))
        subprocess.run(["flatc", "--binary", "-o", self.folder, SCHEMA, self.folder / "graph.json"], check=True)
        np.save(self.folder / "x.npy", np.array([4, 4], np.int8))
        np.save(self.folder / "v.npy", np.array([7, 7], np.int8))
        description = {"tosa_file": "graph.tosa", "ifm_name": ["x"], "ifm_file": ["x.npy"], "ofm_name": ["y"],
                       "ofm_file": ["y.npy"], "variable_name": ["state_tensor"], "variable_file": ["v.npy"],
                       "expected_failure": False}
        (self.folder / "desc.json").write_text(json.dumps(description))

    def load(self, name):
        return np.load(self.folder / name).tolist()

    def test_files_of_a_description(self):
        """writeVariableTensors and readVariableTensors of the model's main.cpp."""
        for reads, y, v in ((0, [1, 2], [5, 6]), (1, [5, 6], [1, 2]), (1, [1, 2], [5, 6])):
            done = run_graph(self.folder / "desc.json", "--initialize_variable_tensor_from_numpy", reads)
            self.assertEqual(done.returncode, VALID, done.stderr)
            self.assertEqual((self.load("y.npy"), self.load("v.npy")), (y, v))
        out = self.folder / "out"
        done = run_graph(self.folder / "desc.json", "--output_dir", out, "--variable_file", "w.npy")
        self.assertEqual(done.returncode, VALID, done.stderr)
        self.assertEqual((self.load("out/w.npy"), self.load("v.npy")), ([5, 6], [5, 6]))
        run_graph(self.folder / "desc.json", "--output_tensors", "0", "--output_dir", self.folder / "none")
        self.assertFalse((self.folder / "none").exists())

    def test_wrong_descriptions(self):
        for more, text in ((("--variable_name", "no_such"), "no_such"), (("--variable_file", "a.npy,b.npy"), "equal length"),
                           (("--variable_file", "no.npy", "--initialize_variable_tensor_from_numpy", 1), "no.npy")):
            done = run_graph(self.folder / "desc.json", *more)
            self.assertEqual(done.returncode, NO_VERDICT)
            self.assertIn(text, done.stderr)

    def test_own_options(self):
        command = [os.environ["MACAW"], "tosa", self.folder / "graph.tosa", "--input", self.folder / "x.npy", "--output-dir",
                   self.folder / "out", "--write-variables"]
        done = call(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.load("out/y.npy"), self.load("out/variable_state.npy")), ([1, 2], [5, 6]))
        self.assertIn("variable_state.npy", done.stdout)
        self.assertEqual(call(*command).returncode, 2)
        done = call(*command, "--force", "--variable", f"state={self.folder / 'out/variable_state.npy'}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.load("out/y.npy"), self.load("out/variable_state.npy")), ([5, 6], [1, 2]))
        self.assertEqual(call(*command, "--variable", self.folder / "v.npy").returncode, 2)
        self.assertEqual(call(*command[:3], "--write-variables").returncode, 2)


@unittest.skipUnless(CORPUS.is_dir(), f"no corpus at {CORPUS}")
class Corpus(Folder):

    def verify(self, case, description, result, reference, number, bounds=None):
        """TosaTestRunner.testResult"""
        command = [VERIFY, "--test_desc", case / "desc.json", "--imp_result_file", result, "--ref_result_file", reference,
                   "--ofm_name", description["ofm_name"][number]]
        if bounds is not None:
            command += ["--bnd_result_file", bounds]
        return call(*command)

    def select(self, count, **wanted):
        tests = json.loads((CORPUS / "MANIFEST.json").read_text())["tests"]
        names = [t["name"] for t in tests if all(t.get(key) == value for key, value in wanted.items())]
        return names[:: max(1, len(names) // count)][:count]

    def test_compliance_runs(self):
        """A run as system under test, one in precise mode as its reference, and the verifier between them."""
        with_bounds = 0
        for name in self.select(20, expected_status="VALID"):
            case, description = self.copy_case(name)
            if "compliance" not in description.get("meta", {}):
                continue
            done = run_graph(case / "desc.json")
            self.assertEqual(done.returncode, VALID, f"{name}: {done.stderr}")
            results = [case / file for file in description["ofm_file"]]
            for result in results:
                result.rename(result.with_suffix(".sut.npy"))
            done = run_graph(case / "desc.json", "--precise_mode=1")
            self.assertEqual(done.returncode, VALID, f"{name}: {done.stderr}")
            needs_bounds = description.get("test_requirements", {}).get("bounds_file_required", False)
            for number, result in enumerate(results):
                bounds = result.parent / f"bounds_{result.name}"
                self.assertEqual(bounds.is_file(), needs_bounds, name)
                with_bounds += needs_bounds
                done = self.verify(case, description, result.with_suffix(".sut.npy"), result, number,
                                   bounds if needs_bounds else None)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}{done.stderr}")
        self.assertGreater(with_bounds, 0)

    def test_failures(self):
        for status, code in (("ERROR", ERROR), ("UNPREDICTABLE", UNPREDICTABLE)):
            for name in self.select(5, expected_status=status):
                case, description = self.copy_case(name)
                done = run_graph(case / "desc.json")
                self.assertEqual(done.returncode, code, f"{name}: {done.stderr}")
                self.assertFalse(any((case / file).exists() for file in description["ofm_file"]), name)


@unittest.skipUnless(shutil.which("flatc"), "no flatc")
class InferShapes(Folder):
    """infer_shapes as ExecuTorch calls it (backends/arm/test/runner_utils.py), on what its test has
    (backends/arm/test/misc/test_tosa_shape_node_visitors.py): RESHAPE to the result of every operator on shapes."""

    # operator, its arguments (extents, or [extents] for an INT32 constant), its result
    CASES = (("ADD_SHAPE", ([4], [2]), [6]), ("SUB_SHAPE", ([8], [2]), [6]), ("MUL_SHAPE", ([3], [2]), [6]),
             ("DIV_CEIL_SHAPE", ([11], [2]), [6]), ("DIV_FLOOR_SHAPE", ([13], [2]), [6]), ("MOD_SHAPE", ([20], [7]), [6]),
             ("MAX_SHAPE", ([6], [2]), [6]), ("MIN_SHAPE", ([6], [8]), [6]), ("EXP2_SHAPE", ([3],), [8]),
             ("LOG2_CEIL_SHAPE", ([9],), [4]), ("LOG2_FLOOR_SHAPE", ([15],), [3]), ("CONCAT_SHAPE", ([2], [4]), [2, 4]),
             ("SLICE_SHAPE", ([2, 6, 4], [[1]], [[1]]), [6]))

    def setUp(self):
        super().setUp()
        self.tensors, self.shapes, self.operators, self.inputs, self.outputs = [], [], [], [], []

    def operator(self, op, inputs, outputs, **attribute):
        name = op.title().replace("_", "") + "Attribute"
        self.operators.append({"op": op, "attribute_type": name, "attribute": attribute, "inputs": inputs, "outputs": outputs})

    def constant(self, name, values):
        if isinstance(values[0], list):
            data = list(np.array(values[0], "<i4").tobytes())
            self.tensors.append({"name": name, "type": "INT32", "shape": [len(values[0])], "data": data})
            self.operator("CONST", [], [name])
        else:
            data = list(np.array(values, "<i8").tobytes())
            self.shapes.append({"name": name, "rank": len(values), "data": data})
            self.operator("CONST_SHAPE", [], [name])
        return name

    def reshape(self, shape, rank):
        self.tensors += [{"name": f"data_{shape}", "type": "INT32", "shape": [-1]},
                         {"name": f"out_{shape}", "type": "INT32", "shape": [-1] * rank}]
        self.inputs.append(f"data_{shape}")
        self.outputs.append(f"out_{shape}")
        self.operator("RESHAPE", [f"data_{shape}", shape], [f"out_{shape}"])

    def infer(self, shapes):
        block = {"name": "main", "tensors": self.tensors, "shapes": self.shapes, "operators": self.operators,
                 "inputs": self.inputs, "outputs": self.outputs}
        graph = {"version": {"_major": 1, "_minor": 1, "_patch": 0, "_draft": True},
                 "regions": [{"name": "main", "blocks": [block]}]}
        (self.folder / "model.json").write_text(json.dumps(graph))
        subprocess.run(["flatc", "--binary", "-o", self.folder, SCHEMA, self.folder / "model.json"], check=True)
        (self.folder / "test_case.json").write_text(json.dumps({"tosa_file": str(self.folder / "model.tosa"), "shapes": shapes}))
        return call(PROGRAMS / "infer_shapes", self.folder / "test_case.json")

    def test_every_operator_on_shapes(self):
        shapes, expected = {"data_dim": [6], "dim_source": [6]}, {"out_dim": [6]}
        self.tensors.append({"name": "dim_source", "type": "INT32", "shape": [-1]})
        self.inputs.append("dim_source")
        self.shapes.append({"name": "dim", "rank": 1})
        self.operator("DIM", ["dim_source"], ["dim"], axis=0)
        self.reshape("dim", 1)
        for op, arguments, result in self.CASES:
            name = op.lower()
            names = [self.constant(f"{name}_{i}", values) for i, values in enumerate(arguments)]
            self.shapes.append({"name": name, "rank": len(result)})
            self.operator(op, names, [name])
            self.reshape(name, len(result))
            shapes[f"data_{name}"], expected[f"out_{name}"] = [int(np.prod(result))], result
        self.operator("ASSERT_EQUAL_SHAPE", ["add_shape", "sub_shape"], [], allow_broadcast=False)
        done = self.infer(shapes)
        self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary", "-o", self.folder, SCHEMA, "--",
                        self.folder / "resolved_model.tosa"], check=True)
        block = json.loads((self.folder / "resolved_model.json").read_text())["regions"][0]["blocks"][0]
        found = {tensor["name"]: tensor["shape"] for tensor in block["tensors"]}
        self.assertEqual({name: found[name] for name in expected}, expected)

    def test_what_is_wrong_is_said(self):
        self.reshape(self.constant("wanted", [5]), 1)
        for shapes, text in (({}, "no shape is given for input"), ({"data_wanted": [2, 2]}, "is declared [-1]"),
                             ({"data_wanted": [6]}, "RESHAPE")):
            done = self.infer(shapes)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, done.stderr)


LAB = CORPUS.parent / "lab" / "tosa"


@unittest.skipUnless(LAB.is_dir(), f"no corpus at {LAB}")
class Lab(unittest.TestCase):
    """Tests of Arm's generator with what Arm's model made of them (`*tosa_refmodel_sut_run.npy`)."""

    def test_files_are_those_of_the_model(self):
        for folder in sorted(path.parent for path in LAB.glob("*/*/desc.json")):
            description = json.loads((folder / "desc.json").read_text())
            with self.subTest(folder.name), tempfile.TemporaryDirectory() as output:
                done = run_graph(folder / "desc.json", "--output_dir", output)
                self.assertEqual(done.returncode, ERROR if description["expected_failure"] else VALID, done.stderr)
                for file in [] if description["expected_failure"] else description["ofm_file"]:
                    model = folder / file.replace(".npy", ".runner.tosa_refmodel_sut_run.npy")
                    result = (pathlib.Path(output) / file).read_bytes()
                    # The lengths of the headers' padding differ.
                    self.assertEqual(self.parts(result), self.parts(model.read_bytes()))

    @staticmethod
    def parts(npy):
        length = int.from_bytes(npy[8:10], "little")
        return npy[10:10 + length].rstrip(), npy[10 + length:]


if __name__ == "__main__":
    unittest.main()
