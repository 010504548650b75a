#!/usr/bin/python3
"""ExecuTorch programs of operators that are left to the CPU, and their bundled tests: files that flatc writes by the schema."""
import json
import os
import pathlib
import shutil
import struct
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

    def test_event_dump_with_tensors(self):
        """`sim --etdump`: each result of an operation is that of --dump-tensors, the outputs are those of --output-dir. The file is read by flatc,
        by our schema and that of a checkout of ExecuTorch where MACAW_EXECUTORCH names one, and by a reader of flatbuffers of its own."""
        program = CORPUS / "thirdparty/executorch_pte/ethos_u_minimal_example.pte"
        if not program.is_file():
            self.skipTest(f"no corpus at {CORPUS}")
        file = self.folder / "net.etdp"
        call = [os.environ["MACAW"], "sim", program, "--random-inputs", "3", "--output-dir", self.folder, "--dump-tensors", self.folder / "d", "--etdump", file]
        done = subprocess.run(call, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(subprocess.run(call, capture_output=True).returncode, 2)  # no file is overwritten
        report = json.loads((self.folder / "report.json").read_text())
        data = (self.folder / "net.bin").read_bytes()
        dumped = [np.load(path) for path in sorted((self.folder / "d").glob("*.npy"))]
        schemas = [pathlib.Path("workflow/trace/forms/etdump.fbs").resolve()]
        if "MACAW_EXECUTORCH" in os.environ:
            schemas.append(pathlib.Path(os.environ["MACAW_EXECUTORCH"]) / "devtools/etdump/etdump_schema_flatcc.fbs")
        forms = [etdump_events(file.read_bytes())]
        for schema in schemas:
            subprocess.run(["flatc", "--json", "--strict-json", "--defaults-json", "--raw-binary", "-o", self.folder, schema, "--", file], check=True)
            events = json.loads((self.folder / "net.json").read_text())["run_data"][0]["events"]
            forms.append([flat_event(event) for event in events])
        for events in forms:
            self.assertEqual(events, forms[0])
        tensors = [event for event in forms[0] if event["tensor"]]
        values = [np.frombuffer(data, NUMPY[kind], int(np.prod(sizes)), offset).reshape(sizes)
                  for kind, sizes, offset in (event["tensor"] for event in tensors)]
        inside = [(event, value) for event, value in zip(tensors, values) if event["id"]]
        self.assertEqual(len(inside), len(dumped))
        for (event, value), wanted in zip(inside, dumped):
            np.testing.assert_array_equal(value.reshape(-1), wanted.reshape(-1))
        profiled = {(event["instruction"], event["id"]) for event in forms[0] if not event["tensor"] and event["id"]}
        self.assertLessEqual({(event["instruction"], event["id"]) for event, _ in inside}, profiled)
        outputs = [value for event, value in zip(tensors, values) if event["output"]]
        self.assertEqual(len(outputs), len(report["outputs"]))
        np.testing.assert_array_equal(outputs[0], np.load(self.folder / "output_0.npy"))
        names = [event["name"] for event in tensors if event["name"]]
        self.assertEqual(names, [h["name"] for h in report["host_operators"] if h["name"] != "EthosUBackend::copy"][:2] + ["DELEGATE_CALL"]
                         + ["quantized_decomposed::dequantize_per_tensor"])

    def test_event_dumps_need_a_timed_run_of_a_program(self):
        for arguments in (["traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"], ["traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz", "--mode", "functional"]):
            done = subprocess.run([os.environ["MACAW"], "sim", *arguments, "--random-inputs", "1", "--etdump", self.folder / "x.etdp"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--etdump", done.stderr)
            self.assertFalse((self.folder / "x.etdp").exists())


NUMPY = {0: "u1", 1: "i1", 2: "<i2", 3: "<i4", 4: "<i8", 6: "<f4", 7: "<f8", 11: "?"}
NAMES = {"BYTE": 0, "CHAR": 1, "SHORT": 2, "INT": 3, "LONG": 4, "FLOAT": 6, "DOUBLE": 7, "BOOL": 11}


def flat_event(event):
    """An event of flatc's JSON."""
    part = event.get("debug_event") or event["profile_event"]
    entry = part.get("debug_entry", {})
    tensor = entry.get("tensor")
    if tensor:
        kind = tensor["scalar_type"]
        tensor = (NAMES.get(kind, kind), tensor["sizes"], tensor["offset"])
    return {"name": part.get("name", ""), "instruction": part["instruction_id"], "id": part.get("delegate_debug_id_str", ""), "tensor": tensor,
            "output": entry.get("output", {}).get("bool_val", False)}


def etdump_events(data):
    """The same from the bytes alone, by the layout of flatbuffers and the numbers of the fields in the public schema."""
    def read(form, at):
        return struct.unpack_from("<" + form, data, at)[0]

    def follow(at):
        return at + read("I", at)

    def field(table, number):
        layout = table - read("i", table)
        offset = read("H", layout + 4 + 2 * number) if 4 + 2 * number < read("H", layout) else 0
        return table + offset if offset else None

    def table(at, number):
        place = at and field(at, number)
        return place and follow(place)

    def scalar(at, number, form, otherwise):
        place = field(at, number)
        return otherwise if place is None else read(form, place)

    def text(at, number):
        place = table(at, number)
        return data[place + 4:place + 4 + read("I", place)].decode() if place else ""

    def vector(at, number):
        place = table(at, number)
        return [place + 4 + 4 * i for i in range(read("I", place))] if place else []

    assert data[4:8] == b"ED00"
    events = []
    for place in vector(follow(vector(follow(0), 1)[0]), 3):
        event = follow(place)
        profile, debug = table(event, 0), table(event, 2)
        part, (name, identifier) = (debug, (5, 4)) if debug else (profile, (0, 4))
        entry = debug and table(debug, 2)
        tensor = table(entry, 1)
        if tensor:
            sizes = table(tensor, 1)
            tensor = (scalar(tensor, 0, "b", 0), list(struct.unpack_from(f"<{read('I', sizes)}q", data, sizes + 4)), scalar(tensor, 3, "q", 0))
        output = table(entry, 7)
        events.append({"name": text(part, name), "instruction": scalar(part, 1 if debug else 2, "i", -1), "id": text(part, identifier), "tensor": tensor,
                       "output": bool(output and scalar(output, 0, "?", False))})
    return events


if __name__ == "__main__":
    unittest.main()
