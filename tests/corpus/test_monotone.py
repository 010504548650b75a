#!/usr/bin/python3
"""More bandwidth, less latency, more transactions under way and less traffic of other masters do not make a run longer by more than
0.7 per cent, and 4 cycles: layers and small networks of the corpus on every accelerator, in their default systems."""
import json
import os
import pathlib
import subprocess
import unittest

CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"))
NETWORKS = ("MyMNISTModel_int8", "keyword_scrambled_8bit", "micro_speech_quantized")
TOLERANCE, CYCLES = 0.007, 4
# From what takes longest to what is shortest.
STEPS = {
    "read latency": [("-C", f"axi1.read_latency={cycles}") for cycles in (1000, 500, 250, 125, 60, 0)],
    "reads under way": [("-C", f"axi1.max_reads={reads}") for reads in (1, 2, 8, 24, 0)],
    "bandwidth": [("-C", f"axi1.bandwidth_cap={beats}") for beats in (100, 400, 1600, 0)],
    "traffic": [("--traffic", f"{side}={share}") for side in ("ext",) for share in ("0.60", "0.31", "0.30", "0.10", "0")],
}
# Where an access falls in a window that repeats depends on everything before it, so that the window is open for these two.
OPEN = {"read latency": ("-C", "axi1.pulse_on=0", "-C", "axi1.pulse_off=0", "-C", "axi1.bandwidth_cap=0"),
        "reads under way": ("-C", "axi1.pulse_on=0", "-C", "axi1.pulse_off=0", "-C", "axi1.bandwidth_cap=0")}


def artifacts():
    """An artifact of each network on each accelerator, and the layers that were measured on Ethos-U85-256."""
    index = CORPUS / "npu" / "INDEX.json"
    if not index.is_file():
        return []
    seen = {}
    for entry in json.loads(index.read_text()):
        if entry["model"] in NETWORKS and entry["format"] == "tflite" and entry["artifacts"]:
            seen.setdefault((entry["model"], entry["accelerator"]), (CORPUS / "npu" / entry["artifacts"][0], entry["accelerator"]))
    layers = sorted((CORPUS / "measured_more" / "layers").glob("*.tflite"))
    return [seen[key] for key in sorted(seen)] + [(layer, "ethos-u85-256") for layer in layers]


def cycles_of(artifact, arguments):
    done = subprocess.run([os.environ["MACAW"], "sim", artifact, "--mode", "timing", "--json", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["cycles"]


class Monotone(unittest.TestCase):
    @unittest.skipUnless(artifacts(), "no corpus")
    def test_a_better_memory_does_not_take_longer(self):
        pairs = artifacts()
        self.assertGreaterEqual(len(pairs), 60 if len(pairs) > 30 else 1)
        worst = []
        for artifact, accelerator in pairs:
            for what, steps in STEPS.items():
                cycles = [cycles_of(artifact, [*step, *OPEN.get(what, ())]) for step in steps]
                for i in range(1, len(cycles)):
                    longer = cycles[i] - min(cycles[:i])
                    if longer > TOLERANCE * cycles[i] + CYCLES:
                        worst.append((longer / cycles[i], f"{accelerator}, {artifact.stem}, {what} {steps[i][1]}: {cycles}"))
        self.assertFalse(worst, "\n".join(text for _, text in sorted(worst, reverse=True)[:40]))


if __name__ == "__main__":
    unittest.main()
