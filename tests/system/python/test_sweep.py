#!/usr/bin/python3
"""A study's results are the same bytes however it is run, interrupted or divided, and a run that fails fails alone."""
import csv
import fcntl
import io
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

MACAW = os.environ["MACAW"]
TRACE = pathlib.Path("traces/tiny_cnn").resolve()
STUDY = f"""
[[network]]
graph = "{TRACE}/tiny_cnn.tosa"
compile = "macaw"
[[network]]
artifact = "broken.npz"
[axes]
accelerators = ["ethos-u55-64", "ethos-u55-256", "ethos-u85-256"]
memory_modes = ["Sram_Only"]
[axes.params]
"axi0.read_latency" = [10, 200]
"""


def run(*arguments, **more):
    return subprocess.run([MACAW, "sweep", *map(str, arguments)], capture_output=True, text=True, **more)


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.study = self.write(STUDY)
        (self.folder / "broken.npz").write_text("no network")

    def wait_until(self, holds):
        for _ in range(200):
            if holds():
                return
            time.sleep(0.05)
        self.fail("nothing happened in ten seconds")

    def write(self, text, name="study.toml"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def database(self, name, *more):
        done = run("run", self.study, "-o", self.folder / name, *more)
        self.assertEqual(done.returncode, 1, done.stderr)  # the broken network
        return (self.folder / name / "study.sqlite").read_bytes()

    def rows(self, name):
        csv_file = self.folder / f"{name}.csv"
        self.assertEqual(run("show", self.folder / name, "--csv", csv_file, "--force").returncode, 0)
        return list(csv.DictReader(io.StringIO(csv_file.read_text())))

    def test_every_combination_is_a_row_and_a_failure_is_one_too(self):
        self.database("out")
        rows = self.rows("out")
        self.assertEqual(len(rows), 12)
        good = [row for row in rows if not row["error"]]
        self.assertEqual({row["network"] for row in good}, {"tiny_cnn.tosa"})
        self.assertEqual(len(good), 6)
        for row in rows:
            self.assertIn("unknown kind of file" if row["network"] == "broken.npz" else "", row["error"])
        for slow, fast in zip(good[1::2], good[::2]):
            self.assertGreater(int(slow["cycles"]), int(fast["cycles"]))

    def test_a_row_is_what_sim_says(self):
        self.database("out")
        row = next(row for row in self.rows("out") if row["accelerator"] == "ethos-u55-256" and "200" in row["params"])
        artifact = self.folder / "net.npz"
        subprocess.run([MACAW, "compile", TRACE / "tiny_cnn.tosa", "-a", "ethos-u55-256", "-o", artifact], check=True,
                       capture_output=True)
        done = subprocess.run([MACAW, "sim", artifact, "--mode", "timing", "--memory-mode", "Sram_Only", "-C",
                               "axi0.read_latency=200", "--output-dir", self.folder / "sim"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'"cycles": {row["cycles"]},', (self.folder / "sim/report.json").read_text())

    def test_workers_shards_and_repetition_give_the_same_bytes(self):
        one = self.database("one")
        self.assertEqual(self.database("two", "-j", 2), one)
        for k in range(3):
            self.assertLess(run("run", self.study, "-o", self.folder / f"part{k}", "--shard", f"{k}/3").returncode, 2)
        parts = [self.folder / f"part{k}" for k in range(3)]
        done = run("merge", self.study, "-o", self.folder / "all", *parts)
        self.assertEqual(done.returncode, 1)
        self.assertIn("6 of 12 runs failed or have no result", done.stderr)
        self.assertEqual((self.folder / "all/study.sqlite").read_bytes(), one)
        self.assertEqual(self.database("one", "--resume"), one)
        self.assertEqual(run("run", self.study, "-o", self.folder / "one").returncode, 2)

    def test_a_merge_of_fewer_results_than_runs_fails(self):
        self.study = self.write(STUDY.replace('[[network]]\nartifact = "broken.npz"\n', ""))
        parts = [self.folder / f"part{k}" for k in range(2)]
        for k, part in enumerate(parts):
            self.assertEqual(run("run", self.study, "-o", part, "--shard", f"{k}/2").returncode, 0)
        for other in (self.folder / "none", self.folder):
            done = run("merge", self.study, "-o", self.folder / "all", parts[0], other)
            self.assertEqual(done.returncode, 3)
            self.assertIn(f"{other}: not the folder of a shard", done.stderr)
            self.assertFalse((self.folder / "all").exists())
        done = run("merge", self.study, "-o", self.folder / "all", parts[0])
        self.assertEqual(done.returncode, 1)
        self.assertIn("3 of 6 runs failed or have no result", done.stderr)
        self.assertEqual(sum("missing (not run)" in row["error"] for row in self.rows("all")), 3)
        done = run("merge", self.study, "-o", self.folder / "all", *parts)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_study_that_leaves_every_network_out_fails(self):
        shutil.copy(TRACE / "ethos-u55-128/tiny_cnn.npz", self.folder / "net.npz")
        empty = self.write('[[network]]\nartifact = "net.npz"\n[axes]\naccelerators = ["ethos-u85-256"]', "empty.toml")
        done = run("run", empty, "-o", self.folder / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn("which the study leaves out", done.stderr)

    def test_an_artifact_is_made_once_however_many_want_it(self):
        made = self.folder / "made"
        self.study = self.write(STUDY.replace('"macaw"', f"'echo {{accelerator}} >> {made}; sleep 0.2; "
                                              '"$MACAW" compile {graph} -a {accelerator} -o {output} --force\''))
        shards = [subprocess.Popen([MACAW, "sweep", "run", self.study, "-o", self.folder / "out", "-j", "3", "--resume", "--shard", f"{k}/2"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for k in range(2)]
        self.assertEqual([shard.wait() for shard in shards], [1, 1])
        self.assertEqual(sorted(made.read_text().split()), ["ethos-u55-256", "ethos-u55-64", "ethos-u85-256"])

    def test_a_killed_shard_s_half_written_files_go_once_nobody_writes(self):
        out = self.folder / "out"
        for name in ("results", "artifacts"):
            (out / name).mkdir(parents=True)
            (out / name / ".macaw-0123456789abcdef.part").write_text("half")
        with open(out / "lock", "w") as lock:  # of another live shard
            fcntl.flock(lock, fcntl.LOCK_SH)
            run("run", self.study, "-o", out, "--shard", "0/2", "--resume")
            run("merge", self.study, "-o", out)
            self.assertEqual(len(list(out.glob("*/.macaw-*.part"))), 2)
        run("run", self.study, "-o", out, "--shard", "1/2", "--resume")
        self.assertEqual(len(list(out.glob("*/.macaw-*.part"))), 0)
        self.assertEqual(len(list((out / "results").iterdir())), 12)

    def test_an_engine_s_variables_choose_the_shard(self):
        env = dict(os.environ, OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_SIZE="2")
        self.assertLess(run("run", self.study, "-o", self.folder / "rank", "--shard", "env", env=env).returncode, 2)
        self.assertEqual(len(list((self.folder / "rank/results").iterdir())), 6)
        for engine in ("slurm", "snakemake", "parallel", "mpi"):
            self.assertIn("sweep merge", run(engine, self.study, "-o", "out", "-n", 4).stdout)

    def test_killed_at_any_moment_it_resumes_to_the_same_bytes(self):
        one = self.database("one")
        moments = random.Random(1)
        for round in range(int(os.environ.get("MACAW_KILL_ROUNDS", "4"))):
            out = self.folder / f"killed{round}"
            process = subprocess.Popen([MACAW, "sweep", "run", self.study, "-o", out, "-j", "2"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(moments.uniform(0, 0.15))
            if round % 2:
                process.send_signal(signal.SIGKILL)
            else:
                for child in subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True,
                                            text=True).stdout.split():
                    try:
                        os.kill(int(child), signal.SIGKILL)
                    except ProcessLookupError:
                        pass  # it has come to its end
            process.wait()
            self.assertEqual(self.database(out.name, "--resume"), one)
            self.assertEqual({file.suffix for file in (out / "results").iterdir()}, {".json"})

    def test_workers_of_an_ended_sweep_leave_nothing_half_written(self):
        started = self.folder / "started"
        self.study = self.write(STUDY.replace('"macaw"', f"'touch {{output}} {started}; exec sleep 10 # {{graph}} {{accelerator}}'"))
        for end in (signal.SIGTERM, signal.SIGKILL):
            out = self.folder / str(end)
            process = subprocess.Popen([MACAW, "sweep", "run", self.study, "-o", out, "-j", "2", "--resume"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wait_until(started.exists)
            process.send_signal(end)
            self.assertEqual(process.wait(), -end)
            self.wait_until(lambda: not list(out.glob("*/.macaw-*.part")))
            started.unlink()

    def test_a_full_disk_in_the_middle_loses_nothing_that_is_written(self):
        unshare = ["unshare", "--map-root-user", "--mount"]
        if subprocess.run([*unshare, "true"], capture_output=True).returncode:
            self.skipTest("this system does not allow a small disk to be mounted")
        one, out = self.database("one"), self.folder / "small"
        out.mkdir()
        for kib in (24, 48, 72):
            script = f"""mount -t tmpfs -o size={kib}k none {out}
                "$MACAW" sweep run {self.study} -o {out} -j 2; echo "full: $? with $(find {out}/results -name '*.json' | wc -l)"
                mount -o remount,size=16m {out}
                "$MACAW" sweep run {self.study} -o {out} -j 2 --resume; echo "then: $?"
                find {out} -name '*.part'
                cp {out}/study.sqlite {self.folder}/resumed.sqlite"""
            done = subprocess.run([*unshare, "sh", "-c", script], capture_output=True, text=True)
            with self.subTest(kib=kib, said=done.stdout + done.stderr):
                self.assertRegex(done.stdout, r"(?m)^full: 3 with \d+$")
                self.assertIn("No space left on device", done.stderr)
                self.assertTrue(done.stdout.endswith("then: 1\n"))
                self.assertEqual((self.folder / "resumed.sqlite").read_bytes(), one)

    def test_inputs_are_an_axis_that_decides_outputs_and_no_cycles(self):
        sets = self.folder / "sets"
        sets.mkdir()
        for name, step in (("a", 0), ("b", 1), ("same_as_a", 0)):
            data = bytearray((TRACE / "input_0.npy").read_bytes())
            data[-1000:] = bytes(byte ^ 0x55 * step for byte in data[-1000:])
            (sets / f"{name}.npy").write_bytes(data)
        (self.folder / "slow.toml").write_text((pathlib.Path("configs/systems/ideal.toml")).read_text() + "read_latency = 300\n")
        self.study = self.write(STUDY.replace('"macaw"', '"macaw"\ninputs = ["sets/*"]').replace(
            "memory_modes", 'systems = ["ideal", "slow.toml"]\nmemory_modes').replace("Sram_Only", "Shared_Sram"))
        self.assertIn("is in the study twice", run("plan", self.study).stderr)
        self.assertEqual(self.database("out"), self.database("again", "-j", 2))
        rows = [row for row in self.rows("out") if not row["error"]]
        self.assertEqual(len(rows), 3 * 2 * 2 * 2)
        outputs = {name: {row["outputs"] for row in rows if row["inputs"] == f"sets/{name}.npy"} for name in "ab"}
        self.assertEqual([len(found) for found in outputs.values()], [1, 1])  # whatever the accelerator and its memory
        self.assertNotEqual(outputs["a"], outputs["b"])
        settings = ("accelerator", "system", "params")
        cycles = {}
        for row in rows:
            cycles.setdefault(tuple(row[name] for name in settings), set()).add(row["cycles"])
        self.assertEqual({len(found) for found in cycles.values()}, {1})
        without = self.write((self.folder / "study.toml").read_text().replace('inputs = ["sets/*"]', ""), "without.toml")
        run("run", without, "-o", self.folder / "without")
        for row in self.rows("without"):
            if not row["error"]:
                self.assertEqual(({row["cycles"]}, row["outputs"]), (cycles[tuple(row[name] for name in settings)], ""))

    def test_a_run_beyond_its_limits_fails_alone_and_can_be_resumed(self):
        limited = self.write(STUDY + "[limits]\nseconds = 0.000001\n", "limited.toml")
        self.assertEqual(run("run", limited, "-o", self.folder / "out").returncode, 1)
        self.assertTrue(all("took more than" in row["error"] for row in self.rows("out")))
        self.assertEqual(self.database("out", "--resume"), self.database("fresh"))

    def test_mistakes_are_named(self):
        for text, words in (("x = 1", "'x' is not known"), ("[[network]]\nartifact = 3", "'artifact' must be a text"),
                            ('[[network]]\ngraph = "a.tosa"\ncompile = "vela {graph}"', "{output}"),
                            ('[[network]]\nartifact = "none*.npz"', "no such file"),
                            ('[[network]]\nartifact = "broken.npz"\n[axes]\naccelerators = ["u55"]', "unknown accelerator"),
                            ('[[network]]\nartifact = "broken.npz"\ninputs = ["none/*"]', "none/*: no such file"),
                            ('[[network]]\nartifact = "broken.npz"\n[axes]\nsystems = ["none.toml"]', "none.toml"),
                            ('[[network]]\nartifact = "broken.npz"\n[limits]\nseconds = -1', "greater than 0")):
            done = run("plan", self.write(text, "wrong.toml"))
            self.assertIn(done.returncode, (2, 3), text)
            self.assertIn(words, done.stderr)
        self.assertEqual(run("run", self.study, "-o", self.folder / "x", "--shard", "3/3").returncode, 2)
        shutil.copy(self.study, self.folder / "study.sqlite")
        self.assertEqual(run("show", self.folder).returncode, 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
