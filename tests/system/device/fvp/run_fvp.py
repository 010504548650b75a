"""macaw fvp MACAW: small applications written here, and Arm's inference runner of the corpus with its networks: outputs
byte for byte, beats as `macaw sim` counts them, and one message where something is missing or never ends. Skipped with
a line where QEMU is not installed, or the corpus not there (MACAW_CORPUS)."""
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import executorch_program  # noqa: E402  (found beside this folder)
from arm_elf import elf, without_terminals  # noqa: E402

MACAW = sys.argv.pop(1)
TINY_CNN = HERE.parents[3] / "traces/tiny_cnn"
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"))
# arm/mlia-ethos-u (464757c): Arm's inference runners for SSE-310.
SSE310 = pathlib.Path(os.environ.get("MACAW_MLIA_ETHOS_U", "nowhere")) / "src/mlia/resources/backends/applications"
NETWORKS = {  # name of the network's file: inputs and outputs in measured/io
    "kws_micronet_m_u65_256_vela": (["kws_in0"], ["kws_ref_out0"]),
    "ad_medium_int8_u65_256_vela": (["ad_in0"], ["ad_ref_out0"]),
    "rnnoise_INT8_u65_256_vela": ([f"rnn_in{i}" for i in range(4)], [f"rnn_ref_out{i}" for i in range(5)]),
}
BEATS = ("AXI0_RD_DATA_BEAT_RECEIVED", "AXI0_WR_DATA_BEAT_WRITTEN", "AXI1_RD_DATA_BEAT_RECEIVED")
# Exits by semihosting with CONFIG.macs_per_cc: ldr r0, window; ldr r1, [r0, #0x28]; movs r2, #15; ands r1, r2;
# ldr r3, block; str r1, [r3, #4]; movs r0, #0x20; adds r1, r3, #0; bkpt 0xab; b .; and the words that they load.
READ_CONFIG = struct.pack("<10HIIII", 0x4804, 0x6A81, 0x220F, 0x4011, 0x4B03, 0x6059, 0x2020, 0x1C19, 0xBEAB, 0xE7FE,
                          0x48102000, 0x24, 0x20026, 0)
# Prints B on UART 1, and exits: ldr r0, uart; CTRL.tx of bauds at 16; str B; ldr r1, block; movs r0, #0x20; bkpt 0xab.
PRINT = struct.pack("<12HIIII", 0x4805, 0x2110, 0x6101, 0x2101, 0x6081, 0x2142, 0x6001, 0x4903, 0x2020, 0xBEAB, 0xE7FE,
                    0xBF00, 0x59304000, 40, 0x20026, 0)
FOR_EVER = struct.pack("<H", 0xE7FE)


def run(*arguments, **options):
    return subprocess.run([MACAW, *map(str, arguments)], capture_output=True, text=True, timeout=200, **options)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def refused(self, result, text, code=3):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(text, result.stderr)
        lines = [line for line in result.stderr.splitlines() if line != "See 'macaw fvp --help'."]
        self.assertEqual(len(lines), 1, result.stderr)


    def none_left(self, application):
        """No process whose command names the application."""
        processes = subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True).stdout
        self.assertNotIn(str(application), processes)


class Applications(Case):
    def test_the_exit_code_is_that_of_the_application(self):
        application = self.file("app.axf", elf(READ_CONFIG))
        for npu, macs in (("ethos-u55-128", 7), ("ethos-u65-256", 8)):
            result = run("fvp", application, "--npu", npu, "--timelimit", 60)
            self.assertEqual(result.returncode, macs, result.stderr)

    def test_one_that_never_ends_is_ended(self):
        application = self.file("app.axf", elf(FOR_EVER))
        self.refused(run("fvp", application, "--timelimit", 1), "did not end within 1 seconds")
        self.none_left(application)

    def test_an_interrupt_ends_qemu_as_well(self):
        application = self.file("never.axf", elf(FOR_EVER))
        program = subprocess.Popen([MACAW, "fvp", application], stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=60)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("interrupted", said)
        self.none_left(application)

    def test_qemu_ends_with_the_program_however_that_ends(self):
        for how in (signal.SIGTERM, signal.SIGKILL):
            application = self.file("never.axf", elf(FOR_EVER))
            program = subprocess.Popen([MACAW, "fvp", application])
            time.sleep(2)
            program.send_signal(how)
            self.assertEqual(program.wait(60), -how)
            time.sleep(0.5)
            self.none_left(application)

    def test_a_disk_that_is_full_is_named_and_gets_no_half_file(self):
        application, disk = self.file("app.axf", elf(READ_CONFIG)), self.folder / "disk"
        disk.mkdir()
        script = """mount -t tmpfs -o size=64k none "$1" || exit 99
            "$2" fvp "$3" --timelimit 60 --dump "$1/dump@0x60000000,1000000"; code=$?; ls -A "$1"; exit $code"""
        result = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", disk, MACAW, application],
                                capture_output=True, text=True, timeout=200)
        if result.returncode == 99 or "unshare" in result.stderr:
            self.skipTest("no small file system of one's own here")
        self.refused(result, str(disk / "dump"))
        self.assertIn("No space left", result.stderr)
        self.assertEqual(result.stdout, "")
        self.none_left(application)


