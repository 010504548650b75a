#!/usr/bin/python3
"""ExecuTorch programs of operators that are left to the CPU, and their bundled tests: files that flatc writes by the schema."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

SCHEMAS = pathlib.Path("sim/artifact").resolve()
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")).resolve()
FLOAT, LONG, CHAR = 6, 4, 1
TYPES = {FLOAT: "<f4", LONG: "<i8", CHAR: "|i1"}


class Program:
    """A method whose planned memory is one buffer; values are added by functions that give their number."""

    def __init__(self):
        self.values, self.operators, self.instructions, self.size = [], [], [], 0

    def value(self, kind, **content):
        self.values.append({"value_type": kind, "value": content})
        return len(self.values) - 1

    def tensor(self, scalar_type, *shape, **more):
        offset, size = self.size, int(np.prod(shape)) * np.dtype(TYPES[scalar_type]).itemsize
        self.size += (size + 15) // 16 * 16
        return self.value("Tensor", scalar_type=scalar_type, sizes=list(shape), dim_order=list(range(len(shape))),
                          allocation={"memory_id": 1, "offset_low": offset}, **more)

    def int(self, value):
        return self.value("Int", value=value)

    def ints(self, *values):
        return self.value("IntList", items=[self.int(value) for value in values])

    def call(self, name, *arguments, out, overload="out"):
        self.operators.append({"name": name, "overload": overload})
        self.instructions.append({"call_type": "KernelCall",
                                  "call": {"op": len(self.operators) - 1, "args": [*arguments, out, out]}})
        return out

    def json(self, inputs, outputs):
        return {"plans": [{"name": "forward", "values": self.values, "inputs": inputs, "outputs": outputs,
                           "chains": [{"instructions": self.instructions}], "operators": self.operators,
                           "buffer_sizes": [0, self.size]}]}


def bundled(array):
    types = {np.dtype(name): number for number, name in TYPES.items()}
    return {"content_type": "Tensor", "content": {"scalar_type": types[array.dtype], "sizes": list(array.shape),
                                                  "data": list(array.tobytes()), "dim_order": list(range(array.ndim))}}


@unittest.skipUnless(shutil.which("flatc"), "no flatc")
class ExecuTorch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def flatc(self, schema, name, content):
        source = self.folder / f"{name}.json"
        source.write_text(json.dumps(content))
        subprocess.run(["flatc", "--binary", "-o", self.folder, SCHEMAS / schema, source], check=True, capture_output=True)
        return next(path for path in self.folder.glob(f"{name}.*") if path.suffix != ".json").read_bytes()

    def bundle(self, program, *cases):
        """The file of a program with test cases (inputs, expected)."""
        suite = {"method": "forward", "cases": [{"inputs": [bundled(a) for a in inputs], "expected": [bundled(a) for a in expected]}
                                                for inputs, expected in cases]}
        made = self.flatc("bundled_program.fbs", "bundle",
                          {"version": 0, "suites": [suite], "program": list(self.flatc("executorch.fbs", "program", program))})
        file = self.folder / "net.bpte"
        file.write_bytes(made)
        return file

    def check(self, file):
        return subprocess.run([os.environ["MACAW_DEV"], "check", file], capture_output=True, text=True)

    def test_floats(self):
        p = Program()
        x, y = p.tensor(FLOAT, 2, 3), p.tensor(FLOAT, 3)
        total = p.call("aten::add", x, y, p.int(2), out=p.tensor(FLOAT, 2, 3))
        turned = p.call("aten::permute_copy", total, p.ints(1, 0), out=p.tensor(FLOAT, 3, 2))
        shares = p.call("aten::_softmax", turned, p.int(0), p.value("Bool", value=False), out=p.tensor(FLOAT, 3, 2))
        best = p.call("aten::argmax", shares, p.int(0), p.value("Bool", value=False), out=p.tensor(LONG, 2))
        a, b = np.array([[1, 2, 0], [3, -1, 4]], np.float32), np.array([0.5, 0, -1], np.float32)
        e = np.exp((a + 2 * b).T.astype(np.float64))
        expected = (e / e.sum(0)).astype(np.float32)
        right = ([a, b], [expected, expected.argmax(0)])
        done = self.check(self.bundle(p.json([x, y], [shares, best]), right))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 passed, 0 failed", done.stdout)
        done = self.check(self.bundle(p.json([x, y], [shares, best]), right, ([a, b], [expected + np.float32(1e-4), right[1][1]])))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FAIL forward 1: output 0: element 0", done.stdout)

    def test_integers(self):
        p = Program()
        x = p.tensor(CHAR, 2, 4)
        front = p.call("aten::slice_copy", x, p.int(1), p.value("Null"), p.int(3), p.int(2), out=p.tensor(CHAR, 2, 2),
                       overload="Tensor_out")
        joined = p.call("aten::cat", p.value("TensorList", items=[x, front]), p.int(1), out=p.tensor(CHAR, 2, 6))
        turned = p.call("aten::transpose_copy", joined, p.int(0), p.int(1), out=p.tensor(CHAR, 6, 2), overload="int_out")
        flat = p.call("aten::view_copy", turned, p.ints(12), out=p.tensor(CHAR, 12))
        squares = p.call("aten::mul", flat, flat, out=p.tensor(CHAR, 12))
        a = np.array([[1, -2, 3, 100], [5, 6, -7, 8]], np.int8)
        expected = np.concatenate((a, a[:, :3:2]), 1).T.reshape(12)
        file = self.bundle(p.json([x], [squares]), ([a], [expected * expected]))
        done = self.check(file)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        np.save(self.folder / "x.npy", a)
        done = subprocess.run([os.environ["MACAW"], "sim", file, "--accelerator-config", "ethos-u85-256", "--mode", "functional", "--input",
                               self.folder / "x.npy", "--output-dir", self.folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_array_equal(np.load(self.folder / "output_0.npy"), expected * expected)

    def run_steps(self, program, steps):
        """Output of the last of several runs on the same inputs."""
        file = self.folder / "net.pte"
        file.write_bytes(program)
        np.save(self.folder / "x.npy", np.array([1, 2, 3, 4], np.float32))
        done = subprocess.run([os.environ["MACAW"], "sim", file, "--accelerator-config", "ethos-u85-256", "--mode", "functional",
                               "--steps", str(steps), "--input", self.folder / "x.npy", "--output-dir", self.folder, "--force"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return np.load(self.folder / "output_0.npy").tolist()

    def test_mutable_buffers_are_kept(self):
        """c += x; y = c * c. The file does not mark the buffer: it is what is read before it is written."""
        p = Program()
        x, c, y = (p.tensor(FLOAT, 4) for _ in range(3))
        p.call("aten::add", c, x, p.int(1), out=c)
        p.call("aten::mul", c, c, out=y)
        program = self.flatc("executorch.fbs", "program", p.json([x], [y]))
        self.assertEqual(self.run_steps(program, 1), [1, 4, 9, 16])
        self.assertEqual(self.run_steps(program, 3), [9, 36, 81, 144])

    def test_a_buffer_that_only_the_output_shows(self):
        """y = c, then c' += x through another tensor of the same memory, which covers half of c."""
        p = Program()
        x, c, y = p.tensor(FLOAT, 4), p.tensor(FLOAT, 8), p.tensor(FLOAT, 8)
        half = p.value("Tensor", scalar_type=FLOAT, sizes=[4], dim_order=[0], allocation={"memory_id": 1, "offset_low": 16})
        p.call("aten::mul", c, p.value("Double", value=1.0), out=y, overload="Scalar_out")
        p.call("aten::add", half, x, p.int(1), out=half)
        program = self.flatc("executorch.fbs", "program", p.json([x], [y]))
        self.assertEqual(self.run_steps(program, 3), [2, 4, 6, 8, 0, 0, 0, 0])

    def test_initial_state(self):
        p = Program()
        x, c, y = p.tensor(FLOAT, 4), p.tensor(FLOAT, 4, data_buffer=1), p.tensor(FLOAT, 4)
        p.call("aten::add", c, x, p.int(1), out=c)
        p.call("aten::mul", c, c, out=y)
        content = {**p.json([x], [y]), "segments": [{"size": 20}], "mutable_data_segments": [{"segment": 0, "offsets": [0, 4]}]}
        state = np.array([0, 10, 20, 30, 40], np.float32).tobytes()

        def with_segments(content, state):
            """A program behind whose flatbuffer the segments begin, as its header says."""
            program = self.flatc("executorch.fbs", "program", content)
            root = int.from_bytes(program[:4], "little") + 32
            program = program[4:8] + b"eh00" + (32).to_bytes(4, "little") + (len(program) + 32).to_bytes(8, "little") \
                + (len(program) + 32).to_bytes(8, "little") + bytes(8) + program[8:]
            return root.to_bytes(4, "little") + program + state

        self.assertEqual(self.run_steps(with_segments(content, state), 1), [121, 484, 1089, 1936])
        self.assertEqual(self.run_steps(with_segments(content, state), 2), [144, 576, 1296, 2304])
        for wrong, part in (({"segments": [{"size": 16}]}, "initial state lies behind the end of its segment"),
                            ({"mutable_data_segments": [{"segment": 0, "offsets": [0]}]}, "has no initial state 1"),
                            ({"mutable_data_segments": []}, "has no initial state 1"),
                            ({"mutable_data_segments": [{"segment": 5, "offsets": [0, 4]}]}, "segment 5 does not exist")):
            file = self.folder / "wrong.pte"
            file.write_bytes(with_segments({**content, **wrong}, state))
            done = subprocess.run([os.environ["MACAW"], "sim", file, "--accelerator-config", "ethos-u85-256", "--mode", "functional",
                                   "--random-inputs", "1"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(part, done.stderr)

    def test_what_is_not_there_is_named(self):
        p = Program()
        x = p.tensor(FLOAT, 4)
        y = p.call("aten::cumsum", x, p.int(0), p.value("Null"), out=p.tensor(FLOAT, 4))
        zeros = np.zeros(4, np.float32)
        done = self.check(self.bundle(p.json([x], [y]), ([zeros], [zeros])))
        self.assertEqual(done.returncode, 1)
        self.assertIn("aten::cumsum", done.stdout)

    def test_event_dump(self):
        """As flatc reads it by our schema, and by that of a checkout of ExecuTorch where MACAW_EXECUTORCH names one."""
        program = CORPUS / "thirdparty/executorch_pte/ethos_u_minimal_example.pte"
        if not program.is_file():
            self.skipTest(f"no corpus at {CORPUS}")
        schemas = [pathlib.Path("workflow/trace/forms/etdump.fbs").resolve()]
        if "MACAW_EXECUTORCH" in os.environ:
            schemas.append(pathlib.Path(os.environ["MACAW_EXECUTORCH"]) / "devtools/etdump/etdump_schema_flatcc.fbs")
        file = self.folder / "net.etdp"
        for call in (["sim", program, "--mode", "timing", "--output-dir", self.folder],
                     ["report", self.folder / "report.json", "--etdump", file]):
            done = subprocess.run([os.environ["MACAW"], *call], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads((self.folder / "report.json").read_text())
        for schema in schemas:
            subprocess.run(["flatc", "--json", "--strict-json", "--defaults-json", "-o", self.folder, schema, "--", file], check=True)
            dump = json.loads((self.folder / "net.json").read_text())
            events = [event["profile_event"] for event in dump["run_data"][0]["events"]]
            operations = [event for event in events if "delegate_debug_id_str" in event]
            self.assertEqual([(event["start_time"], event["end_time"]) for event in operations],
                             [(o["start"], o["end"]) for o in report["operations"]])
            calls = {event["name"]: event for event in events if "name" in event}
            self.assertEqual({event["instruction_id"] for event in operations}, {calls["DELEGATE_CALL"]["instruction_id"]})
            self.assertEqual(calls["Method::execute"]["end_time"], report["cycles"])


if __name__ == "__main__":
    unittest.main()
