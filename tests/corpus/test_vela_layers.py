#!/usr/bin/python3
"""Vela's own table of layers, where the corpus has it, beside the one of `macaw report --csv`: the same layers in the same order."""
import csv
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")) / "npu"


def networks():
    """An artifact of each network, back end and accelerator with its table, and with the database that names its layers."""
    if not CORPUS.is_dir():
        return []
    seen = {}
    for entry in json.loads((CORPUS / "INDEX.json").read_text()):
        artifact = CORPUS / entry["artifacts"][0]
        table, database = (next(artifact.parent.glob(pattern), None) for pattern in ("*_per-layer.csv.gz", "*_debug.xml.gz"))
        if table and database:
            seen.setdefault((entry["model"], entry["backend"], entry["accelerator"]), (artifact, table, database))
    return sorted(seen.items())


def rows_of(file):
    """Vela repeats the head before every command stream after the first."""
    return [row for row in csv.DictReader(file) if row["Name"] != "Name"]


class Layers(unittest.TestCase):
    def of_vela(self, table, backend):
        with gzip.open(table, "rt", newline="") as file:
            rows = rows_of(file)
        return [(row["NNG Operator"], row["Name"] if backend == "regor" else "", float(row["NPU"]) > 0) for row in rows]

    def of_macaw(self, artifact, database, accelerator, backend):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            for arguments in (["sim", artifact, "--mode", "timing", "--debug-db", database, "--accelerator-config", accelerator,
                               "--output-dir", folder], ["report", report, "--csv", report.with_name("net.csv")]):
                done = subprocess.run([os.environ["MACAW"], *map(str, arguments)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(report.with_name("net_per-layer.csv"), newline="") as file:
                return [(row["NNG Operator"], row["Name"] if backend == "regor" else "") for row in rows_of(file)]

    @unittest.skipUnless(networks(), "no corpus")
    def test_vela_and_macaw_list_the_same_layers(self):
        compared = layers = 0
        for (model, backend, accelerator), (artifact, table, database) in networks():
            with self.subTest(model=model, backend=backend, accelerator=accelerator):
                ours = iter(self.of_macaw(artifact, database, accelerator, backend))
                ahead = next(ours, None)
                for *layer, takes_cycles in self.of_vela(table, backend):
                    if tuple(layer) == ahead:
                        ahead, layers = next(ours, None), layers + 1
                    else:
                        # Only what Vela did inside another operation, or as a plain copy by DMA, has no operation of its own.
                        self.assertTrue(not takes_cycles or layer[0] == "Memcpy", f"{layer} is not where {ahead} is")
                self.assertIsNone(ahead)
                compared += 1
        print(f"{layers} layers of {compared} compiled networks, as in Vela's tables")
        self.assertGreaterEqual(compared, 10)


if __name__ == "__main__":
    unittest.main()
