#!/usr/bin/python3
"""Counters, times of units, times of operations and layers of compiled networks beside each other, as docs/TIMING_MODEL.md (Times of
units and operations) defines them."""
import json
import os
import pathlib
import subprocess
import unittest

CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")) / "npu"
MOST_BYTES = 300_000  # of an artifact, so that a run is short
FOR_EACH = 5          # artifacts of an accelerator


def artifacts():
    """Small artifacts of every accelerator, of different models, in the order of the corpus."""
    if not CORPUS.is_dir():
        return []
    found = {}
    for entry in json.loads((CORPUS / "INDEX.json").read_text()):
        models = found.setdefault(entry["accelerator"], {})
        artifact = CORPUS / entry["artifacts"][0]
        # Networks first: the many vectors of single operators begin with ref_ and tosa_.
        kind = entry["model"].split("_")[0]
        known = kind if kind in ("ref", "tosa", "seanet") else entry["model"]
        if known not in models and len(models) < FOR_EACH and artifact.is_file() and artifact.stat().st_size < MOST_BYTES:
            models[known] = artifact
    return [(accelerator, artifact) for accelerator, models in sorted(found.items()) for artifact in models.values()]


def macaw(*words):
    done = subprocess.run([os.environ["MACAW"], *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def total_length(intervals):
    """Length of the union."""
    length = until = 0
    for start, end in sorted(intervals):
        length += max(0, end - max(start, until))
        until = max(until, end)
    return length


class UnitTimes(unittest.TestCase):
    @unittest.skipUnless(artifacts(), "no corpus")
    def test_each_quantity_has_one_definition(self):
        for accelerator, artifact in artifacts():
            with self.subTest(accelerator=accelerator, artifact=str(artifact.relative_to(CORPUS))):
                arguments = ["sim", artifact, "--mode", "timing", "--accelerator-config", accelerator]
                run = macaw(*arguments, "--findings", "off", "--npu-only", "--blocks", "--activity-spans", 10_000_000, "--json")
                config = macaw(*arguments, "--print-config")
                self.check_units(run, accelerator, config["params"]["ao_block_start"]["value"])
                self.check_layers(run)

    def check_units(self, run, accelerator, block_start):
        streams = len({operation["step"] for operation in run["operations"]})
        operations = len(run["operations"])
        worked, spent = {}, {}
        for row in run["activity"]:
            worked[row["unit"]] = worked.get(row["unit"], 0) + sum(row["busy"])
            self.assertLessEqual(max(row["end"]), run["cycles"] + 1, row["unit"])
        for operation in run["operations"]:
            for unit, cycles in operation["busy"].items():
                spent[unit] = spent.get(unit, 0) + cycles
        passed_on = starts = 0
        for operation in run["operations"]:
            if operation["name"] in ("NPU_OP_ELEMENTWISE", "NPU_OP_RESIZE") and "u85" in accelerator:
                passed_on += operation["details"]["mac_cycles"]
            if "u85" not in accelerator:
                starts += block_start * len(operation.get("blocks", []))
        for unit, event, name, beside in (("mac_array", "MAC_ACTIVE", "mac", 0), ("output_unit", "AO_ACTIVE", "output_unit", starts),
                                          ("weight_decoder", "WD_ACTIVE", "weight_decoder", 0)):
            active = run["pmu"]["ETHOSU_PMU_" + event] - (passed_on if unit == "mac_array" else 0)
            self.assertAlmostEqual(worked.get(unit, 0), active, delta=streams, msg=event)
            self.assertGreaterEqual(spent.get(name, 0) + 1e-6, worked.get(unit, 0), name)
            self.assertLessEqual(spent.get(name, 0), worked.get(unit, 0) + beside + operations, name)

    def check_layers(self, run):
        intervals = [(operation["start"], operation["end"]) for operation in run["operations"]]
        for operation in run["operations"]:
            self.assertLessEqual(operation["issued"], operation["start"])
            self.assertLessEqual(operation["start"], operation["end"])
            self.assertLessEqual(operation["end"], run["cycles"])
        for layer in run["layers"]:
            self.assertEqual(layer["inclusive"], total_length(intervals[i] for i in layer["operations"]))
            self.assertEqual(layer["exclusive"], sum(run["operations"][i]["exclusive"] for i in layer["operations"]))
        self.assertEqual(sum(layer["exclusive"] for layer in run["layers"]), run["cycles"])
        # In the cycles of a layer beyond its active ones nothing is active.
        beyond = sum(max(0, layer["exclusive"] - layer["inclusive"]) for layer in run["layers"])
        self.assertLessEqual(beyond, run["cycles"] - total_length(intervals))


if __name__ == "__main__":
    unittest.main()
