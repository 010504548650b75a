"""Counters of a compiled network on `macaw sim`, as those of a Corstone platform."""
from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mlia.backend.corstone.performance import CorstonePerformanceMetrics
from mlia.backend.errors import BackendExecutionFailed

from mlia_macaw.installation import PROGRAM

REPORT = "macaw_report.json"
PREFIX = "ETHOSU_PMU_"
# Prefix of event names in Arm's inference runner: U85's counters keep the driver's prefix.
RUNNER_NAMES = {"ethos-u85": (f"NPU {PREFIX}", "corstone-320")}
OTHER_RUNNER_NAMES = ("NPU ", "corstone-300")


@dataclass
class MacawPerformanceMetrics(CorstonePerformanceMetrics):
    """Metrics whose standardised output names the estimator."""

    version: str = "unknown"
    system: str = "unknown"

    def to_standardized_output(self, *arguments, **named):
        output = super().to_standardized_output(*arguments, **named)
        backend, = output["backends"]
        backend |= {"name": "Macaw", "version": self.version}
        backend["configuration"] = {**named["target_config"], "system": self.system}
        output["target"]["description"] = "Simulated by Macaw"
        return output


def version():
    done = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True)
    return done.stdout.split()[1]


def simulate(target, mac, model, output_dir):
    """The report of a run of `model` without values; it stays in the output folder as well."""
    system = os.environ.get("MACAW_SYSTEM")
    call = [PROGRAM, "sim", str(model), "--mode", "timing", "--json", "--accelerator-config", f"{target}-{mac}",
            *(["--system", system] if system else [])]
    try:
        done = subprocess.run(call, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise BackendExecutionFailed(f"There is no program '{PROGRAM}' on PATH.") from error
    except subprocess.CalledProcessError as error:
        raise BackendExecutionFailed(error.stderr.strip()) from error
    (Path(output_dir) / REPORT).write_text(done.stdout)
    return json.loads(done.stdout)


def estimate_performance(target, mac, model, output_dir):
    """The NPU's share of a run: nothing is idle, as no CPU takes part."""
    report = simulate(target, mac, model, output_dir)
    prefix, platform = RUNNER_NAMES.get(target, OTHER_RUNNER_NAMES)
    counters = {prefix + event.removeprefix(PREFIX): count for event, count in report["pmu"].items()}
    counters |= {"NPU ACTIVE": report["cycles"], "NPU IDLE": 0, "NPU TOTAL": report["cycles"]}
    metrics = MacawPerformanceMetrics.from_fvp_out(platform, counters, next(Path(output_dir).glob("*_per-layer.csv"), None))
    metrics.version, metrics.system = version(), report["system"]
    return metrics
