"""The interval that a report gives for an operation, over what single layers, and layers inside networks, took on Arm's virtual platform:
those that are one operation by themselves, and those of kws and ad of 10,000 cycles and more, which have been published in steps of 1000."""
import json
import math
import os
import pathlib
import subprocess
import unittest

MACAW = os.environ["MACAW"]
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"))
LEAST_OF_STEPS = 10_000  # below that a step of 1000 is a tenth and more


def operations(artifact, *options):
    done = subprocess.run([MACAW, "sim", artifact, "--mode", "timing", "--findings", "off", "--json", *options],
                          check=True, stdout=subprocess.PIPE, text=True)
    return [o for o in json.loads(done.stdout)["operations"] if o["name"] != "NPU_OP_DMA_START"]


def single_layers():
    """(operation of the report, measured cycles) of each layer as it is that the compiler did not cut."""
    for layer in json.loads((CORPUS / "measured_more/layers.json").read_text()):
        if layer["id"].endswith("-base"):
            found = operations(CORPUS / "measured_more" / layer["artifact"])
            if len(found) == 1:
                yield found[0], layer["measured"]["NPU_ACTIVE"]


def layers_of_networks():
    """The same of long layers inside networks, until two layers share a figure."""
    folder = CORPUS / "measured/artifacts/u85_256_Dedicated_Sram_SYS_DRAM_Low"
    for run in json.loads((CORPUS / "measured/measurements.json").read_text()):
        if not run["id"].startswith("S3L-U85-256"):
            continue
        artifact, = folder.glob(run["id"].rpartition("-")[2] + "_*.tflite")
        for operation, unit in zip(operations(artifact, "--memory-mode", "Dedicated_Sram"), run["metrics"]["units"]):
            if len(set(unit["op_types"].split()) - {"KERNEL_WAIT"}) > 1:
                break
            if unit.get("evt_active", 0) >= LEAST_OF_STEPS:
                yield operation, unit["evt_active"]


class OperationIntervals(unittest.TestCase):
    def test_nine_of_ten_measured_layers_are_inside(self):
        if not (CORPUS / "measured_more/layers.json").exists():
            self.skipTest(f"no corpus at {CORPUS} (set MACAW_CORPUS)")
        for count, layers in ((26, single_layers()), (16, layers_of_networks())):
            inside, off = 0, []
            for operation, measured in layers:
                interval = operation["cycles_interval"]
                inside += interval["low"] <= measured <= interval["high"]
                off.append(abs(measured / operation["exclusive"] - 1))
            self.assertEqual(count, len(off))
            self.assertGreaterEqual(inside, 0.85 * count)
            # The least width within which the next one is in nine of ten cases.
            width = sorted(off)[min(math.ceil(0.9 * (count + 1)), count) - 1]
            print(f"{inside} of {count} layers inside; {width:.1%} is the width for nine of ten")

    def test_only_what_was_measured_has_one(self):
        for accelerator, options in (("ethos-u55-128", ()), ("ethos-u85-256", ("-C", "axi1.read_latency=4000"))):
            found = operations(f"traces/tiny_cnn/{accelerator}/tiny_cnn.npz", *options)
            self.assertGreater(max(o["exclusive"] for o in found), 5000)
            self.assertFalse(any("cycles_interval" in o for o in found))


if __name__ == "__main__":
    unittest.main(verbosity=2)
