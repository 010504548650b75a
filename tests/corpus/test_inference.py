#!/usr/bin/python3
"""Times of whole inferences on the corpus: each operator that a network leaves to the CPU has a cost or a reason why it has none; predictions
are held against published times, also without what their own source says of the CPU; the tables are those that fit.py writes."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"))
TOOLS = pathlib.Path("tests/tools/cpu_costs")
CPU = CORPUS / "outside/cpu"
ENDINGS = (".tflite", ".pte", ".npz")


def sim(artifact, *more):
    return subprocess.run([os.environ["MACAW"], "sim", str(artifact), "--mode", "timing", "--json", "--findings", "off", "--activity-spans", "0",
                           "--max-cycles", "50000000", *more], capture_output=True, text=True)


@unittest.skipUnless(CPU.is_dir(), "no corpus")
class Corpus(unittest.TestCase):
    def test_operators_have_a_cost_or_a_reason(self):
        networks = priced = reasons = 0
        for folder in ("thirdparty", "lab", "outside"):
            for artifact in sorted(f for f in (CORPUS / folder).rglob("*") if f.suffix in ENDINGS):
                done = sim(artifact, "--cpu", "core=cortex-m55,clock_hz=400e6")
                if done.returncode != 0:
                    continue  # not compiled, hostile or beyond the limit: other tests say so
                report = json.loads(done.stdout)
                rows = [row for row in report["inference"]["rows"] if row["kind"] == "cpu"]
                self.assertEqual(len(rows), len(report["host_operators"]), artifact)
                networks += 1
                for row in rows:
                    self.assertTrue(row["source"], f"{artifact}: {row}")
                    priced += row["ms"] is not None
                    reasons += row["ms"] is None
                self.assertEqual(report["inference"]["lower_bound"], any(row["ms"] is None for row in rows), artifact)
        print(f"{networks} networks: {priced} operators of the CPU with a cost, {reasons} with a reason")
        self.assertGreater(priced, 80)

    def judge(self, *more):
        done = subprocess.run([sys.executable, "-B", str(TOOLS / "judge.py"), os.environ["MACAW"], str(CPU / "end_to_end.json"), str(CORPUS), *more],
                              capture_output=True, text=True)
        print(done.stdout.splitlines()[-1] if done.stdout else done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_published_times(self):
        self.judge()

    def test_published_times_without_their_own_source(self):
        self.judge("--without-own-source")

    def test_tables_are_those_of_the_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", str(TOOLS / "fit.py"), str(CPU / "cpu_operators.json"), folder], check=True)
            for file in sorted(pathlib.Path(folder).glob("*.toml")):
                self.assertEqual(file.read_text(), (pathlib.Path("configs/cpu") / file.name).read_text(), file.name)


if __name__ == "__main__":
    unittest.main()
