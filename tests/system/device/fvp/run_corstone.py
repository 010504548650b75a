"""run_corstone() of ExecuTorch's Arm tests, its source as it is, with Macaw under the names of Arm's platforms first on PATH.
MACAW_EXECUTORCH names the checkout (backends/arm/test/runner_utils.py; tested: cff6f4dd). The functions of it that run a
platform need no torch; those around them that do, for names, types and files of tensors, have numpy in its place here, and
programs are packed by executorch_program.py. For SSE-300 a small application stands for arm_executor_runner."""
import ast
import logging
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import executorch_program  # noqa: E402  (found beside this folder)
from arm_elf import elf  # noqa: E402

MACAW = pathlib.Path(sys.argv.pop(1)).resolve()
TINY_CNN = HERE.parents[3] / "traces/tiny_cnn"
HARNESS = pathlib.Path(os.environ.get("MACAW_EXECUTORCH", "nowhere")) / "backends/arm/test/runner_utils.py"
FUNCTIONS = ("run_corstone", "_run_cmd", "corstone300_installed", "corstone300_u65_installed", "corstone320_installed")
# By semihosting: opens i0.bin, reads up to 4096 bytes to 0x20003000, writes them to out-0.bin, exits with what is left.
COPY = bytes.fromhex("""164c174820600120606006 20a06001202146abbe 20601348 60604ff48050a060 06202146abbe 4ff480510d1a 0e482060
    05206060 0920a060 01202146abbe 2060 08486060a5600520 2146abbe 6060 0748 20602020 2146abbe fee70000 00200020 78000000
    00300020 80000000 26000200""") + b"i0.bin\0\0out-0.bin\0"


def save_inputs_to_file(program, inputs, folder):
    files = []
    for name, array in zip(program.names, inputs):
        files.append(os.path.join(folder, f"{name}.bin"))
        array.tofile(files[-1])
    return files


def get_output_from_file(program, folder, base):
    return [np.fromfile(os.path.join(folder, f"{base}-{i}.bin"), np.int8) for i in range(program.outputs)]


def harness():
    """A module of those functions."""
    tree = ast.parse(HARNESS.read_text())
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS]
    for node in ast.walk(tree):  # types of torch
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    module = types.SimpleNamespace(Path=pathlib.Path, os=os, re=re, shutil=shutil, subprocess=subprocess,
                                   logger=logging.getLogger(__name__), save_inputs_to_file=save_inputs_to_file,
                                   get_output_from_file=get_output_from_file)
    exec(compile(tree, HARNESS, "exec"), vars(module))
    return module


class Corstone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.harness = harness()
        os.environ["PATH"] = f"{MACAW.parent}:{os.environ['PATH']}"

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_corstone(self, board, npu, application, **options):
        """The bundled network's input, what the harness takes for the output by the network compiled for the NPU, its golden one."""
        call = [MACAW, "compile", TINY_CNN / "tiny_cnn.tosa", "-a", npu, "-o", self.folder / "net.npz", "--force"]
        subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
        network = np.load(self.folder / "net.npz")
        program = types.SimpleNamespace(names=["a_name_of_torch_export"], outputs=len(network["output_shape"]))
        manager = types.SimpleNamespace(buffer=executorch_program.program(network, self.folder),
                                        exported_program=lambda: program)
        (self.folder / "arm_executor_runner").write_bytes(elf(application))
        inputs, golden = np.load(TINY_CNN / "input_0.npy"), np.load(TINY_CNN / "ethos-u85-256/output_0.npy")
        outputs = self.harness.run_corstone(manager, [inputs], self.folder / "run", board, self.folder / "arm_executor_runner",
                                            **options)
        return inputs, outputs[0], golden

    def test_platforms_are_installed(self):
        for board in ("corstone300", "corstone300_u65", "corstone320"):
            self.assertTrue(getattr(self.harness, f"{board}_installed")(), board)

    def test_corstone_320_runs_the_program(self):
        _, output, golden = self.run_corstone("corstone-320", "ethos-u85-128", b"")
        np.testing.assert_array_equal(output, golden.reshape(-1))

    def test_what_is_wrong_is_raised(self):
        with self.assertRaisesRegex(RuntimeError, "ethos-u85-256"):
            self.run_corstone("corstone-320", "ethos-u85-256", b"")

    def test_corstone_300_runs_the_application(self):
        if not shutil.which("qemu-system-arm"):
            self.skipTest("no qemu-system-arm")
        for board, npu in (("corstone-300", "ethos-u55-128"), ("corstone-300-u65", "ethos-u65-256")):
            with self.subTest(board):
                given, output, _ = self.run_corstone(board, npu, COPY, timeout=60)
                np.testing.assert_array_equal(output, given.reshape(-1))


if __name__ == "__main__":
    if not HARNESS.is_file():
        print("skipped: ExecuTorch's Arm tests (set MACAW_EXECUTORCH)")
        sys.exit(77)
    unittest.main()
