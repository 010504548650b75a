#!/usr/bin/python3
"""Scarce system resources and endless inputs: one message, or a run as any other."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import unittest

import numpy

NETWORK = "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"
GRAPH = "traces/tiny_cnn/tiny_cnn.tosa"
KIB = 1024


def macaw(*arguments, stack=None, space=None, files=None, program="MACAW", **how):
    def limit():
        for kind, limits in ((resource.RLIMIT_STACK, stack), (resource.RLIMIT_AS, space), (resource.RLIMIT_NOFILE, files)):
            if limits:
                resource.setrlimit(kind, limits)
    done = subprocess.run([os.environ[program], *arguments], capture_output=True, preexec_fn=limit, **how)
    return done.returncode, done.stderr.decode(), done.stdout


class Stack(unittest.TestCase):
    def test_too_little_is_said(self):
        for size in (64, 128, 511):
            code, text, out = macaw("sim", NETWORK, "--mode", "timing", stack=(size * KIB, size * KIB))
            self.assertEqual((code, out, text.count("\n")), (3, b"", 1), text)
            self.assertIn("ulimit -s", text)

    def test_what_the_system_allows_is_taken(self):
        free = resource.getrlimit(resource.RLIMIT_STACK)[1]
        for stack in ((64 * KIB, free), (512 * KIB, 512 * KIB)):
            for call in (("sim", NETWORK, "--random-inputs", "1", "--mode", "timed", "--json"),
                         ("sim", NETWORK, "--random-inputs", "1", "--mode", "functional", "--threads", "4", "--json"),
                         ("prove", GRAPH, NETWORK), ("compare", GRAPH, NETWORK, "--inputs", "1")):
                self.assertEqual(macaw(*call, stack=stack), macaw(*call), (stack, call))


class Few(unittest.TestCase):
    @unittest.skipIf(os.environ.get("MACAW_SANITIZE"), "sanitizers take address space of their own")
    def test_threads_that_are_not_there_are_done_without(self):
        free = resource.getrlimit(resource.RLIMIT_STACK)[1]
        how = {"stack": (256 << 20, free), "space": (800 << 20, 800 << 20)}  # of 256 MiB each there are two
        with tempfile.TemporaryDirectory() as folder:
            sets, out = folder + "/sets", folder + "/out"
            os.mkdir(sets)
            for i in range(40):
                os.link(shutil.copy("traces/tiny_cnn/input_0.npy", folder), f"{sets}/{i}.npy")
            for call in (("sim", NETWORK, "--mode", "functional"), ("tosa", GRAPH)):
                code, text, _ = macaw(*call, "--inputs", sets, "--threads", "40", "--output-dir", out, "--force", **how)
                self.assertEqual((code, text), (0, ""), call)
                first = pathlib.Path(out, "output_0.npy").read_bytes()
                self.assertEqual(macaw(*call, "--inputs", sets, "--output-dir", out, "--force")[0], 0)
                self.assertEqual(pathlib.Path(out, "output_0.npy").read_bytes(), first)

    @unittest.skipIf(os.environ.get("MACAW_SANITIZE"), "sanitizers take address space of their own")
    def test_as_many_threads_as_can_be_counted(self):
        free = resource.getrlimit(resource.RLIMIT_STACK)[1]
        with tempfile.TemporaryDirectory() as folder:
            description = {"tosa_file": os.path.abspath(GRAPH), "ifm_name": ["image"], "ofm_name": ["logits"],
                           "ifm_file": [os.path.abspath("traces/tiny_cnn/input_0.npy")], "ofm_file": ["result.npy"],
                           "expected_result_file": [os.path.abspath("traces/tiny_cnn/ethos-u55-128/output_0.npy")],
                           "expected_failure": False}
            for i in range(40):
                test = pathlib.Path(folder, str(i))
                test.mkdir()
                (test / "desc.json").write_text(json.dumps(description))
            code, text, out = macaw("check", folder, "-j", "4294967295", stack=(256 << 20, free), space=(900 << 20, 900 << 20),
                                    program="MACAW_DEV")
            self.assertEqual((code, out), (0, b"verdict VALID: 40 passed, 0 failed\n40 passed, 0 failed\n"), text)

    def test_processes_that_are_not_there_are_done_without(self):
        for files in range(5, 12):
            code, text, out = macaw("golden", "check", "traces", "-j", "3", files=(files, files))
            self.assertEqual((code, text, out.splitlines()[-1:]), (0, "", [b"7 passed, 0 failed"]), files)

    def test_more_outputs_than_files_may_be_open(self):
        type_, count = "tensor<1x4xi8>", 100
        results = [f"%{i}" for i in range(count)]
        with tempfile.TemporaryDirectory() as folder:
            graph, sets, out = pathlib.Path(folder, "many.mlir"), pathlib.Path(folder, "sets"), pathlib.Path(folder, "out")
            graph.write_text(f"func.func @main(%x: {type_}) -> ({', '.join([type_] * count)}) {{\n" +
                             "".join(f"  {name} = tosa.bitwise_not %x : ({type_}) -> {type_}\n" for name in results) +
                             f"  return {', '.join(results)} : {', '.join([type_] * count)}\n}}\n")
            numpy.savez(sets, numpy.int8([[[-1, 2, -3, 4]], [[5, -6, 7, -8]]]))
            code, text, _ = macaw("tosa", str(graph), "--inputs", f"{sets}.npz", "--output-dir", str(out), files=(40, 40))
            self.assertEqual((code, text), (0, ""))
            for i in range(count):
                self.assertEqual(numpy.load(out / f"output_{i}.npy").tolist(), [[0, -3, 2, -5], [-6, 5, -8, 7]])


class Endless(unittest.TestCase):
    def test_what_never_ends_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for call in (("sim", "/dev/zero"), ("sim", NETWORK, "--input", "/dev/zero", "--output-dir", folder + "/out"),
                         ("tosa", "/dev/zero", "--output-dir", folder + "/out"), ("disasm", "/dev/zero"), ("report", "/dev/zero"),
                         ("disasm", "-")):
                with open("/dev/zero", "rb") as zeros:
                    code, text, out = macaw(*call, stdin=zeros)
                self.assertEqual((code, out), (3, b""), (call, text))
                self.assertIn("says no size and has more than 268435456 bytes", text)
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
