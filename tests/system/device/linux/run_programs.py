"""Programs for Arm's Linux driver library, their sources as they are, compiled against include/macaw/ethosu_linux and
linked with libmacaw_ethosu_linux: NXP's inference_runner (MACAW_ETHOSU_LINUX names a checkout of
nxp-imx/ethos-u-driver-stack-imx; tested: 2acb7e2) and ExecuTorch's EthosUBackend for Cortex-A (MACAW_EXECUTORCH as in
../executorch; tested: cff6f4dd), and the example of Macaw. Networks are the corpus's (MACAW_CORPUS). What is not there is
skipped with a line."""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(HERE.parent))
from executorch_program import operands, pack  # noqa: E402  (found beside this folder)

MACAW, LIBRARY, EXAMPLE = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
del sys.argv[1:4]
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")).resolve()
SPOTTING = CORPUS / "npu/kws_ref_model"
COMPILER = [*filter(None, [shutil.which("ccache")]), "g++", "-std=c++17", "-O1", "-w"]
OURS = ["-I", ROOT / "include/macaw/ethosu_linux", LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"]
# NPU_SET_ commands with a region: OFM, IFM, IFM2, WEIGHT, SCALE, DMA0_SRC, DMA0_DST
REGIONS = (0x11F, 0x10F, 0x18F, 0x128, 0x129, 0x130, 0x131)


def run(call, **variables):
    return subprocess.run([str(word) for word in call], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **variables})


def simulated(network, *options):
    return json.loads(run([MACAW, "sim", network, "--json", *options]).stdout)


@unittest.skipUnless(SPOTTING.is_dir(), f"no networks in {CORPUS} (set MACAW_CORPUS)")
class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.input = np.load(SPOTTING / "golden/in_0_0.npy")
        self.golden = np.load(SPOTTING / "golden/out_0_0.npy").tobytes()
        (self.folder / "input").write_bytes(self.input.tobytes())

    def compiled(self, *sources):
        program = self.folder / "program"
        done = run([*COMPILER, *sources, *OURS, "-o", program])
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        return program

    def test_example(self):
        for npu, compiled in (("ethos-u55-128", "Ethos_U55_High_End_Embedded-Shared_Sram"),
                              ("ethos-u65-256", "Ethos_U65_High_End-Dedicated_Sram")):
            with self.subTest(npu):
                network = next((SPOTTING / f"{npu}-{compiled}-tflite").glob("*.tflite"))
                done = run([EXAMPLE, network, self.folder / "output", self.folder / "input"], MACAW_ACCELERATOR=npu,
                           MACAW_REPORT_DIR=str(self.folder / npu))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.folder / "output.0").read_bytes(), self.golden)
                cycles = simulated(network, "--input", SPOTTING / "golden/in_0_0.npy")["cycles"]
                self.assertIn(f"\n{cycles} cycles, {cycles} active\n", done.stdout)
                self.assertEqual(json.loads((self.folder / npu / "job_1/report.json").read_text())["cycles"], cycles)

    def test_inference_runner(self):
        stack = os.environ.get("MACAW_ETHOSU_LINUX")
        if not stack:
            self.skipTest("NXP's inference_runner (set MACAW_ETHOSU_LINUX)")
        sources = pathlib.Path(stack) / "utils/inference_runner"
        program = self.compiled("-I", sources, sources / "inference_runner.cpp", *sorted((sources / "common").glob("*.cpp")))
        network = (CORPUS / "unlabelled/npu/person_detect/ethos-u65-256-Ethos_U65_High_End-Dedicated_Sram-tflite"
                   / "person_detect_vela.tflite")
        # A bitmap of 8 bits a pixel, 96 by 96.
        pixels = np.random.default_rng(0).integers(0, 256, 96 * 96, np.uint8).tobytes()
        header = struct.pack("<2sIIIIiiHHIIiiII", b"BM", 54 + len(pixels), 0, 54, 40, 96, 96, 1, 8, 0, len(pixels), 0, 0, 0, 0)
        (self.folder / "picture.bmp").write_bytes(header + pixels)
        (self.folder / "labels").write_text("empty\nperson\n")
        done = run([program, "-n", network, "-i", self.folder / "picture.bmp", "-o", self.folder / "output", "-l",
                    self.folder / "labels", "-C", "-P", 0, 5])
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        report = simulated(network, "--random-inputs", 1)
        self.assertIn(f"Cycle counter: {report['cycles']}\n", done.stdout)
        self.assertIn(f"PMUs : [ {report['pmu']['ETHOSU_PMU_NPU_ACTIVE']} 0", done.stdout)
        self.assertIn("Inference status: ok", done.stdout)
        self.assertEqual((self.folder / "output.0").stat().st_size, 2)

    def test_executorch_on_linux(self):
        executorch = os.environ.get("MACAW_EXECUTORCH")
        if not executorch:
            self.skipTest("ExecuTorch's EthosUBackend (set MACAW_EXECUTORCH)")
        root = pathlib.Path(executorch).resolve()
        runtime, backend = root / "runtime", root / "backends/arm/runtime"
        listed = (HERE.parent / "executorch/CMakeLists.txt").read_text()
        sources = [runtime / name for name in re.findall(r'"\$\{runtime\}/(\S+\.cpp)"', listed)]
        sources += [backend / name.replace("Cortex_M", "Cortex_A") for name in re.findall(r'"\$\{backend\}/(\S+\.cpp)"', listed)]
        program = self.compiled("-DMACAW_WITHOUT_CORE_DRIVER", "-DC10_USING_CUSTOM_GENERATED_MACROS", "-I", root.parent, "-I",
                                runtime / "core/portable_type/c10", HERE.parent / "executorch/delegate.cpp", *sources)
        network = np.load(next((SPOTTING / "ethos-u85-256-Ethos_U85_SYS_DRAM_Mid-Dedicated_Sram-raw-cop2sepio").glob("*.npz")))
        # Linux has one scratch, as Shared_Sram: what the stream says of fast scratch becomes that.
        stream = network["cmd_data"].tobytes()  # without the zeros at its end, as numpy reads strings
        words = np.frombuffer(stream + bytes(-len(stream) % 4), "<u4").copy()
        of_fast_scratch = np.isin(words & 0xFFFF, REGIONS) & (words >> 16 == 2)
        words[of_fast_scratch] = words[of_fast_scratch] & 0xFFFF | 1 << 16
        blocks = {"cmd_data": words.tobytes(), "weight_data": network["weight_data"].tobytes(),
                  "scratch_size": struct.pack("<I", network["scratch_fast_size"]), "inputs": operands(network, "input"),
                  "outputs": operands(network, "output")}
        (self.folder / "delegate").write_bytes(pack(blocks))
        call = [program, self.folder / "delegate", self.folder / "output", len(self.golden), self.folder / "input"]
        done = run(call, MACAW_ACCELERATOR="ethos-u85-256")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "output").read_bytes(), self.golden)
        simulation = run([MACAW, "sim", self.folder / "delegate", "--json", "--random-inputs", 1])
        self.assertIn(f"cycle counter: {json.loads(simulation.stdout)['cycles']}", done.stderr)
        self.assertNotEqual(run(call).returncode, 0)  # another NPU


if __name__ == "__main__":
    unittest.main()