class ArmNames(Case):
    """The lines of pytorch/executorch (backends/arm/scripts/run_fvp.sh and test/runner_utils.py at cff6f4dd), of Zephyr
    (boards/arm/mps3/board.cmake and cmake/emu/armfvp.cmake) and of MLIA (arm/mlia-ethos-u at 464757c, the command of its
    back end corstone-300), with the name of Arm's program as they call it."""

    def call(self, name, *flags):
        return subprocess.run([pathlib.Path(MACAW).resolve().parent / name, *map(str, flags)], capture_output=True,
                              text=True, timeout=200)

    def test_executorch(self):
        application = self.file("app.axf", elf(READ_CONFIG))
        result = self.call("FVP_Corstone_SSE-300_Ethos-U55", "-C", "ethosu.num_macs=256", "-C",
                           "mps3_board.visualisation.disable-visualisation=1", "-C",
                           "mps3_board.telnetterminal0.start_telnet=0", "-C", "mps3_board.uart0.out_file=-", "-C",
                           "mps3_board.uart0.shutdown_on_eot=1", "-a", application, "--data",
                           f"{application}@0x70000000", "--timelimit", 60)
        self.assertEqual(result.returncode, 8, result.stderr)

    def test_executorch_with_semihosting(self):
        application = self.file("app.axf", elf(READ_CONFIG))
        common = ["ethosu.num_macs=128", "mps3_board.visualisation.disable-visualisation=1",
                  "mps3_board.telnetterminal0.start_telnet=0", "cpu0.semihosting-enable=1",
                  "cpu0.semihosting-stack_base=0", "cpu0.semihosting-heap_limit=0", f"cpu0.semihosting-cwd={self.folder}"]
        runner_utils = ["mps3_board.uart0.out_file='-'", "ethosu.extra_args='--fast'",
                        "cpu0.semihosting-cmd_line='executor_runner -m program.pte -o out -i i0.bin'"]
        run_fvp = ["mps3_board.uart0.out_file=-", "mps3_board.uart0.shutdown_on_eot=1", "ethosu.extra_args=--fast",
                   "cpu0.semihosting-cmd_line=executor_runner -m a.bpte -i fvp_dummy_input.bin -o out"]
        for flags in (runner_utils, run_fvp):
            with self.subTest(flags):
                settings = common + flags
                result = self.call("FVP_Corstone_SSE-300_Ethos-U55", *(word for one in settings for word in ("-C", one)),
                                   "-a", application, "--timelimit", 60)
                self.assertEqual(result.returncode, 7, result.stderr)

    def ethos_u85_command(self, command_line, *flags):
        """run_corstone() of runner_utils.py for corstone-320, by another number of MACs."""
        cpu = "mps4_board.subsystem.cpu0.semihosting"
        settings = ["mps4_board.subsystem.ethosu.num_macs=256", "mps4_board.visualisation.disable-visualisation=1",
                    "vis_hdlcd.disable_visualisation=1", "mps4_board.telnetterminal0.start_telnet=0",
                    "mps4_board.uart0.out_file='-'", "mps4_board.uart0.unbuffered_output=1",
                    "mps4_board.uart0.shutdown_on_eot=1", f"{cpu}-enable=1", f"{cpu}-stack_base=0", f"{cpu}-heap_limit=0",
                    f"{cpu}-cwd={self.folder}", "mps4_board.subsystem.ethosu.extra_args='--fast'",
                    f"{cpu}-cmd_line='{command_line}'"]
        return ["FVP_Corstone_SSE-320", *(word for one in settings for word in ("-C", one)), "-a",
                self.file("app.axf", elf(FOR_EVER)), "--timelimit", 60, *flags]

    def on_ethos_u85(self, command_line, *flags):
        return self.call(*self.ethos_u85_command(command_line, *flags))

    def test_executorch_programs_on_ethos_u85_run_without_a_cpu(self):
        network, golden = np.load(TINY_CNN / "ethos-u85-256/tiny_cnn.npz"), np.load(TINY_CNN / "ethos-u85-256/output_0.npy")
        self.file("program.pte", executorch_program.program(network, self.folder))
        given = self.file("i0.bin", np.load(TINY_CNN / "input_0.npy").tobytes())
        line = "executor_runner -m program.pte -o out -i i0.bin"
        for _ in range(2):  # its own outputs it writes again
            result = self.on_ethos_u85(line)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual((self.folder / "out-0.bin").read_bytes(), golden.tobytes())
            self.assertIsNone(re.search(r"(^[EF][: ].*$)|Hard fault|Assertion", result.stdout, re.M))  # what is looked for
        self.refused(self.on_ethos_u85(line, "--stat"), "--stat")
        self.refused(self.on_ethos_u85(f"{line} --server_mode maybe"), "expected true or false", 2)
        self.refused(self.on_ethos_u85("executor_runner -i i0.bin -o out"), "QEMU does not model")
        self.refused(self.on_ethos_u85("executor_runner -m program.pte -i i0.bin -o"), "-o", 2)
        self.refused(self.on_ethos_u85("executor_runner -m none.pte -i i0.bin -o out"), "none.pte")
        self.refused(self.on_ethos_u85(line, "-C", "mps4_board.subsystem.ethosu.num_macs=512"), "ethos-u85-512")
        self.refused(self.on_ethos_u85(f"{line} -i i0.bin"), "2 inputs")
        given.write_bytes(b"short")
        self.refused(self.on_ethos_u85(line), "5 bytes")

    def test_executorch_server_reads_the_inputs_again_for_each_line(self):
        network, golden = np.load(TINY_CNN / "ethos-u85-256/tiny_cnn.npz"), np.load(TINY_CNN / "ethos-u85-256/output_0.npy")
        self.file("program.pte", executorch_program.program(network, self.folder))
        given, zeros = np.load(TINY_CNN / "input_0.npy"), np.zeros_like(np.load(TINY_CNN / "input_0.npy"))
        name, *flags = self.ethos_u85_command("executor_runner -m program.pte -o out -i i0.bin --server_mode true")
        answers = []
        with subprocess.Popen([pathlib.Path(MACAW).resolve().parent / name, *map(str, flags)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as server:
            for number, tensor in enumerate((given, zeros, given), 1):
                self.file("i0.bin", tensor.tobytes())
                server.stdin.write("go\n")
                server.stdin.flush()
                while (line := server.stdout.readline()) and "SERVER_INFERENCE_DONE" not in line:
                    pass
                self.assertEqual(line, f"SERVER_INFERENCE_DONE {number}\n")
                answers.append((self.folder / "out-0.bin").read_bytes())
            server.stdin.close()
            self.assertEqual(server.wait(60), 0)
        self.assertEqual(answers[0], golden.tobytes())
        self.assertEqual(answers[2], answers[0])
        self.assertNotEqual(answers[1], answers[0])

    def test_what_asks_for_the_program(self):
        for name in ("FVP_Corstone_SSE-300_Ethos-U55", "FVP_Corstone_SSE-300_Ethos-U65", "FVP_Corstone_SSE-320"):
            result = self.call(name, "--version")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, r"\d+\.\d+\.\d+")

    def test_zephyr(self):
        application, log = self.file("zephyr.elf", elf(PRINT)), self.folder / "uart1"
        board = [f"mps3_board.uart{i}.{setting}" for i in range(3) for setting in ("out_file=-", "unbuffered_output=1")]
        board += ["mps3_board.visualisation.disable-visualisation=1",
                  *(f"mps3_board.telnetterminal{i}.start_telnet=0" for i in range(3))]
        flags = [word for one in board for word in ("-C", one)]
        result = self.call("FVP_Corstone_SSE-300_Ethos-U55", *flags, "-a", application)
        self.assertEqual((result.returncode, without_terminals(result.stdout)), (0, "B"), result.stderr)
        self.assertEqual(self.call("FVP_Corstone_SSE-300_Ethos-U55", application).returncode, 0)  # as its README has it
        result = self.call("FVP_Corstone_SSE-300_Ethos-U55", *flags[:4], "-C", f"mps3_board.uart1.out_file={log}", "-a",
                           application)
        self.assertEqual((result.returncode, without_terminals(result.stdout), log.read_text()), (0, "", "B"), result.stderr)

    def test_mlia(self):
        application = self.file("app.axf", elf(READ_CONFIG))
        result = self.call("FVP_Corstone_SSE-300_Ethos-U65", "-a", application, "--data", f"{application}@0x90000000",
                           "-C", "ethosu.num_macs=512", "-C", "mps3_board.telnetterminal0.start_telnet=0", "-C",
                           "mps3_board.uart0.out_file='-'", "-C", "mps3_board.uart0.shutdown_on_eot=1", "-C",
                           "mps3_board.visualisation.disable-visualisation=1", "--stat")
        self.assertEqual(result.returncode, 9, result.stderr)
        self.assertIn("ethos-u65-512: 0 jobs", result.stdout)


class Mistakes(Case):
    def test_damaged_files_are_named(self):
        whole = elf(READ_CONFIG)
        for name, data in (("text", b"hello"), ("cut", whole[:-4]), ("headers", whole[:60]), ("empty", b"")):
            self.refused(run("fvp", self.file(name, data)), name)
        self.none_left(self.folder)

    def test_what_the_platform_has_not_is_named(self):
        application = self.file("app.axf", elf(READ_CONFIG))
        self.refused(run("fvp", application, "--qemu", "no-such-qemu"), "qemu-system-arm")
        self.refused(run("fvp", application, "--npu", "ethos-u85-256"), "SSE-320")
        self.refused(run("fvp", application, "--npu", "ethos-u99"), "ethos-u99", 2)
        self.refused(run("fvp", application, "--data", "nowhere@0x90000000"), "nowhere")
        self.refused(run("fvp", application, "--data", f"{application}"), "FILE@ADDRESS", 2)
        self.refused(run("fvp", application, "--dump", "x@0,4"), "DDR", 2)
        self.none_left(application)


class InferenceRunner(Case):
    def setUp(self):
        super().setUp()
        found = sorted((CORPUS / "device").glob("inference_runner*.axf"))
        if not found:
            print(f"skipped: no inference runner in {CORPUS / 'device'} (set MACAW_CORPUS)")
            self.skipTest("no corpus")
        self.runner = found[0]

    def run_sse310(self, npu, network, inputs, outputs, *options):
        """Arm's runner for SSE-310, by the name of Arm's program; returns what it printed."""
        name = {"U55": "FVP_Corstone_SSE-310", "U65": "FVP_Corstone_SSE-310_Ethos-U65"}[npu]
        runner = next(SSE310.glob(f"*sse-310-*-tflm-ethos-{npu}-*/mlek_inference_runner.axf"))
        data = self.file("input", b"".join(np.load(one).tobytes() for one in inputs))
        golden = b"".join(np.load(one).tobytes() for one in outputs)
        output = self.folder / "output"
        result = subprocess.run([pathlib.Path(MACAW).resolve().parent / name, "-a", runner, "--data", f"{network}@0x90000000",
                                 "--data", f"{data}@0x92000000", "--dump", f"{output}@0x93000000,{len(golden)}", "--force",
                                 "--timelimit", "180", "--stat", *options], capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("Inference completed.", result.stdout)
        self.assertEqual(output.read_bytes(), golden)
        return result.stdout

    @unittest.skipUnless(SSE310.is_dir(), "Arm's runners for SSE-310 (set MACAW_MLIA_ETHOS_U)")
    def test_corstone_310_runs_arms_runner(self):
        tensors = CORPUS / "measured/io"
        for name, (inputs, outputs) in NETWORKS.items():
            files = {"U65": CORPUS / f"device/networks/{name}.tflite",
                     "U55": CORPUS / f"measured/artifacts/u55_256_Shared_Sram/{name.replace('_u65_256', '')}.tflite"}
            for npu, network in files.items():
                with self.subTest(name, npu=npu):
                    printed = self.run_sse310(npu, network, [tensors / f"{one}.npy" for one in inputs],
                                              [tensors / f"{one}.npy" for one in outputs])
                    self.assertRegex(printed, f"ethos-{npu.lower()}-256: [1-9]")

    def infer(self, name, *options):
        """The counters that the runner printed, and as which options of `macaw sim` its job ran; the output is golden."""
        tensors = CORPUS / "measured/io"
        inputs, outputs = NETWORKS[name]
        data = self.file("input", b"".join(np.load(tensors / f"{one}.npy").tobytes() for one in inputs))
        golden = b"".join(np.load(tensors / f"{one}.npy").tobytes() for one in outputs)
        output = self.folder / "output"
        result = run("fvp", self.runner, "--npu", "ethos-u65-256", "--data",
                     f"{CORPUS}/device/networks/{name}.tflite@0x90000000", "--data", f"{data}@0x92000000", "--dump",
                     f"{output}@0x93000000,{len(golden)}", "--force", "--timelimit", 180, "--stat", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Inference completed.", result.stdout)
        self.assertEqual(output.read_bytes(), golden)
        settings = re.search(r"macaw sim NETWORK(.*)", result.stdout)
        return (dict((event, int(count)) for event, count in re.findall(r"NPU (\w+): (\d+)", result.stdout)),
                settings[1].split())

    def simulate(self, name, *options):
        inputs = [word for one in NETWORKS[name][0] for word in ("--input", CORPUS / f"measured/io/{one}.npy")]
        result = run("sim", CORPUS / f"device/networks/{name}.tflite", *inputs, "--memory-mode", "Dedicated_Sram",
                     "--json", *options)
        return json.loads(result.stdout)["pmu"]

    def test_every_job_has_a_report(self):
        name, folder = "kws_micronet_m_u65_256_vela", self.folder / "reports"
        ran, _ = self.infer(name, "--report-dir", folder)
        self.assertEqual([entry.name for entry in folder.iterdir()], ["job_1"])
        report = json.loads((folder / "job_1/report.json").read_text())
        self.assertEqual(report["cycles"], ran["ACTIVE"])
        for event in BEATS:
            self.assertEqual(report["pmu"][f"ETHOSU_PMU_{event}"], ran[event])
        ends = [operation["end"] for operation in report["operations"]]
        self.assertGreater(len(ends), 10)
        self.assertLessEqual(max(ends), report["cycles"])
        self.assertGreater((folder / "job_1/report.html").stat().st_size, 10_000)
        self.assertEqual(run("report", folder / "job_1/report.json").returncode, 0)

    def test_the_trace_of_the_counters_is_that_of_the_report(self):
        name, folder, trace = "kws_micronet_m_u65_256_vela", self.folder / "reports", self.folder / "trace.json.gz"
        self.infer(name, "--report-dir", folder, "-C", f"ethosu.extra_args=--fast --pmu-trace {trace}")
        of_report = self.folder / "of_report.json.gz"
        self.assertEqual(run("report", folder / "job_1/report.json", "--pmu-trace", of_report).returncode, 0)
        self.assertEqual(trace.read_bytes(), of_report.read_bytes())

    def test_outputs_are_golden_and_beats_and_cycles_those_of_the_simulator(self):
        for name in NETWORKS:
            for adapter in ("on", "off"):
                with self.subTest(name, adapter=adapter):
                    ran, settings = self.infer(name, "--timing-adapter", adapter)
                    simulated = self.simulate(name, "--timing-adapter", adapter, *settings)
                    self.assertEqual(ran["ACTIVE"], simulated["ETHOSU_PMU_NPU_ACTIVE"])
                    for event in BEATS:
                        self.assertEqual(ran[event], simulated[f"ETHOSU_PMU_{event}"])
                    if adapter == "off":  # other addresses, and transactions cut otherwise, make hardly a difference
                        active = self.simulate(name, "--timing-adapter", adapter)["ETHOSU_PMU_NPU_ACTIVE"]
                        self.assertLess(abs(ran["ACTIVE"] - active), 0.0005 * active)


if __name__ == "__main__":
    if not shutil.which("qemu-system-arm"):
        print("skipped: qemu-system-arm is not installed")
        sys.exit(0)
    unittest.main()
