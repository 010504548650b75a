#!/usr/bin/python3
"""What a system allows little of, and inputs that do not end: one message, or a run as any other."""
import os
import resource
import subprocess
import tempfile
import unittest

NETWORK = "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"
GRAPH = "traces/tiny_cnn/tiny_cnn.tosa"
KIB = 1024


def macaw(*arguments, stack=None, **how):
    def limit():
        if stack:
            resource.setrlimit(resource.RLIMIT_STACK, stack)
    done = subprocess.run([os.environ["MACAW"], *arguments], capture_output=True, preexec_fn=limit, **how)
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
