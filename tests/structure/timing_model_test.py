#!/usr/bin/env python3
"""check_timing_model.py finds cycles that moved without a new version, and versions without a line in CHANGELOG.md."""
import copy
import unittest

import check_timing_model

RUNS = {"net": {"timing_model": 2, "cycles": 10, "pmu": {"NPU_IDLE": 1}, "operations": [{"cycles": 4}, {"cycles": 6}]}}
TABLE = {1: "00000000", 2: check_timing_model.checksum(RUNS)}
CHANGELOG = "- Timing model 1: first.\n- Timing model 2: second.\n"


class Faults(unittest.TestCase):
    def faults(self, runs=RUNS, table=TABLE, version=2, changelog=CHANGELOG):
        return len(check_timing_model.faults_of(version, table, runs, changelog))

    def test_agreement(self):
        self.assertEqual(self.faults(), 0)

    def test_moved_cycles(self):
        for path in (["cycles"], ["pmu", "NPU_IDLE"], ["operations", 1, "cycles"]):
            runs = copy.deepcopy(RUNS)
            place = runs["net"]
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] += 1
            self.assertEqual(self.faults(runs), 1)

    def test_versions(self):
        self.assertEqual(self.faults(version=3), 2)
        self.assertEqual(self.faults(table={1: "0", 3: TABLE[2]}), 3)
        self.assertEqual(self.faults(changelog=CHANGELOG.replace("model 2", "model 20")), 1)
        self.assertEqual(self.faults({"net": {**RUNS["net"], "timing_model": 1}}), 1)


if __name__ == "__main__":
    unittest.main()
