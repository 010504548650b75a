"""macaw fvp MACAW: applications in C (bare_metal/, built here by arm-none-eabi-gcc) on QEMU: jobs of the NPU while timers
interrupt, what semihosting reaches of the host, and how runs end that the application does not end. Skipped with a line
where QEMU or the compiler is not installed."""
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
sys.path[:0] = [str(HERE)]
from arm_elf import COMPILER, build, elf, intel_hex, prints, without_terminals  # noqa: E402

MACAW = pathlib.Path(sys.argv.pop(1)).resolve()
QEMU = "qemu-system-arm"
TRACE = HERE.parents[3] / "traces/tiny_cnn"
COMMAND_STREAM = 2  # action of the driver's payload
FOR_EVER = struct.pack("<H", 0xE7FE)


def tree(folder):
    """Every path below a folder, with the bytes of the files."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
            for path in folder.rglob("*")}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, data, mode=0o644):
        (self.folder / name).write_bytes(data)
        (self.folder / name).chmod(mode)
        return self.folder / name

    def run_macaw(self, *arguments, program="macaw", **options):
        return subprocess.run([MACAW.parent / program, *map(str, arguments)], capture_output=True, text=True, timeout=400, **options)

    def fvp(self, *arguments, **options):
        return self.run_macaw("fvp", *arguments, **options)


class Jobs(Case):
    JOBS, RUNS = 500, 3

    def setUp(self):
        super().setUp()
        network = np.load(TRACE / "ethos-u55-128/tiny_cnn.npz")
        payload = network["cmd_data"].tobytes()
        self.assertEqual(payload[28], COMMAND_STREAM)
        stream = payload[32:]
        files = {"0x600ffffc": struct.pack("<I", len(stream)) + stream, "0x61000000": network["weight_data"].tobytes(),
                 "0x63000000": np.load(TRACE / "input_0.npy").tobytes(),
                 "0x64000000": np.load(TRACE / "ethos-u55-128/output_0.npy").tobytes()}
        self.data = [word for address, data in files.items() for word in ("--data", f"{self.file(address, data)}@{address}")]
        self.application = build("jobs", self.folder)

    def run_jobs(self, count, line):
        result = self.fvp(self.application, *self.data, "--stat", "--timelimit", 300, "-C",
                          f"cpu0.semihosting-cmd_line=jobs {line}")
        self.assertIn(f"{count} jobs, {count} interrupts, 0 wrong, with ticks\n", result.stdout, result.stderr)
        self.assertIn(f"ethos-u55-128: {count} jobs;", result.stdout)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_each_job_runs_once_while_a_timer_interrupts(self):
        for hertz in (1_000, 10_000):
            for run in range(self.RUNS):
                with self.subTest(hertz=hertz, run=run):
                    self.run_jobs(self.JOBS, f"{hertz} {self.JOBS}")

    def counts(self, line):
        file = self.folder / "instructions.csv"
        result = self.fvp(self.application, *self.data, "--stat", "--cpu-instructions", file, "--force", "-C", f"cpu0.semihosting-cmd_line=jobs {line}")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return result.stdout, file.read_text().split()

    def test_instructions_between_jobs_are_those_that_the_application_has(self):
        """Each job comes behind 1,000 turns more of a loop of two instructions than the one before; a timer makes them unknown."""
        text, lines = self.counts("0 9")
        counts = [int(line.split(",")[1]) for line in lines[1:]]
        for before, after in zip(counts[1:], counts[2:], strict=False):
            self.assertAlmostEqual(after - before, 2000, delta=2)
        self.assertTrue(3 * 3072 < counts[0] < 10 * 3072, counts)  # bytes of the input are copied
        self.assertIn(f"CPU instructions: {counts[0]:,} before the first job, {counts[1]:,} to {counts[8]:,} between two jobs", text)
        text, lines = self.counts("1000 3")
        self.assertEqual((lines, "unknown, as a timer of the application runs" in text), (["job,cpu_instructions_before", "1,", "2,", "3,"], True))

    def test_code_without_privileges_gets_the_interrupt(self):
        self.run_jobs(20, "10000 20 unprivileged")


class Host(Case):
    OUTSIDE = ("/etc/passwd", "../secret", "sub/../../secret", "link", "sub/linked/secret", "pipe", "", ".", "/proc/self/mem",
               "./../secret", "sub//../../secret")

    def setUp(self):
        super().setUp()
        self.application = build("hostile", self.folder)
        self.opened = self.folder / "opened"
        (self.opened / "sub").mkdir(parents=True)
        for name, text in (("secret", "secret"), ("opened/inside", "within"), ("opened/sub/inside", "sub"), ("opened/victim", "v")):
            self.file(name, text.encode())
        (self.opened / "link").symlink_to("../secret")
        (self.opened / "sub/linked").symlink_to("../..")
        os.mkfifo(self.opened / "pipe")

    def attempts(self, *options):
        result = self.fvp(self.application, "--timelimit", 60, *options, cwd=self.opened)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        attempts = [tuple(line.rsplit(": ", 1)) for line in result.stdout.splitlines() if ": " in line]
        outside = [f"{what} {name}" for name in self.OUTSIDE for what in ("read", "write", "rename")]
        outside += ["remove ../secret", "remove sub/linked/secret", "remove sub", "run touch owned", "open nowhere", "open endless",
                    "close closed"]
        for attempt in outside:
            self.assertIn((attempt, "-1"), attempts)
        self.assertEqual({value for attempt, value in attempts if attempt in outside}, {"-1"})
        for attempt in (("read closed", "16"), ("clock ", "1"), ("time ", "1")):
            self.assertIn(attempt, attempts)
        self.assertIn("hello\n", result.stdout)  # the console
        return dict(attempts)

    def test_nothing_of_the_host_is_reached_by_default(self):
        before = tree(self.folder)
        attempts = self.attempts()
        self.assertEqual({attempts[name] for name in ("read inside", "read sub/inside", "write new", "remove victim")}, {"-1"})
        self.assertEqual(tree(self.folder), before)

    def check_opened(self, *options):
        expected = tree(self.folder)
        for gone in ("opened/inside", "opened/victim"):
            del expected[gone]
        expected |= {"opened/new": b"guest", "opened/sub/inside": b"subguest", "opened/sub/renamed": b"within", "opened/many": b""}
        attempts = self.attempts(*options)
        done = {"read inside": "6", "length inside": "6", "seek inside": "0", "read sub/inside": "3", "write new": "0",
                "write sub/inside": "0", "rename sub/renamed": "0", "remove victim": "0", "open many": "64"}
        self.assertEqual({name: attempts[name] for name in done}, done)
        self.assertEqual(tree(self.folder), expected)

    def test_one_folder_can_be_opened(self):
        self.check_opened("--semihosting-folder", ".")

    def test_one_folder_can_be_opened_by_the_parameter_of_arms_platform(self):
        self.check_opened("-C", f"cpu0.semihosting-cwd={self.opened}")

    def test_a_folder_that_is_missing_is_named(self):
        result = self.fvp(self.application, "--semihosting-folder", self.folder / "missing")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (3, 1), result.stderr)
        self.assertIn(str(self.folder / "missing"), result.stderr)

    def test_qemu_runs_in_a_sandbox_and_without_a_network(self):
        record = self.file("record.sh", f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {self.folder}/words\n".encode(), 0o755)
        self.fvp(self.application, "--qemu", record)
        words = (self.folder / "words").read_text().splitlines()
        value = dict(zip(words, words[1:]))
        self.assertEqual(value["-nic"], "none")
        self.assertTrue(value["-sandbox"].startswith("on,"))
        for denied in ("spawn", "elevateprivileges", "resourcecontrol", "obsolete"):
            self.assertIn(f"{denied}=deny", value["-sandbox"])
        self.assertIn("target=gdb", value["-semihosting-config"])  # QEMU opens nothing itself
        program = subprocess.Popen([MACAW, "fvp", self.file("never.axf", elf(FOR_EVER)), "--timelimit", "60"],
                                   stderr=subprocess.DEVNULL)
        try:
            time.sleep(2)
            status = pathlib.Path(f"/proc/{child_of(program)}/status").read_text()
        finally:
            program.kill()
            program.wait()
        self.assertIn("Seccomp:\t2\n", status)  # a filter of system calls


def child_of(program):
    children = pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
    return int(children[0])


class Ends(Case):
    def refused(self, result, text, code=3):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_a_lockup_of_the_cpu_is_one_sentence(self):
        self.refused(self.fvp(build("lockup", self.folder), "--timelimit", 60), "the CPU locked up", 5)
        self.assertEqual(sorted(path.suffix for path in self.folder.iterdir()), [".axf"])  # no core file

    def test_applications_for_another_corstone_are_refused(self):
        """SSE-310, 315 and 320 start at 0x11000000; SSE-300 has memory there, and none at 0x12000000."""
        elsewhere = self.file("elsewhere.axf", elf(FOR_EVER, 0x11000000))
        result = self.fvp(elsewhere, "--timelimit", 60)
        self.refused(result, "no vector table at 0x0 or 0x10000000")
        self.assertIn("add --platform sse-310", result.stderr)
        self.refused(self.fvp(self.file("none.axf", elf(FOR_EVER, 0x12000000)), "--timelimit", 60), "0x12000000")
        vectors = self.file("vectors", struct.pack("<II", 0x30001000, 0x11000009))
        self.refused(self.fvp(elsewhere, "--data", f"{vectors}@0x10000000", "--timelimit", 2), "did not end within 2 seconds")

    def test_qemus_own_error_is_shown(self):
        broken = self.file("broken.sh", b"#!/bin/sh\necho 'qemu: warning: x' >&2\necho 'qemu: out of luck' >&2\nexit 1\n", 0o755)
        self.refused(self.fvp(self.file("never.axf", elf(FOR_EVER)), "--qemu", broken), "qemu: out of luck")

    def check_time(self, *arguments, then=lambda program: None):
        began = time.monotonic()
        program = subprocess.Popen([MACAW, "fvp", *map(str, arguments), "--timelimit", "2"], stderr=subprocess.PIPE, text=True)
        then(program)
        _, said = program.communicate(timeout=60)
        self.assertEqual((program.returncode, len(said.splitlines())), (3, 1), said)
        self.assertIn("did not end within 2 seconds", said)
        self.assertLess(time.monotonic() - began, 20)

    def test_the_time_limit_holds_where_qemu_is_silent(self):
        application = self.file("never.axf", elf(FOR_EVER))
        silent = self.file("silent.sh", b"#!/bin/sh\nexec sleep 100\n", 0o755)
        self.check_time(application, "--qemu", silent)

        def stop(program):
            time.sleep(1)
            os.kill(child_of(program), signal.SIGSTOP)

        self.check_time(application, then=stop)

    def test_the_time_limit_holds_where_the_console_waits_for_input(self):
        # READC: movs r0, #7; bkpt 0xab; b .
        reader, writer = os.pipe()
        try:
            result = self.fvp(self.file("reads.axf", elf(struct.pack("<3H", 0x2007, 0xBEAB, 0xE7FE))), "--timelimit", 2, stdin=reader)
        finally:
            os.close(reader)
            os.close(writer)
        self.refused(result, "did not end within 2 seconds")


class ArmNames(Case):
    FVP = "FVP_Corstone_SSE-300_Ethos-U55"
    PROBLEM = r"(?m)^(F|E|\[critical\]|Hard fault.|Info: Simulation is stopping. Reason: CPU time has been exceeded.).*$"
    # Prints AB on UART 0 and goes on for ever: ldr r0, uart; movs r1, #16; str r1, [r0, #16]; movs r1, #1; str r1, [r0, #8];
    # movs r1, #'A'; str r1, [r0]; movs r1, #'B'; str r1, [r0]; b .
    PRINT = struct.pack("<10HI", 0x4804, 0x2110, 0x6101, 0x2101, 0x6081, 0x2141, 0x6001, 0x2142, 0x6001, 0xE7FE, 0x59303000)

    def log(self, *arguments, name=FVP):
        """Both outputs in one, as backends/arm/scripts/run_fvp.sh of pytorch/executorch (0c8ce9e) searches it for PROBLEM."""
        result = subprocess.run([MACAW.parent / name, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, timeout=200)
        return result.returncode, without_terminals(result.stdout)

    def test_what_cannot_run_is_marked_as_an_error(self):
        application = self.file("never.axf", elf(FOR_EVER))
        for name, arguments in ((self.FVP, ("-a", "missing.axf")), (self.FVP, ("-a", application, "-C", "ethosu.num_macs=x")),
                                (self.FVP, ("-a", application, "--no-such-option")), (self.FVP, ("-a", application, "--timelimit", "x")),
                                (self.FVP, ()), (self.FVP, ("-a", build("lockup", self.folder), "--timelimit", 60)),
                                ("FVP_Corstone_SSE-320", ("-a", application))):
            with self.subTest(name, arguments=arguments):
                code, log = self.log(*arguments, name=name)
                self.assertNotEqual(code, 0)
                self.assertRegex(log, r"(?m)^E: .")
                self.assertRegex(log, self.PROBLEM)

    def test_the_time_limit_ends_with_the_line_of_arms_platform(self):
        code, log = self.log("-a", self.file("prints.axf", elf(self.PRINT)), "-C", "mps3_board.uart0.out_file=-", "--timelimit", 2)
        self.assertEqual(code, 3)
        lines = log.splitlines()
        self.assertEqual(lines[0], "AB")
        self.assertRegex(lines[1], "^E: .*did not end within 2 seconds")
        self.assertEqual(lines[2:], ["Info: Simulation is stopping. Reason: CPU time has been exceeded."])

    def test_quotes_around_values_are_stripped(self):
        application = self.file("prints.axf", elf(self.PRINT))
        for quoted in ('mps3_board.uart0.{}="{}"', "mps3_board.uart0.{}='{}'", '"mps3_board.uart0.{}={}"', '"mps3_board.uart0.{}"={}'):
            with self.subTest(quoted):
                code, log = self.log("-a", application, "--timelimit", 60, *(word for name, value in
                                     (("out_file", "-"), ("shutdown_tag", "AB")) for word in ("-C", quoted.format(name, value))))
                self.assertEqual((code, log), (0, "AB"))
        code, log = self.log("-a", application, "--timelimit", 60, "-C", 'mps3_board.uart0.shutdown_tag=A"B"')
        self.assertEqual((code, log), (0, "AB"))

    def test_quotes_inside_a_command_line_are_the_applications(self):
        # Prints the command line: movs r0, #0x15; adr r1, block; bkpt 0xab; movs r0, #4; ldr r1, buffer; bkpt 0xab; b .
        code = struct.pack("<8HII", 0x2015, 0xA103, 0xBEAB, 0x2004, 0x4901, 0xBEAB, 0xE7FE, 0xBF00, 0x20003000, 80)
        _, log = self.log("-a", self.file("line.axf", elf(code)), "--timelimit", 2, "-C",
                          """cpu0.semihosting-cmd_line='run "a b" c'""")
        self.assertEqual(log.splitlines()[0], 'run "a b" c')

    def test_tvms_command_line(self):
        settings = ["cpu0.CFGDTCMSZ=15", "cpu0.CFGITCMSZ=15", 'mps3_board.uart0.out_file="-"', 'mps3_board.uart0.shutdown_tag="AB"',
                    "mps3_board.visualisation.disable-visualisation=1", *(f"mps3_board.telnetterminal{i}.start_telnet=0" for i in
                    (0, 1, 2, 5)), 'ethosu.extra_args="--fast"', "ethosu.num_macs=256"]
        code, log = self.log(*(word for one in settings for word in ("-C", one)), self.file("prints.axf", elf(self.PRINT)))
        self.assertEqual((code, log), (0, "AB"))

    def test_unknown_and_ignored_parameters_are_warnings(self):
        application = self.file("prints.axf", elf(self.PRINT))
        config = self.file("config.txt", b"# Parameters:\nmps3_board.uart0.shutdown_tag=\"AB\"  # (string, init-time)\n\n x.y=1\n")
        result = subprocess.run([MACAW.parent / self.FVP, "-a", application, "-f", config, "-C", "mps3_board.v_path=x", "-C",
                                 "cpu0.semihosting-enable=TRUE", "-C", "ethosu.extra_args=--fast --other", "-Q", "10", "-V", "x"],
                                capture_output=True, text=True, timeout=100)
        self.assertEqual((result.returncode, without_terminals(result.stdout)), (0, "AB"), result.stderr)
        warnings = result.stderr.splitlines()
        self.assertEqual(len(warnings), 4, warnings)
        for warning, part in zip(warnings, ("x.y: unknown parameter", "v_path=x: ignored", "--other is ignored", "-V,--v-path: ignored")):
            self.assertTrue(warning.startswith("Warning: ") and part in warning, warning)

    def test_mistakes_in_a_configuration_file_name_its_line(self):
        application = self.file("never.axf", elf(FOR_EVER))
        for text, part in (("\nethosu.num_macs=many", "line 2: ethosu.num_macs=many: expected an integer"), ("nothing", "line 1"),
                           ("mps3_board.uart0.shutdown_on_eot=maybe", "expected true or false")):
            code, log = self.log("-a", application, "-f", self.file("config.txt", text.encode()))
            self.assertEqual(code, 2, log)
            self.assertIn(part, log)
        self.assertEqual(self.log("-a", application, "-f", "missing.txt")[0], 3)

    def test_the_list_of_parameters_is_a_configuration_file(self):
        code, listed = self.log("-l")
        self.assertEqual(code, 0)
        for line in ("ethosu.num_macs=128 ", "mps3_board.uart5.out_file=\"\" ", "cpu0.semihosting-enable=1 "):
            self.assertIn("\n" + line, listed)
        self.assertIn("\nmps4_board.subsystem.ethosu.num_macs=256 ", self.log("--list-params", name="FVP_Corstone_SSE-320")[1])
        self.assertEqual(self.log("-l", "-o", self.folder / "list.txt")[0], 0)
        self.assertEqual((self.folder / "list.txt").read_text(), listed)
        config = listed.replace("start_telnet=1", "start_telnet=0")
        application = self.file("prints.axf", elf(prints("AB\x04")))
        self.assertEqual(self.log("-a", application, "-f", self.file("all.txt", config.encode())), (0, "AB"))

    def test_limits_end_the_run_as_arms_platform_says(self):
        application, reason = self.file("prints.axf", elf(self.PRINT)), "Info: Simulation is stopping. Reason: {} has been exceeded."
        for options, limit in ((("--simlimit", "1.5"), "Simulated time"), (("--cyclelimit", "25000000"), "Cycle limit"),
                               (("--cyclelimit", "200000000", "-C", "core_clk.mul=200000000"), "Cycle limit"),
                               (("--cpulimit", "1"), "CPU time")):
            with self.subTest(options):
                began = time.monotonic()
                code, log = self.log("-a", application, *options)
                self.assertEqual((code, log.splitlines()), (0, ["AB", reason.format(limit)]))
                self.assertGreater(time.monotonic() - began, 0.9)
        self.assertEqual(self.log("-a", application, "--simlimit", "1", "-q"), (0, "AB\n"))
        self.assertEqual(self.log("-a", application, "--simlimit", "-1")[0], 2)

    def test_images_of_every_form(self):
        image = elf(prints("AB\x04"))
        raw = self.file("image.bin", image[84:])
        for images in ((f"{raw}@0x0",), (f"cpu0={raw}@0X10000000",), (self.file("image.hex", intel_hex(0, image)),),
                       (self.file("other.axf", elf(FOR_EVER, 0x01000000)), self.file("image.axf", image))):
            with self.subTest(images):
                self.assertEqual(self.log(*(word for one in images for word in ("-a", one)), "--timelimit", 60), (0, "AB"))
        self.assertEqual(self.log("--data", f"{raw}@0x10000000"), (0, "AB"))  # as uVision calls it (MDK-Packs/TrustZone)
        application = self.file("image.axf", image)
        for data in (("-d", f"{raw}@0x70000000"), ("--data", f"cpu0={raw}@0:0x70000000"), ("--dump", f"{self.folder}/dump@0:0x70000000,4")):
            self.assertEqual(self.log(*data, "-a", f"cpu_core.cpu0*={application}", ""), (0, "AB"))
        broken = intel_hex(0, image).replace(b":02000004", b":02000005", 1)
        for name, data, part in (("broken.hex", broken, "line 1 is not a record of Intel HEX"),
                                 ("open.hex", intel_hex(0, image)[:-12], "without a record that ends it")):
            code, log = self.log("-a", self.file(name, data))
            self.assertEqual(code, 3)
            self.assertIn(part, log)
        self.assertEqual(self.log("-a", f"cpu1={raw}@0")[0], 2)

    def test_a_uart_receives_a_file_and_standard_input(self):
        application = build("echo", self.folder)
        for name, uart, files in (("uart0", 0, True), ("uart1", 1, True), ("uart0", 0, False)):
            with self.subTest(name, files=files):
                given = self.file("input", b"over and over " * 400 + b"\x04")
                settings = ["-C", f"mps3_board.{name}.in_file={given if files else '-'}", "-C", f"mps3_board.{name}.out_file=-",
                            "-C", f"mps3_board.{name}.shutdown_on_eot=1", "-C", f"cpu0.semihosting-cmd_line=echo {uart}"]
                with given.open("rb") as standard_input:
                    quiet = [word for i in (0, 1, 2, 5) for word in ("-C", f"mps3_board.telnetterminal{i}.quiet=1")]
                    result = subprocess.run([MACAW.parent / self.FVP, "-a", application, "--timelimit", "60", *settings, *quiet],
                                            capture_output=True, timeout=100, stdin=subprocess.DEVNULL if files else standard_input)
                self.assertEqual((result.returncode, result.stdout), (0, given.read_bytes()[:-1]), result.stderr)
        self.assertEqual(self.log("-a", application, "-C", "mps3_board.uart0.in_file=missing")[0], 3)

    def test_every_name_of_arms_platforms(self):
        for kind in ("FVP", "VHT"):
            for board in ("", "MPS3_"):
                for system in ("SSE-300", "SSE-300_Ethos-U55", "SSE-300_Ethos-U65", "SSE-310", "SSE-310_Ethos-U65"):
                    self.assertEqual(self.log("--version", name=f"{kind}_{board}Corstone_{system}")[0], 0)
        application = self.file("never.axf", elf(FOR_EVER))
        for system in ("SSE-315", "SSE-320"):
            code, log = self.log("-a", application, name=f"VHT_Corstone_{system}")
            self.assertEqual(code, 3)
            self.assertIn(f"QEMU does not model Corstone {system}", log)
            self.assertIn("0x12000000", log)

    def test_corstone_310_starts_elsewhere_and_its_cpu_is_a_cortex_m85(self):
        # Exits by semihosting with bits 4 to 11 of CPUID: ldr r0, cpuid; ldr r1, [r0]; lsrs r1, #4; uxtb r1, r1; ldr r2, block;
        # ldr r3, reason; str r3, [r2]; str r1, [r2, #4]; mov r1, r2; movs r0, #32; bkpt 0xab; nop
        code = struct.pack("<12H3I", 0x4805, 0x6801, 0x0909, 0xB2C9, 0x4A04, 0x4B05, 0x6013, 0x6051, 0x4611, 0x2020, 0xBEAB, 0xBF00,
                           0xE000ED00, 0x20000100, 0x20026)
        for name, address, part in (("FVP_Corstone_SSE-310", 0x11000000, 0x23), ("FVP_Corstone_SSE-300", 0, 0x22)):
            with self.subTest(name):
                code_and_log = self.log("-a", self.file("cpuid.axf", elf(code, address)), "--timelimit", 60, name=name)
                self.assertEqual(code_and_log, (part, ""))

    def test_out_file_is_overwritten_and_uart_log_is_not(self):
        application, log = self.file("prints.axf", elf(self.PRINT)), self.file("log", b"an older, longer text")
        common = ("-a", application, "--timelimit", 60, "-C", "mps3_board.uart0.shutdown_tag=AB")
        self.assertEqual(self.log(*common, "-C", f"mps3_board.uart0.out_file={log}")[0], 0)
        self.assertEqual(log.read_bytes(), b"AB")
        self.assertEqual(self.log(*common, "--uart-log", log)[0], 2)
        self.assertEqual(log.read_bytes(), b"AB")

    def test_a_terminal_gets_no_control_characters(self):
        # Writes by WRITE0: movs r0, #4; adr r1, text; bkpt 0xab; b .
        code = struct.pack("<4H", 0x2004, 0xA101, 0xBEAB, 0xE7FE) + b"\x1b]0;x\x07\xc2\x9bok\n\0"
        application = self.file("writes.axf", elf(code))
        master, terminal = os.openpty()
        try:
            program = subprocess.Popen([MACAW, "fvp", application, "--timelimit", "2"], stdout=terminal, stderr=subprocess.DEVNULL)
            program.wait(60)
            shown = os.read(master, 1000)
        finally:
            os.close(master)
            os.close(terminal)
        self.assertIn(b"ok", shown)
        self.assertNotIn(b"\x1b", shown)
        self.assertNotIn(b"\xc2\x9b", shown)
        self.assertIn(b"\x1b]0;x\x07", self.fvp(application, "--timelimit", 2).stdout.encode())


if __name__ == "__main__":
    missing = [program for program in (COMPILER, QEMU) if not shutil.which(program)]
    if missing:
        print(f"skipped: {missing[0]} is not installed")
        sys.exit(77)
    unittest.main()
