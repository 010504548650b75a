#!/usr/bin/python3
"""Exit codes of docs/CLI.md by the calls that end in each."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy

TRACE = pathlib.Path("traces/tiny_cnn")
NETWORK = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
GRAPH = TRACE / "tiny_cnn.tosa"
INPUT = TRACE / "input_0.npy"
DONE, MISMATCH, USAGE, INVALID, FAULT = 0, 1, 2, 3, 5


class ExitCodes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ends(self, expected, *arguments):
        done = subprocess.run([os.environ["MACAW"], *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, expected, f"{arguments}\n{done.stdout[-500:]}{done.stderr}")
        return done.stdout + done.stderr

    def changed(self, **arrays):
        """The network with other arrays."""
        file = self.folder / "changed.npz"
        numpy.savez(file, **{**numpy.load(NETWORK), **arrays})
        return file

    def test_calls(self):
        for arguments in ((), ("nothing",), ("sim",), ("sim", NETWORK, "--no-option"), ("sim", NETWORK, "--mode", "no"),
                          ("sim", NETWORK, "--input", INPUT, "--accelerator-config", "ethos-u55-100"), ("golden",), ("golden", "check"),
                          ("list", "nothing"), ("compare", GRAPH, NETWORK, "--inputs", 0), ("compare", GRAPH)):
            self.ends(USAGE, *arguments)
        for arguments in (("--version",), ("--help",), ("sim", "--help"), ("list", "accelerators"), ("disasm", NETWORK)):
            self.ends(DONE, *arguments)

    def test_doctor(self):
        self.ends(DONE, "doctor")
        self.ends(USAGE, "doctor", "more")
        checks = {check["name"]: check for check in json.loads(self.ends(DONE, "doctor", "--json"))["checks"]}
        self.assertEqual(checks["self-test"]["state"], "ok")
        folder = os.environ.get("TMPDIR")
        os.environ["TMPDIR"] = str(self.folder / "missing")
        try:
            self.assertIn("set TMPDIR", self.ends(MISMATCH, "doctor"))
        finally:
            os.environ.pop("TMPDIR") if folder is None else os.environ.update(TMPDIR=folder)

    def test_files(self):
        run = ("--mode", "functional", "--output-dir", self.folder / "out")
        self.ends(INVALID, "sim", self.folder / "missing.npz", "--input", INPUT, *run)
        self.ends(INVALID, "sim", INPUT, "--input", INPUT, *run)
        self.ends(USAGE, "sim", GRAPH, "--input", INPUT, *run)
        self.ends(INVALID, "sim", NETWORK, *run)
        self.ends(INVALID, "sim", NETWORK, "--input", GRAPH, *run)
        self.ends(INVALID, "sim", NETWORK, "--input", INPUT, "--input", INPUT, *run)
        self.ends(INVALID, "sim", NETWORK, "--input", INPUT, "--accelerator-config", "ethos-u55-256", *run)
        self.assertFalse((self.folder / "out").exists())
        self.ends(DONE, "sim", NETWORK, "--input", INPUT, *run)
        self.ends(USAGE, "sim", NETWORK, "--input", INPUT, *run)  # the files are there
        self.ends(DONE, "sim", NETWORK, "--input", INPUT, *run, "--force")
        self.ends(USAGE, "report", self.folder / "out" / "report.json")  # of a run without time
        self.ends(INVALID, "disasm", GRAPH)

    def test_faults(self):
        stored = numpy.load(NETWORK)["cmd_data"]
        words = numpy.frombuffer(stored.tobytes(), "<u4")
        self.assertEqual(words[-1], 0xffff0000)
        for word in (0x3ff, 0xffff8000, 0xffff0002):  # no command, control bits that are reserved, reserved bits
            wrong = words.copy()
            wrong[-1] = word
            network = self.changed(cmd_data=numpy.frombuffer(wrong.tobytes(), stored.dtype).reshape(stored.shape))
            text = self.ends(FAULT, "sim", network, "--input", INPUT, "--mode", "functional", "--output-dir", self.folder / "out")
            self.assertIn("cmd_parse_error", text)

    def test_messages_that_nobody_reads_change_no_code(self):
        stored = numpy.load(NETWORK)["cmd_data"]
        words = numpy.frombuffer(stored.tobytes(), "<u4").copy()
        words[-1] = 0x3ff
        wrong = self.changed(cmd_data=numpy.frombuffer(words.tobytes(), stored.dtype).reshape(stored.shape))
        there, out = self.folder / "there", self.folder / "out"
        there.write_text("kept")
        warned = ("sim", NETWORK, "--random-inputs", 1, "--memory-mode", "Dedicated_Sram", "--output-dir", out)
        self.assertIn("U55 has no Dedicated_Sram", self.ends(DONE, *warned, "--html", self.folder / "page"))
        for code, call in ((DONE, (*warned, "--force")), (USAGE, ("disasm", NETWORK, "-o", there)),
                           (INVALID, ("sim", self.folder / "missing.npz")), (FAULT, ("sim", wrong, "--random-inputs", 1)),
                           (MISMATCH, ("verify", "--test_desc", there, "--imp_result_file", INPUT, "--ref_result_file", INPUT))):
            self.ends(code, *call)
            for stderr in ("2>/dev/full", "2>&-"):
                done = subprocess.run(["sh", "-c", f'exec "$@" {stderr}', "sh", os.environ["MACAW"], *map(str, call)],
                                      stdout=subprocess.DEVNULL)
                self.assertEqual(done.returncode, code, (call, stderr))

    def test_comparison(self):
        self.ends(DONE, "compare", GRAPH, NETWORK, "--inputs", 2)
        values = numpy.load(INPUT)
        for name, value in (("given", values), ("zeros", numpy.zeros_like(values))):
            numpy.save(self.folder / f"{name}.npy", value)
            self.ends(DONE, "compare", GRAPH, NETWORK, "--input", self.folder / f"{name}.npy")
        # A network whose output lies elsewhere.
        offset = numpy.load(NETWORK)["output_offset"]
        self.ends(MISMATCH, "compare", GRAPH, self.changed(output_offset=offset + 1), "--inputs", 1)

    def test_goldens(self):
        folder = self.folder / "goldens"
        folder.mkdir()
        shutil.copytree(TRACE, folder / "tiny_cnn")
        shutil.copy(TRACE.parent / "golden.toml", folder)
        shutil.copy(TRACE.parent / "golden.json", folder)
        self.ends(USAGE, "golden", "check", folder, "--only", "none*")
        golden = json.loads((folder / "golden.json").read_text())
        name = next(iter(golden["runs"])).split(" | ")[0]
        self.ends(DONE, "golden", "check", folder, "--only", name)
        for run in golden["runs"].values():
            run["cycles"] += 1
        (folder / "golden.json").write_text(json.dumps(golden))
        self.ends(MISMATCH, "golden", "check", folder, "--only", name)
        record = ("golden", "record", folder, "--reason", "again", "--resume")
        self.ends(USAGE, *record)  # the latest recording has another reason
        self.ends(DONE, *record[:-1], "--force")
        golden = json.loads((folder / "golden.json").read_text())
        runs = golden["runs"]
        lost = {name: runs.pop(name) for name in list(runs) if name.startswith("tiny_cnn | ")}
        kept = next(iter(runs))
        runs[kept]["cycles"] += 1
        (folder / "golden.json").write_text(json.dumps(golden))
        self.ends(DONE, *record)
        resumed = json.loads((folder / "golden.json").read_text())
        self.assertEqual(resumed["runs"], runs | lost)
        self.assertEqual(resumed["reasons"], golden["reasons"])
        golden["schema_version"] = 2
        (folder / "golden.json").write_text(json.dumps(golden))
        self.ends(INVALID, "golden", "check", folder, "--only", name)


if __name__ == "__main__":
    unittest.main()
