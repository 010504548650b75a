"""macaw fvp MACAW: the command lines of command_lines.txt, each in a folder with the files that it names and with a small
application, which prints a line, TVM's tag and EOT. Skipped with a line where QEMU is not installed."""
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
from arm_elf import TERMINAL, elf, intel_hex, prints  # noqa: E402

MACAW = pathlib.Path(sys.argv.pop(1)).resolve()
TEXT = "Hello\nEXITTHESIM\n"
NPU = {"SSE-300": "ethos-u55-128", "SSE-300_Ethos-U55": "ethos-u55-128", "SSE-300_Ethos-U65": "ethos-u65-256", "SSE-310": "ethos-u55-256",
       "SSE-310_Ethos-U65": "ethos-u65-256"}


def entries():
    """Yields for each command line: its source, the configuration files, the words."""
    source, files = "", {}
    for line in (HERE / "command_lines.txt").read_text().splitlines():
        if line.startswith("["):
            source, files = line[1:-1], {}
        elif line and not line.startswith("#"):
            name, _, settings = line.partition(": ")
            if " " not in name:
                pairs = re.findall(r'\S+="[^"]*"|\S+', settings)
                files[name] = "# Parameters:\n" + "".join(f"{one}   # (type) : text\n" for one in pairs)
            else:
                yield source, dict(files), shlex.split(line)


VALUED = {"-a", "--application", "-C", "--parameter", "-f", "--config-file", "--data", "-V", "-Q", "--plugin", "--simlimit",
          "--timelimit", "--cyclelimit", "--cpulimit"}


def values(words, *options):
    return [after for word, after in zip(words, words[1:]) if word in options]


def applications(words):
    plain = [word for before, word in zip(words, words[1:]) if word and not word.startswith("-") and before not in VALUED]
    return [re.sub(r"^(cpu_core\.)?cpu0\*?=", "", one) for one in values(words, "-a", "--application") + plain]


class CommandLines(unittest.TestCase):
    def setUp(self):
        # Lines name files beside and above the folder that they are called in.
        top = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = top / "a/b/c"
        self.folder.mkdir(parents=True)

    def file(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def prepare(self, words, files, settings):
        vectors = [settings[name] for name in ("mps3_board.sse300.iotss3_systemcontrol.INITSVTOR_RST", "cpu0.INITSVTOR") if name in settings]
        start = int(vectors[0], 0) if vectors else 0x11000000 if "SSE-310" in words[0] else 0
        code = prints(TEXT + "\x04")
        for i, name in enumerate(applications(words)):
            image = elf(code, start + i * 0x1000)  # the CPU starts in the first one
            self.file(name, intel_hex(start, image) if name.endswith(".hex") else image)
        for name in values(words, "--data"):
            path = name.rsplit("@", 1)[0]
            if path not in applications(words):
                self.file(path, b"data")
        for name, text in files.items():
            self.file(name, text.encode())

    def settings(self, words, files):
        every = [line.split("#")[0].strip() for text in files.values() for line in text.splitlines()] + values(words, "-C", "--parameter")
        pairs = [one.partition("=") for one in every if "=" in one]
        return {name.removeprefix("cpu_core."): value.strip("'\"") for name, _, value in pairs}

    def check(self, words, files):
        named = {name: text for name, text in files.items() if name in words}
        settings, platform = self.settings(words, named), words[0].partition("Corstone_")[2]
        self.prepare(words, files, settings)
        statistics = [] if {"--list-params", "--stat"} & set(words) else ["--stat"]
        result = subprocess.run([MACAW.parent / words[0], *statistics, *words[1:]],
                                cwd=self.folder, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for line in result.stderr.splitlines():
            self.assertRegex(line, "^Warning: .*ignored")
        if "--list-params" in words:
            self.assertIn("\nmps3_board.uart0.out_file=", result.stdout)
            return
        npu = NPU[platform]
        if "ethosu.num_macs" in settings:
            npu = f"{npu.rpartition('-')[0]}-{settings['ethosu.num_macs']}"
        self.assertIn(f"{npu}: 0 jobs", result.stdout)
        printed = TEXT.partition("\n")[0]
        self.assertEqual(result.stdout.splitlines().count(printed), 1)
        terminals = [i for i in "0125" if settings.get(f"mps3_board.telnetterminal{i}.quiet") != "1"]
        self.assertEqual([number for number, _ in re.findall(TERMINAL, result.stdout)], terminals)
        out = settings.get("mps3_board.uart0.out_file", "-")
        if out not in ("-", "/dev/stdout"):
            self.assertIn(printed, (self.folder / out).read_text())
        for name in ("mps3_board.v_path", "mps3_board.smsc_91c111.enabled", "cpu0.MVE"):
            self.assertEqual(name in settings, f"Warning: {name}=" in result.stderr or f"Warning: cpu_core.{name}=" in result.stderr, name)
        for option in ("-V", "--plugin"):
            self.assertEqual(option in words, f"Warning: {option}" in result.stderr, option)

    def test_each_is_accepted_and_does_what_it_says(self):
        done = 0
        for source, files, words in entries():
            with self.subTest(source, words=" ".join(words)):
                self.check(words, files)
            done += 1
        self.assertGreaterEqual(done, 62)


if __name__ == "__main__":
    if not shutil.which("qemu-system-arm"):
        print("skipped: qemu-system-arm is not installed")
        sys.exit(0)
    unittest.main()
