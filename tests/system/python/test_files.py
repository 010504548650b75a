#!/usr/bin/python3
"""Files that the program writes and reads: whole files or none, links and devices, closed and full outputs."""
import json
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

TRACE = pathlib.Path("traces/tiny_cnn")
ARTIFACT = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
INPUT = TRACE / "input_0.npy"
MACAW, DEV = os.environ["MACAW"], os.environ["MACAW_DEV"]
SIM = ["sim", ARTIFACT, "--input", INPUT]


def macaw(*arguments, **more):
    done = subprocess.run([MACAW, *map(str, arguments)], stdout=more.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, text=True, **more)
    return done.returncode, done.stderr, done.stdout


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def names(self):
        return sorted(path.name for path in self.folder.rglob("*"))


class Targets(InFolder):
    def test_fifo_and_device_are_written_in_place(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        # Into a file: a page is larger than the buffers of two pipes.
        with open(self.folder / "copy.html", "wb") as copy:
            reader = subprocess.Popen(["cat", pipe], stdout=copy)
            code, text, _ = macaw(*SIM, "--html", pipe)
            reader.wait(timeout=60)
        self.assertEqual(code, 0, text)
        self.assertIn("</html>", (self.folder / "copy.html").read_text())
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        self.assertEqual(macaw(*SIM, "--html", "/dev/null")[0], 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_links_are_followed(self):
        real, link = self.folder / "real.html", self.folder / "link.html"
        link.symlink_to("real.html")
        self.assertEqual(macaw(*SIM, "--html", link)[0], 2)
        self.assertEqual(self.names(), ["link.html"])
        code, text, _ = macaw(*SIM, "--html", link, "--force")
        self.assertEqual(code, 0, text)
        self.assertTrue(link.is_symlink())
        self.assertIn("</html>", real.read_text())

    def test_a_replaced_file_keeps_its_permissions(self):
        page = self.folder / "page.html"
        page.write_text("old")
        page.chmod(0o640)
        self.assertEqual(macaw(*SIM, "--html", page, "--force")[0], 0)
        self.assertEqual(stat.S_IMODE(page.stat().st_mode), 0o640)

    def test_every_option_for_a_file_needs_force_to_overwrite(self):
        report = self.folder / "run" / "report.json"
        self.assertEqual(macaw(*SIM, "--output-dir", report.parent)[0], 0)
        there = self.folder / "there"
        there.write_text("kept")
        calls = [[*SIM, "--html", there], [*SIM, "--vcd", there], ["disasm", ARTIFACT, "-o", there],
                 ["model", "tiny_cnn", "-o", there], ["golden", "check", "traces", "--junit", there],
                 ["compare", "x.tosa", ARTIFACT, "--junit", there],
                 [*SIM, "--output-dir", report.parent]]
        calls += [["report", report, option, there] for option in ("--csv", "--html", "--perfetto", "--pmu-trace")]
        for call in calls:
            code, text, _ = macaw(*call)
            self.assertEqual(code, 2, f"{call}: {text}")
            self.assertIn("--force overwrites it", text)
        self.assertEqual(there.read_text(), "kept")


    def test_runs_at_the_same_time_leave_the_files_of_one(self):
        for _ in range(5):
            run = self.folder / "run"
            runs = [subprocess.Popen([MACAW, "sim", ARTIFACT, "--random-inputs", str(seed), "--output-dir", run],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for seed in range(4)]
            texts = [process.communicate()[1] for process in runs]
            self.assertEqual(sorted(process.returncode for process in runs), [0, 2, 2, 2], texts)
            self.assertEqual(sum("--force overwrites it" in text for text in texts), 3, texts)
            self.assertEqual(sorted(path.name for path in run.iterdir()), ["output_0.npy", "report.json"])
            for path in run.iterdir():
                path.unlink()

    def test_two_tensors_of_one_file_name_are_refused(self):
        graph = self.folder / "x.tosa"
        graph.write_bytes((TRACE / "tiny_cnn.tosa").read_bytes().replace(b"clamp_22", b"clamp/11"))
        code, text, _ = macaw("tosa", graph, "--input", INPUT, "--dump_intermediates", 1, "--force", "--output-dir", self.folder)
        self.assertEqual(code, 2, text)
        self.assertIn("intermediate_clamp_11.npy: two outputs have this name", text)
        self.assertEqual(self.names(), ["x.tosa"])

    def test_two_outputs_of_an_application_have_names_of_their_own(self):
        log = self.folder / "log"
        for other in (["--dump", f"{log}@0x60000000,16"], ["-C", f"mps3_board.uart1.out_file={log}"],
                      ["-C", f"ethosu.extra_args=--pmu-trace {log}"]):
            code, text, _ = macaw("fvp", ARTIFACT, "--uart-log", log, "--force", *other)
            self.assertEqual(code, 2, text)
            self.assertIn("two outputs have this name", text)

    def test_inputs_that_are_not_a_folder_are_reported(self):
        code, text, _ = macaw("compare", TRACE / "tiny_cnn.tosa", ARTIFACT, "--inputs", INPUT)
        self.assertEqual((code, text), (3, f"macaw: {INPUT}: expected a folder with a file or folder for each set\n"))

    def test_two_outputs_of_one_name_are_refused(self):
        run = self.folder / "run"
        self.assertEqual(macaw(*SIM, "--output-dir", run)[0], 0)
        report, one, other = run / "report.json", self.folder / "one", self.folder / "run" / ".." / "one"
        calls = [[*SIM, "--html", one, "--vcd", other], [*SIM, "--output-dir", self.folder / "new", "--html", self.folder / "new" / "report.json"],
                 ["golden", "check", "traces", "--junit", one, "--markdown", other], ["report", report, "--html", one, "--markdown", other],
                 ["report", report, "--csv", self.folder / "a.csv", "--html", self.folder / "a_per-layer.csv"],
                 ["compare", TRACE / "tiny_cnn.tosa", ARTIFACT, "--junit", one, "--html", other]]
        before = self.names()
        for call in calls:
            code, text, _ = macaw(*call, "--force")
            self.assertEqual(code, 2, f"{call}: {text}")
            self.assertIn("two outputs have this name", text)
        self.assertEqual(self.names(), before)
        self.assertEqual(macaw(*SIM, "--html", "/dev/null", "--vcd", "/dev/null")[0], 0)

    def test_no_output_replaces_an_input_of_its_call(self):
        graph, artifact, words, link, run = (self.folder / name for name in ("n.tosa", "n.npz", "x.npy", "link", "run"))
        for file, origin in ((graph, TRACE / "tiny_cnn.tosa"), (artifact, ARTIFACT), (words, INPUT)):
            file.write_bytes(origin.read_bytes())
        link.symlink_to(artifact)
        sim = ["sim", artifact, "--input", words]
        self.assertEqual(macaw(*sim, "--output-dir", run)[0], 0)
        report = run / "report.json"
        (run / "output_0.npy").write_bytes(INPUT.read_bytes())
        calls = [[*sim, "--html", artifact], [*sim, f"--html={artifact}"], [*sim, "--vcd", link], [*sim, "--html", words],
                 ["sim", artifact, "--input", f"x={words}", "--html", self.folder / "." / "x.npy"],
                 ["sim", artifact, "--input", run / "output_0.npy", "--output-dir", run],
                 ["compile", graph, "-a", "ethos-u55-128", "-o", graph], ["compile", graph, "-a", "ethos-u55-128", f"-o{graph}"],
                 ["disasm", artifact, "-o", artifact], ["compare", graph, artifact, "--junit", graph],
                 ["compare", graph, artifact, "--html", artifact], ["report", report, "--html", report],
                 ["tosa", graph, "--input", words, "--convert", graph]]
        before = {file: file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}
        for call in calls:
            code, text, _ = macaw(*call, "--force")
            self.assertEqual(code, 2, f"{call}: {text}")
            self.assertIn("the file is an input of this run", text)
        self.assertEqual({file: file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}, before)
        page = self.folder / "page.html"
        for _ in range(2):
            self.assertEqual(macaw(*sim, "--html", page, "--output-dir", run, "--force")[0], 0)

    def test_a_file_that_appears_during_the_run_is_kept(self):
        graph = self.folder / "net.tosa"
        self.assertEqual(macaw("model", "mobilenet_v2", "-o", graph)[0], 0)
        compiled = self.folder / "out" / "net.npz"
        for call, file in (([*SIM, "--steps", 20, "--vcd"], self.folder / "out" / "net.vcd"),
                           (["compile", graph, "-a", "ethos-u55-128", "-o"], compiled)):
            file.parent.mkdir(exist_ok=True)
            for _ in range(20):  # until it is stopped while its file has no name yet
                run = subprocess.Popen([MACAW, *map(str, call), file], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                while run.poll() is None and not os.listdir(file.parent):
                    time.sleep(0.0002)
                run.send_signal(signal.SIGSTOP)
                appeared = not file.exists()
                if appeared:
                    file.write_text("kept")
                run.send_signal(signal.SIGCONT)
                text = run.communicate()[1]
                kept = file.read_text(errors="replace") if appeared else ""
                file.unlink()
                if appeared:
                    break
            self.assertEqual((appeared, run.returncode, kept), (True, 2, "kept"), f"{call}: {text}")
            self.assertIn(f"{file}: the file exists, since another program has made it", text)
            self.assertEqual(os.listdir(file.parent), [])

    def test_a_waveform_that_cannot_be_written_is_named_as_it_was_given(self):
        code, text, _ = macaw(*SIM, "--vcd", self.folder / "no" / "x.vcd")
        self.assertEqual((code, text), (3, f"macaw: {self.folder}/no/x.vcd: cannot write: No such file or directory\n"))

    def test_paths_that_the_system_refuses_are_named(self):
        loop = self.folder / "loop"
        loop.symlink_to("loop")
        for folder in (loop, self.folder / ("n" * 256), "a/" * 2048):
            code, text, _ = macaw("golden", "record", folder, "--reason", "x")
            self.assertEqual(code, 3, text)
            self.assertTrue(text.startswith(f"macaw: {str(folder)[:300]}"), text)

    def test_names_that_files_supply_do_not_lead_out_of_the_output_folder(self):
        case, victim = self.folder / "case", self.folder / "victim"
        case.mkdir()
        victim.mkdir()
        kept = victim / "kept"
        kept.write_text("kept")
        for name in ("tiny_cnn.tosa", "input_0.npy"):
            shutil.copy(TRACE / name, case)
        (case / "folder").symlink_to("../victim")
        (case / "file").symlink_to(kept)
        (case / "dangling").symlink_to("../victim/new")
        (case / "inner").symlink_to("real")
        (case / "sub").mkdir()
        (case / "sub/up").symlink_to("../..")
        desc = {"tosa_file": "tiny_cnn.tosa", "ifm_name": ["image"], "ifm_file": ["input_0.npy"], "ofm_name": ["logits"],
                "expected_failure": False}
        for name in ("folder/new", "folder/kept", "file", "dangling", "sub/up/victim/new", "sub/../folder/new"):
            (case / "desc.json").write_text(json.dumps({**desc, "ofm_file": [name]}))
            for folder in ((), ("--output_dir", case)):
                done = subprocess.run([MACAW, "tosa", "--test_desc", case / "desc.json", *folder], capture_output=True, text=True)
                self.assertEqual(done.returncode, 3, name)
                self.assertIn("leads out of the output folder", done.stderr)
        for name in ("inner", "sub/result", "sub/../other"):
            (case / "desc.json").write_text(json.dumps({**desc, "ofm_file": [name]}))
            done = subprocess.run([MACAW, "tosa", "--test_desc", case / "desc.json"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((case / "real").is_file())
        (case / "desc.json").write_text(json.dumps({**desc, "ofm_file": ["out"]}))
        dump = [MACAW, "tosa", "--test_desc", case / "desc.json", "--dump_intermediates", "1"]
        subprocess.run([*dump, "--output_dir", self.folder / "dump"], check=True, capture_output=True)
        (case / next((self.folder / "dump").glob("intermediate_*")).name).symlink_to(kept)
        done = subprocess.run(dump, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stdout)
        for graph in ("../victim/net.tosa", "folder/net.tosa", str(victim / "net.tosa")):
            shutil.copy(TRACE / "tiny_cnn.tosa", victim / "net.tosa")
            (case / "shapes.json").write_text(json.dumps({"tosa_file": graph, "shapes": {"image": [1, 32, 32, 3]}}))
            done = subprocess.run([MACAW, "infer_shapes", case / "shapes.json"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn("leads out of the output folder", done.stderr)
        self.assertEqual({file.name for file in victim.iterdir()}, {"kept", "net.tosa"})
        self.assertEqual(kept.read_text(), "kept")

    def test_control_characters_of_a_name_do_not_reach_the_terminal(self):
        for call in (["sim", "a\x1b[2J\r"], ["a\x1b[2J\r"], ["sim", "x", "--mode", "a\x1b[2J\r"]):
            code, text, _ = macaw(*call)
            self.assertIn(code, (2, 3))
            self.assertIn("a\ufffd[2J", text)
            self.assertNotIn("\x1b", text)

    def test_control_characters_of_names_in_files_do_not_reach_the_terminal(self):
        escape, name = "\x1b[2J", "\x1b[2J\x7f\u009b"
        graph = self.folder / f"{escape}.tosa"
        stored = (TRACE / "tiny_cnn.tosa").read_bytes()
        graph.write_bytes(stored.replace(b"image", b"\x1b[2J\x7f").replace(b"logits", b"\x1b[2J\xc2\x9b"))
        golden = self.folder / "golden"
        golden.mkdir()
        (golden / "golden.toml").write_text(f'[[network]]\nname = "{name.encode("unicode_escape").decode()}"\nartifact = "none.npz"\n'
                                            .replace("\\x", "\\u00"))
        network = {"id": name, "group": name, "network": name, "artifact": str(ARTIFACT.resolve()), "accelerator": "ethos-u55-128",
                   "memory_mode": "Shared_Sram", "set": "unseen", "counters": {"NPU_ACTIVE": {"value": 27599}}}
        measured = self.folder / "measured.json"
        measured.write_text(json.dumps({"schema_version": 1, "measurements": [network], "left_out": []}))
        calls = [["tosa", graph, "--output-dir", self.folder / "out", "--input", INPUT, "--profile", "PRO-FP"],
                 ["tosa", graph, "--output-dir", self.folder / "out", "--input", INPUT, "--profile", "PRO-FP", "--json"],
                 ["tosa", graph, "--output-dir", self.folder / escape, "--input", INPUT],
                 ["compare", graph, ARTIFACT, "--inputs", "1", "--matches"], ["compare", graph, ARTIFACT, "--inputs", "1", "--json"],
                 ["prove", graph, ARTIFACT], ["infer_shapes", graph], ["golden", "record", golden, "--reason", "x"],
                 [DEV, "calibrate", measured, "--check"], [DEV, "check", measured], ["disasm", graph],
                 ["sim", ARTIFACT, "--mode", "timing", "--graph", graph, "--input", INPUT],
                 ["model", escape, "-o", self.folder / "x"], ["tosa", graph, "--convert", self.folder / f"{escape}.mlir"]]
        seen = 0
        for call in calls:
            program = [] if call[0] == DEV else [MACAW]
            done = subprocess.run([*program, *map(str, call)], capture_output=True, timeout=60)
            printed = done.stdout + done.stderr
            text = printed.decode()
            self.assertEqual([c for c in text if ord(c) < 32 and c not in "\n\t" or 0x7f <= ord(c) < 0xa0], [], call)
            seen += "\ufffd[2J" in text or "u001b[2J" in text
        self.assertGreater(seen, 8)


class Whole(InFolder):
    def test_results_of_a_run_appear_together(self):
        out = self.folder / "out"
        self.assertEqual(macaw(*SIM, "--output-dir", out, "--mode", "functional")[0], 0)
        before = (out / "report.json").read_text()
        (out / "output_0.npy").unlink()
        (out / "output_0.npy").mkdir()
        code, text, _ = macaw(*SIM, "--output-dir", out, "--force")
        self.assertEqual(code, 3, text)
        self.assertEqual((out / "report.json").read_text(), before)
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["output_0.npy", "report.json"])

    def test_writers_of_one_folder_leave_whole_files(self):
        out = self.folder / "out"
        writers = [subprocess.Popen([MACAW, *map(str, SIM), "--output-dir", out, "--force", "--mode", mode],
                                    stdout=subprocess.DEVNULL) for mode in ("functional", "timed") * 4]
        self.assertEqual([writer.wait() for writer in writers], [0] * 8)
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["output_0.npy", "report.json"])
        json.loads((out / "report.json").read_text())

    def test_a_signal_leaves_nothing(self):
        # A report that a FIFO keeps the program from writing on: its other file is complete and has no name yet.
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
            run = subprocess.Popen([MACAW, *map(str, SIM), "--html", pipe, "--output-dir", self.folder],
                                   stdout=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
            for _ in range(600):
                if len(list(self.folder.glob(".macaw-*"))) == 2:
                    break
                time.sleep(0.05)
            self.assertEqual(len(list(self.folder.glob(".macaw-*"))), 2)
            run.send_signal(number)
            self.assertEqual(run.wait(timeout=60), -number)
            self.assertEqual(self.names(), ["pipe"])

    def test_a_signal_that_the_caller_ignores_ends_nothing(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        run = subprocess.Popen([MACAW, *map(str, SIM), "--html", pipe], stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        with open(pipe, "rb") as page:  # opens when the program has its page to write
            run.send_signal(signal.SIGHUP)
            self.assertIn(b"</html>", page.read())
        self.assertEqual(run.wait(timeout=60), 0)

    def test_a_limit_of_file_sizes_leaves_nothing(self):
        code, text, _ = macaw(*SIM, "--output-dir", self.folder,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
        self.assertEqual((code, self.names()), (3, []), text)
        self.assertIn("report.json: cannot write: File too large", text)

    def test_reports_of_a_call_appear_together_or_not_at_all(self):
        names = ("a", "b", "c")
        a, b, c = (self.folder / name for name in names)
        for call in (["compare", TRACE / "tiny_cnn.tosa", ARTIFACT, "--junit", a, "--html", b],
                     ["golden", "check", "traces", "--markdown", a, "--junit", b, "--benchmark", c],
                     [*SIM, "--vcd", a, "--html", b]):
            self.assertIn(macaw(*call)[0], (0, 1))
            sizes = sorted((self.folder / name).stat().st_size for name in self.names())
            for file in self.folder.iterdir():
                file.unlink()
            limit = (sizes[-2] + sizes[-1]) // 2  # room for all but the largest
            code, text, _ = macaw(*call, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual((code, self.names()), (3, []), f"{call}: {text}")
            self.assertIn("File too large", text)

    def test_a_description_does_not_lead_out_of_the_folder(self):
        for key in ("ofm_file", "variable_file"):
            description = {"tosa_file": "x.tosa", "ofm_name": ["y"], "ofm_file": ["y.npy"], "variable_name": ["v"],
                           "variable_file": ["v.npy"]}
            for name in ("../y.npy", "/tmp/y.npy", "a/../../y.npy"):
                file = self.folder / "desc.json"
                file.write_text(json.dumps(description | {key: [name]}))
                code, text, _ = macaw("tosa", file)
                self.assertEqual(code, 3, text)
                self.assertIn(f'"{key}" leads out of the output folder', text)


class Streams(InFolder):
    def printing(self):
        report = self.folder / "run" / "report.json"
        self.assertEqual(macaw(*SIM, "--output-dir", report.parent)[0], 0)
        return [["--help"], ["--version"], ["sim", "--help"], SIM, [*SIM, "--json"], [*SIM, "--print-config"],
                ["report", report], ["disasm", ARTIFACT], ["model", "--list"], ["list", "commands"],
                ["list", "ops", "--markdown"]]

    def test_an_output_that_cannot_be_written_is_an_error(self):
        for call in self.printing():
            with open("/dev/full", "w") as full:
                code, text, _ = macaw(*call, stdout=full)
            self.assertEqual(code, 3, f"{call}: {text}")
            self.assertIn("standard output: cannot write: No space left on device", text)
            closed = subprocess.run(["sh", "-c", '"$@" >&-', "sh", MACAW, *map(str, call)], stderr=subprocess.PIPE)
            self.assertEqual(closed.returncode, 3, call)
            self.assertIn(b"standard output: cannot write", closed.stderr)

    def test_a_closed_pipe_ends_the_program_silently(self):
        reading, writing = os.pipe()
        os.close(reading)
        code, text, _ = macaw("list", "commands", stdout=writing)
        os.close(writing)
        self.assertEqual((code, text), (-signal.SIGPIPE, ""))

    def test_inputs_that_cannot_seek(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', INPUT, pipe]):
            code, text, _ = macaw("sim", ARTIFACT, "--input", pipe)
        self.assertEqual(code, 0, text)
        with open(INPUT, "rb") as data:
            code, text, _ = macaw("sim", ARTIFACT, "--input", "-", stdin=data)
        self.assertEqual(code, 0, text)

    def test_a_graph_that_becomes_shorter_ends_the_run(self):
        self.assertEqual(macaw("model", "bert_tiny", "--output", self.folder / "x.tosa", "--inputs", self.folder)[0], 0)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        run = subprocess.Popen([MACAW, "tosa", self.folder / "x.tosa", "--input", pipe], stderr=subprocess.PIPE)
        # The program has read the graph when it opens the input.
        with open(pipe, "wb") as writing:
            os.truncate(self.folder / "x.tosa", 4096)
            writing.write(next(self.folder.glob("*input_0.npy")).read_bytes())
        _, text = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 3, text)
        self.assertIn(b"x.tosa became shorter", text)

    def test_a_graph_that_becomes_shorter_leaves_no_temporary_file(self):
        graph, sets, out = self.folder / "x.tosa", self.folder / "sets", self.folder / "out"
        self.assertEqual(macaw("model", "bert_tiny", "--output", graph, "--inputs", self.folder)[0], 0)
        sets.mkdir()
        (sets / "a.npy").write_bytes(next(self.folder.glob("*input_0.npy")).read_bytes())
        os.mkfifo(sets / "b.npy")
        run = subprocess.Popen([MACAW, "tosa", graph, "--inputs", sets, "--output-dir", out, "--threads", "1"], stderr=subprocess.PIPE)
        # The first set's outputs are under way when the second is opened.
        with open(sets / "b.npy", "wb") as writing:
            os.truncate(graph, 4096)
            writing.write((sets / "a.npy").read_bytes())
        _, text = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 3, text)
        self.assertIn(b"x.tosa became shorter", text)
        self.assertEqual([path.name for path in out.glob("*")], [])


if __name__ == "__main__":
    unittest.main()
