#!/usr/bin/python3
"""The four networks measured on a Nuvoton M55M1, each left out in turn: the rate of the SRAM, which the system has from them, is
fitted to the other three, and the interval that these give is laid over the cycles of the fourth. left_out.py MACAW boards.json"""
import json
import math
import pathlib
import subprocess
import sys

MACAW, BOARDS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
SYSTEM, FIELD, RATES = "nuvoton-m55m1", "axi0.beats_per_cycle", (0.52, 0.62, 0.74)
# 0.95 quantiles of Student's t with as many degrees of freedom as networks besides the fitted value.
STUDENT = {2: 2.920}


def simulated(network, rate):
    done = subprocess.run([MACAW, "sim", BOARDS.parent / network, "--mode", "timing", "--system", SYSTEM, "-C", f"{FIELD}={rate}", "--json"],
                          check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["cycles"]


def between(cycles, rate):
    """Cycles at another rate: logarithms along the parabola through three."""
    x = [math.log(known) for known in RATES]
    at = math.log(rate)
    total = 0
    for i, count in enumerate(cycles):
        weight = math.prod((at - x[j]) / (x[i] - x[j]) for j in range(3) if j != i)
        total += weight * math.log(count)
    return total


def fitted(runs):
    """The rate at which runs are off least, and by how much each is, as logarithms."""
    def off(rate):
        return [math.log(measured) - between(cycles, rate) for measured, cycles in runs]
    rate = min((low / 1000 for low in range(450, 1000)), key=lambda rate: sum(x * x for x in off(rate)))
    return rate, off(rate)


def main():
    cells = [cell for cell in json.loads(BOARDS.read_text()) if cell["system"] == "Nuvoton M55M1"]
    runs = {pathlib.Path(cell["artifact"]).stem: (cell["measured"]["NPU_ACTIVE"], [simulated(cell["artifact"], rate) for rate in RATES])
            for cell in cells}
    rate, off = fitted(list(runs.values()))
    print(f"fitted to all {len(runs)}: {FIELD} = {rate:.3f}, measured over simulated " + ", ".join(f"{math.exp(x):.3f}" for x in off))
    inside = 0
    for name, (measured, cycles) in runs.items():
        others = [run for other, run in runs.items() if other != name]
        rate, off = fitted(others)
        spare = len(others) - 1
        # As sim/config/intervals.cpp has it, for a system of which one value was fitted.
        width = STUDENT[spare] * math.sqrt(sum(x * x for x in off) / spare * (1 + 1))
        middle = between(cycles, rate)
        low, high = math.exp(middle - width), math.exp(middle + width)
        inside += low <= measured <= high
        print(f"{name}: {measured} measured, {math.exp(middle):.0f} with {FIELD} = {rate:.3f} from the others "
              f"({math.exp(middle) / measured - 1:+.1%}), {low:.0f} to {high:.0f}: {'inside' if low <= measured <= high else 'outside'}")
    print(f"{inside} of {len(runs)} inside")
    return inside != len(runs)


if __name__ == "__main__":
    sys.exit(main())
