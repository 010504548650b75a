#!/usr/bin/env python3
"""The version of the timing model is raised with the predicted cycles. The cycles and counters of traces/golden.json have the
checksum that tests/structure/timing_models.txt states for the version in sim/config/timing_model.hpp, CHANGELOG.md has a line for
every version, and the bundled goldens were recorded by this one. Usage: check_timing_model.py ROOT"""
import json
import pathlib
import re
import sys
import zlib


def checksum(runs):
    """Digest of the cycles and counters of every run and of the cycles of its operations."""
    timed = {name: [run["cycles"], run["pmu"], [operation["cycles"] for operation in run["operations"]]] for name, run in runs.items()}
    return f"{zlib.crc32(json.dumps(timed, sort_keys=True).encode()):08x}"


def faults_of(version, table, runs, changelog):
    faults = []
    if list(table) != list(range(1, len(table) + 1)):
        faults.append("timing_models.txt: the versions must be 1, 2, ... in order")
    if version != max(table):
        faults.append(f"timing_model.hpp has version {version}, the last one of timing_models.txt is {max(table)}")
    elif checksum(runs) != table[version]:
        faults.append(f"the cycles of traces/golden.json have the checksum {checksum(runs)}, timing model {version} has {table[version]}: "
                      f"raise kTimingModelVersion, add '{version + 1} CHECKSUM' to timing_models.txt and a line to CHANGELOG.md, and "
                      "record the goldens anew")
    faults += [f"CHANGELOG.md has no line for 'Timing model {number}'" for number in table if not re.search(rf"Timing model {number}\b", changelog)]
    faults += [f"traces/golden.json: '{name}' was recorded by timing model {run.get('timing_model')}, this is {version}"
               for name, run in runs.items() if run.get("timing_model") != version]
    return faults


def main(root):
    version = int(re.search(r"kTimingModelVersion = (\d+);", (root / "sim/config/timing_model.hpp").read_text())[1])
    table = {}
    for line in (root / "tests/structure/timing_models.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            number, stated = line.split()
            table[int(number)] = stated
    faults = faults_of(version, table, json.loads((root / "traces/golden.json").read_text())["runs"], (root / "CHANGELOG.md").read_text())
    print("\n".join(faults + [f"{len(faults)} faults in the version of the timing model"]))
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
