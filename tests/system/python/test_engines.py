#!/usr/bin/python3
"""A study run by Slurm, Snakemake, Open MPI and GNU parallel gives the bytes of one process, also after a worker and Slurm's node
daemon were killed. Slurm is started for the test, on this machine, by root; what is not installed is skipped."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

MACAW = pathlib.Path(os.environ["MACAW"]).resolve()
GRAPH = pathlib.Path("traces/tiny_cnn/tiny_cnn.tosa").resolve()
STUDY = f"""
[[network]]
graph = "{GRAPH}"
compile = "macaw"
[axes]
accelerators = ["ethos-u55-64", "ethos-u65-256", "ethos-u85-256"]
memory_modes = ["Sram_Only", "Shared_Sram"]
[axes.params]
"axi1.read_latency" = [{", ".join(map(str, range(20)))}]
"""
RUNS = 120
SHARDS = 6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what, seconds=120):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise TimeoutError(f"{what.__name__} did not come in {seconds} s")
        time.sleep(0.05)


class Slurm:
    """A controller and a node's daemon of their own, with everything in one folder."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, {}
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "slurm.conf").write_text(f"""
ClusterName=macaw
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
""")
        self.env = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        self.start("slurmctld")
        self.start("slurmd")
        wait_for(self.node_is_up)

    def start(self, daemon):
        with open(self.folder / f"{daemon}.log", "a") as log:
            self.daemons[daemon] = subprocess.Popen([shutil.which(daemon), "-D"], env=self.env, stdout=log, stderr=log)

    def kill(self, daemon):
        self.daemons[daemon].send_signal(signal.SIGKILL)
        self.daemons.pop(daemon).wait()

    def node_is_up(self):
        return self.says("sinfo", "-h", "-o", "%t") in ("idle", "mix", "alloc")

    def queue_is_empty(self):
        return self.says("squeue", "-h", "-o", "%i") == "" and self.says("sinfo", "-h", "-o", "%t") == "idle"

    def says(self, *command):
        return subprocess.run(command, env=self.env, capture_output=True, text=True).stdout.strip()

    def end(self):
        for daemon in list(self.daemons):
            self.kill(daemon)


class Engines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "study.toml").write_text(STUDY)
        cls.env = dict(os.environ, PATH=f"{MACAW.parent}:{os.environ['PATH']}", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", PYTHONDONTWRITEBYTECODE="1")
        cls.call("macaw sweep run study.toml -o one")
        cls.one = (cls.folder / "one/study.sqlite").read_bytes()

    @classmethod
    def call(cls, command, env=None):
        done = subprocess.run(["bash", "-c", command], cwd=cls.folder, env=env or cls.env, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{command} ends with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def engine(self, name, out, needs):
        if not shutil.which(needs):
            self.skipTest(f"{needs} is not installed")
        return self.call(f"macaw sweep {name} study.toml -o {out} -n {SHARDS}")

    def same_bytes(self, out):
        self.assertEqual((self.folder / out / "study.sqlite").read_bytes(), self.one)

    def test_parallel(self):
        self.call(self.engine("parallel", "parallel", "parallel"))
        self.same_bytes("parallel")

    def test_mpi(self):
        self.call(self.engine("mpi", "mpi", "mpirun"))
        self.same_bytes("mpi")

    def test_snakemake(self):
        (self.folder / "Snakefile").write_text(self.engine("snakemake", "snakemake", "snakemake"))
        self.call("snakemake -s Snakefile -j 2 --quiet")
        self.same_bytes("snakemake")

    def slurm(self):
        if os.getuid() != 0 or not shutil.which("slurmd") or not shutil.which("slurmctld"):
            self.skipTest("Slurm's daemons need to be installed, and root")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="macaw-slurm."))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        slurm = Slurm(folder)
        self.addCleanup(slurm.end)
        return slurm

    def test_slurm(self):
        slurm = self.slurm()
        self.call(self.engine("slurm", "slurm", "sbatch"), dict(slurm.env, PATH=self.env["PATH"]))
        wait_for(slurm.queue_is_empty, 300)
        self.same_bytes("slurm")

    def test_slurm_whose_node_daemon_and_a_worker_are_killed(self):
        slurm = self.slurm()
        script, env = self.engine("slurm", "killed", "sbatch"), dict(slurm.env, PATH=self.env["PATH"])
        results = self.folder / "killed/results"
        self.call(script, env)

        def some_results_are_there():
            return results.is_dir() and len(list(results.iterdir())) > 5
        wait_for(some_results_are_there)
        slurm.kill("slurmd")
        killed = 0
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if results.parent.name in (process / "cmdline").read_text().split("\0") and \
                        (process / "cwd").readlink() == self.folder:
                    os.kill(int(process.name), signal.SIGKILL)
                    killed += 1
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has come to its end
        self.assertGreater(killed, 0)
        self.assertLess(len(list(results.glob("*.json"))), RUNS)
        self.assertFalse((self.folder / "killed/study.sqlite").exists())
        slurm.start("slurmd")
        wait_for(slurm.node_is_up)
        wait_for(slurm.queue_is_empty, 300)
        self.call(script, env)
        wait_for(slurm.queue_is_empty, 300)
        self.same_bytes("killed")

    def test_names_that_need_quotes_are_refused(self):
        for engine in ("slurm", "snakemake", "parallel", "mpi"):
            done = subprocess.run([MACAW, "sweep", engine, "my study.toml", "-o", "out"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("my study.toml", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
