#!/usr/bin/python3
"""macaw tflite and macaw.tflite on a network written here byte by byte: the sum of two int32 inputs."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import numpy as np

try:
    import macaw
except ImportError:
    macaw = None


def network():
    """A model of one ADD. Offsets point forward, so what is pointed at is written behind; every item is 4-byte aligned."""
    labels, patches, out = {}, [], bytearray()

    def label(name):
        labels[name] = len(out)

    def u32(*values):
        for value in values:
            out.extend(struct.pack("<I", value & 0xFFFFFFFF))

    def offset(name):
        patches.append((len(out), name))
        u32(0)

    def table(name, fields):
        """`fields`: id -> ("offset", label) or ("u32", value); the vtable stands before the table."""
        count = max(fields) + 1 if fields else 0
        size = 4 + 2 * count
        pad = size % 4
        start = len(out)
        places = {field: 4 + 4 * i for i, field in enumerate(fields)}
        out.extend(struct.pack("<HH", size, 4 + 4 * len(fields)))
        for field in range(count):
            out.extend(struct.pack("<H", places.get(field, 0)))
        out.extend(b"\0" * pad)
        label(name)
        u32(len(out) - start)
        for kind, value in fields.values():
            offset(value) if kind == "offset" else u32(value)

    def tables(name, members):
        label(name)
        u32(len(members))
        for member in members:
            offset(member)

    def ints(name, values):
        label(name)
        u32(len(values), *values)

    def text(name, value):
        label(name)
        u32(len(value))
        out.extend(value + b"\0" * (4 - len(value) % 4))

    offset("model")
    out.extend(b"TFL3")
    table("model", {0: ("u32", 3), 1: ("offset", "codes"), 2: ("offset", "graphs"), 4: ("offset", "buffers")})
    tables("codes", ["code"])
    table("code", {3: ("u32", 0)})
    tables("buffers", ["buffer"])
    table("buffer", {})
    tables("graphs", ["graph"])
    table("graph", {0: ("offset", "tensors"), 1: ("offset", "inputs"), 2: ("offset", "outputs"), 3: ("offset", "operators")})
    tables("tensors", ["a", "b", "c"])
    for name in "abc":
        table(name, {0: ("offset", "shape"), 1: ("u32", 2), 3: ("offset", "name " + name)})
    for name in "abc":
        text("name " + name, name.encode())
    ints("shape", [2, 2])
    ints("inputs", [0, 1])
    ints("outputs", [2])
    tables("operators", ["add"])
    table("add", {1: ("offset", "operands"), 2: ("offset", "results"), 3: ("u32", 11), 4: ("offset", "options")})
    table("options", {})
    ints("operands", [0, 1])
    ints("results", [2])
    for place, name in patches:
        struct.pack_into("<I", out, place, labels[name] - place)
    return bytes(out)


A = np.array([[1, 2], [3, 4]], np.int32)
B = np.array([[10, 20], [30, 40]], np.int32)


class Program(unittest.TestCase):
    def test_outputs_and_tensors_are_written(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "net.tflite").write_bytes(network())
            np.save(folder / "a.npy", A)
            np.save(folder / "b.npy", B)
            subprocess.run([os.environ["MACAW"], "tflite", folder / "net.tflite", "--input", f"b={folder / 'b.npy'}",
                            "--input", f"a={folder / 'a.npy'}", "--output-dir", folder / "out", "--dump-tensors",
                            folder / "tensors"], check=True)
            np.testing.assert_array_equal(np.load(folder / "out/output_0.npy"), A + B)
            np.testing.assert_array_equal(np.load(folder / "tensors/c.npy"), A + B)

    def test_files_and_inputs_are_as_in_other_programs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "net.tflite").write_bytes(network())
            np.save(folder / "a.npy", A)
            np.save(folder / "b.npy", B.reshape(4))
            np.save(folder / "c.npy", B.reshape(1, 2, 2).astype(np.uint32))

            def run(second, *more):
                done = subprocess.run([os.environ["MACAW"], "tflite", folder / "net.tflite", "--input", folder / "a.npy",
                                       "--input", folder / second, "--output-dir", folder / "out", *more],
                                      capture_output=True, text=True)
                return done.returncode, done.stderr
            self.assertEqual(run("b.npy"), (0, ""))
            code, text = run("b.npy")
            self.assertEqual(code, 2)
            self.assertIn("--force overwrites it", text)
            code, text = run("c.npy", "--force")
            self.assertEqual(code, 3)
            self.assertIn("is UINT32, expected INT32", text)
            self.assertEqual(run("c.npy", "--force", "--reinterpret"), (0, ""))
            np.testing.assert_array_equal(np.load(folder / "out/output_0.npy"), A + B)

    def test_many_sets_in_one_process(self):
        sums = np.arange(12, dtype=np.int32).reshape(3, 2, 2)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "net.tflite").write_bytes(network())
            np.savez(folder / "sets.npz", b=sums - 5, a=np.full_like(sums, 5))

            def run(*more):
                done = subprocess.run([os.environ["MACAW"], "tflite", folder / "net.tflite", *more], capture_output=True,
                                      text=True)
                return done.returncode, done.stdout + done.stderr
            sets = ("--inputs", folder / "sets.npz")
            code, text = run(*sets, "--threads", "2", "--output-dir", folder / "out")
            self.assertEqual(code, 0, text)
            self.assertIn("3 runs in", text)
            np.testing.assert_array_equal(np.load(folder / "out/output_0.npy"), sums)
            self.assertEqual(json.loads(run(*sets, "--json")[1])["runs"], 3)
            code, text = run(*sets, "--dump-tensors", folder / "tensors")
            self.assertEqual(code, 0, text)
            np.testing.assert_array_equal(np.load(folder / "tensors/c.npy"), sums)
            self.assertEqual(run(*sets, "--dump-tensors", folder / "tensors")[0], 2)
            for wrong in (("--output-dir", folder / "x", "--threads", "2"), ()):
                self.assertEqual(run(*wrong)[0], 2)

    def test_imported_as_tosa_it_gives_the_same(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "net.tflite").write_bytes(network())
            np.save(folder / "a.npy", A)
            np.save(folder / "b.npy", B)
            subprocess.run([os.environ["MACAW"], "import", folder / "net.tflite", "-o", folder / "net.tosa"], check=True)
            subprocess.run([os.environ["MACAW"], "tosa", folder / "net.tosa", "--input", folder / "a.npy", "--input",
                            folder / "b.npy", "--output-dir", folder / "out"], check=True)
            np.testing.assert_array_equal(np.load(folder / "out/c.npy"), A + B)
            done = subprocess.run([os.environ["MACAW"], "import", folder / "net.tflite", "-o", folder / "net.tosa"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--force overwrites it", done.stderr)

    def test_goldens_of_it_hold_its_outputs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "net.tflite").write_bytes(network())
            (folder / "golden.toml").write_text('[[network]]\nname = "net"\nartifact = "net.tflite"\nseed = 1\n')
            subprocess.run([os.environ["MACAW"], "golden", "record", folder, "--reason", "new"], check=True)
            golden = json.loads((folder / "golden.json").read_text())
            outputs = golden["runs"]["net | tflite"]["outputs"]
            self.assertEqual([(o["name"], o["shape"], o["dtype"]) for o in outputs], [("c", [2, 2], "INT32")])
            check = [os.environ["MACAW"], "golden", "check", folder]
            self.assertEqual(subprocess.run(check).returncode, 0)
            outputs[0]["crc32"] = "00000000"
            (folder / "golden.json").write_text(json.dumps(golden))
            self.assertEqual(subprocess.run(check).returncode, 1)

    def test_what_is_no_network_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name) / "net.tflite"
            file.write_bytes(network()[:40])
            done = subprocess.run([os.environ["MACAW"], "tflite", file, "--output-dir", name], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn("malformed", done.stderr)


@unittest.skipIf(macaw is None, "the Python module is not built")
class Module(unittest.TestCase):
    def test_outputs_by_list_and_by_name(self):
        result = macaw.tflite.run(network(), [A, B], tensors=True)
        np.testing.assert_array_equal(result.outputs[0], A + B)
        np.testing.assert_array_equal(result["c"], A + B)
        np.testing.assert_array_equal(result.tensors["c"], A + B)
        np.testing.assert_array_equal(macaw.tflite.run(network(), {"b": B, "a": A}).outputs[0], A + B)
        with self.assertRaisesRegex(macaw.Error, "is UINT32, expected INT32"):
            macaw.tflite.run(network(), [A, B.astype(np.uint32)])
        given = [A, B.astype(np.uint32)]
        np.testing.assert_array_equal(macaw.tflite.run(network(), given, reinterpret=True).outputs[0], A + B)

    def test_a_loaded_network_runs_again_and_again(self):
        loaded = macaw.tflite.load(network())
        self.assertEqual(loaded.inputs, [("a", (2, 2)), ("b", (2, 2))])
        self.assertEqual(loaded.output_names, ["c"])
        for a in (A, B):
            np.testing.assert_array_equal(loaded.run([a, B])[0], a + B)

    def test_wrong_inputs_are_errors(self):
        for inputs in ([A], [A, B, B], {"a": A}, [A, B.astype(np.float32)], [A, B[:1]]):
            with self.assertRaises(macaw.Error):
                macaw.tflite.run(network(), inputs)


if __name__ == "__main__":
    unittest.main()
