"""macaw fvp MACAW by the names of Arm's platforms: what scripts around a platform read and connect to. Skipped with a line where
QEMU or the compiler is not installed."""
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
from arm_elf import COMPILER, TERMINAL, build, elf, prints, without_terminals  # noqa: E402

MACAW = pathlib.Path(sys.argv.pop(1)).resolve()
FVP = "FVP_Corstone_SSE-300_Ethos-U55"


class ArmNames(unittest.TestCase):
    # Prints AB on UART 0 and goes on for ever: ldr r0, uart; movs r1, #16; str r1, [r0, #16]; movs r1, #1; str r1, [r0, #8];
    # movs r1, #'A'; str r1, [r0]; movs r1, #'B'; str r1, [r0]; b .
    PRINT = struct.pack("<10HI", 0x4804, 0x2110, 0x6101, 0x2101, 0x6081, 0x2141, 0x6001, 0x2142, 0x6001, 0xE7FE, 0x59303000)

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def log(self, *arguments, name=FVP):
        result = subprocess.run([MACAW.parent / name, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, timeout=200)
        return result.returncode, without_terminals(result.stdout)

    def ports(self, program, count):
        """The ports of the terminals by their number, as the first lines of a program state them."""
        lines = [re.fullmatch(TERMINAL, program.stdout.readline().decode()) for _ in range(count)]
        return {int(line[1]): int(line[2]) for line in lines}

    def test_terminals_listen_without_an_option_and_keep_what_was_printed(self):
        """As "TelnetTerminal" of Arm's Fast Models Reference Manual (100964) has it. connectedhomeip waits for the line and connects
        (scripts/examples/openiotsdk_example.sh)."""
        program = subprocess.Popen([MACAW.parent / FVP, "-a", self.file("prints.axf", elf(self.PRINT)), "--timelimit", "60",
                                    "-C", "mps3_board.telnetterminal0.start_telnet=0", "-C", "mps3_board.telnetterminal2.quiet=1"],
                                   stdout=subprocess.PIPE)
        try:
            ports = self.ports(program, 3)
            self.assertEqual(list(ports), [0, 1, 5])
            self.assertTrue(all(5000 <= port < 6000 for port in ports.values()) and len(set(ports.values())) == 3, ports)
            self.assertEqual(program.stdout.read(2), b"AB")
            with socket.create_connection(("127.0.0.1", ports[0]), timeout=30) as peer:
                self.assertEqual(peer.recv(2, socket.MSG_WAITALL), b"AB")
        finally:
            program.kill()
            program.communicate()
        printed = subprocess.run([MACAW, "fvp", self.file("ends.axf", elf(prints("AB\x04"))), "--terminals"], capture_output=True, text=True,
                                 timeout=100).stdout
        self.assertEqual(len(re.findall(TERMINAL, printed)), 4)

    def test_the_file_of_a_uart_is_written_while_the_application_runs(self):
        file = self.file("log", b"an older run")
        program = subprocess.Popen([MACAW.parent / FVP, "-a", self.file("prints.axf", elf(self.PRINT)), "--timelimit", "60",
                                    "-C", f"mps3_board.uart0.out_file={file}"], stdout=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 50
            while file.read_bytes() != b"AB" and time.monotonic() < until:
                time.sleep(0.1)
        finally:
            program.kill()
            program.wait()
        self.assertEqual(file.read_bytes(), b"AB")
        code, log = self.log("-a", self.folder / "prints.axf", "-C", f"mps3_board.uart0.out_file={self.folder}/no/log")
        self.assertEqual(code, 3)
        self.assertIn("no/log", log)

    def test_standard_output_by_its_file_is_written_once(self):
        self.assertEqual(self.log("-a", self.file("ends.axf", elf(prints("AB\x04"))), "-C", "mps3_board.uart0.out_file=/dev/stdout"), (0, "AB"))

    def test_the_version_is_read_as_that_of_arms_platform(self):
        code, log = self.log("--version")
        self.assertEqual(code, 0)
        version = re.match(r"Fast Models \[(\d+\.\d+\.\d+) \(.+\)\]", log)[1]
        self.assertEqual(re.search(r"[0-9]+\.[0-9]+\.[0-9]+", log)[0], version)
        self.assertEqual(log.splitlines()[0].split()[2], f"[{version}")
        self.assertIn("macaw ", log)
        self.assertNotIn("Fast Models", self.log("fvp", "--version", name="macaw")[1])

    def test_the_reset_address_of_the_subsystem(self):
        reset = "mps3_board.sse300.iotss3_systemcontrol.INITSVTOR_RST"
        for name, address in ((FVP, 0x70000000), ("FVP_Corstone_SSE-310", 0), ("FVP_Corstone_SSE-310", 0x70000000)):
            with self.subTest(name, address=address):
                application = self.file("app.axf", elf(prints("AB\x04"), address))
                self.assertEqual(self.log("-a", application, "--timelimit", 60, "-C", f"{reset}={address:#x}", name=name), (0, "AB"))
        self.assertEqual(self.log("-a", application, "-C", f"{reset}=1")[0], 2)

    def test_the_configuration_names_of_2020(self):
        """ethosu.config of 11.12 (targets/corstone-300/CMakeLists.txt of Arm's ethos-u-core-platform, 715c07b)."""
        application = self.file("ends.axf", elf(prints("AB\x04")))
        for config, npu in (("H256", "ethos-u55-256"), ("Y512", "ethos-u65-512")):
            code, log = self.log("-a", application, "--stat", "-C", f"ethosu.config={config}")
            self.assertEqual(code, 0, log)
            self.assertIn(f"{npu}: 0 jobs", log)
        for config in ("256", "Hx", "", "X256"):
            self.assertEqual(self.log("-a", application, "-C", f"ethosu.config={config}")[0], 2)

    def test_a_program_connects_to_the_port_of_a_uart(self):
        application = build("echo", self.folder)
        program = subprocess.Popen([MACAW.parent / FVP, "-a", application, "--timelimit", "60", "-C", "cpu0.semihosting-cmd_line=echo 0",
                                    "-C", "mps3_board.telnetterminal0.start_telnet=1", "-C", "mps3_board.telnetterminal0.start_port=5600"],
                                   stdout=subprocess.PIPE)
        ports = self.ports(program, 4)
        self.assertEqual(list(ports), [0, 1, 2, 5])
        port = ports[0]
        self.assertGreaterEqual(port, 5600)
        with socket.create_connection(("127.0.0.1", port), timeout=30) as peer:
            peer.sendall(b"hello")
            received = b""
            while len(received) < 5:
                received += peer.recv(100)
            peer.sendall(b"\x04")
            self.assertEqual(received, b"hello")
        self.assertEqual(program.communicate(timeout=60)[0], b"hello")
        self.assertEqual(program.returncode, 0)


if __name__ == "__main__":
    for program in ("qemu-system-arm", COMPILER):
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            sys.exit(0)
    unittest.main()
