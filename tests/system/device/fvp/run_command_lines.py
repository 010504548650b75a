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
from arm_elf import elf, intel_hex, prints  # noqa: E402

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
                files[name] = "# Parameters:\n" + "".join(f"{one}   # (type) : text\n" for one in settings.split())
            else:
                yield source, dict(files), shlex.split(line)


def values(words, *options):
    return [after for word, after in zip(words, words[1:]) if word in options]


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

    def prepare(self, words, files):
        start = 0x11000000 if "SSE-310" in words[0] else 0
        applications = [re.sub(r"^cpu0\*?=", "", one) for one in values(words, "-a")]
        if not applications and words[-1].endswith((".axf", ".elf")) or "bin/" in words[-1] or "runner" in words[-1]:
            applications.append(words[-1])
        for name in applications:
            code = prints(TEXT + "\x04")
            self.file(name, intel_hex(start, elf(code, start)) if name.endswith(".hex") else elf(code, start))
        for name in values(words, "--data"):
            path = name.rsplit("@", 1)[0]
            if path not in applications:
                self.file(path, b"data")
        for name, text in files.items():
            self.file(name, text.encode())

    def settings(self, words, files):
        every = [line.split("#")[0].strip() for text in files.values() for line in text.splitlines()] + values(words, "-C")
        pairs = [one.partition("=") for one in every if "=" in one]
        return {name.removeprefix("cpu_core."): value.strip("'\"") for name, _, value in pairs}

    def check(self, words, files):
        self.prepare(words, files)
        named = {name: text for name, text in files.items() if name in words}
        settings, platform = self.settings(words, named), words[0].partition("Corstone_")[2]
        result = subprocess.run([MACAW.parent / words[0], *words[1:], *([] if {"--list-params", "--stat"} & set(words) else ["--stat"])],
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
        self.assertIn(printed, result.stdout)
        out = settings.get("mps3_board.uart0.out_file", "-")
        if out != "-":
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
        self.assertGreaterEqual(done, 40)


if __name__ == "__main__":
    if not shutil.which("qemu-system-arm"):
        print("skipped: qemu-system-arm is not installed")
        sys.exit(0)
    unittest.main()
