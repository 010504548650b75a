#!/usr/bin/python3
"""Boards that nobody has seen: random memories, `macaw fit` from microbenchmarks in steps of 1,000 cycles, how far the
fitted system is off on networks that it was not fitted to, and which intervals miss the truth.
hidden_systems.py MACAW [COUNT|FIRST-LAST|NUMBER,NUMBER...]"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import tomllib

MACAW = pathlib.Path(sys.argv[1]).resolve()
ACCELERATORS = ["ethos-u55-128", "ethos-u65-256", "ethos-u85-256"]
WITHHELD = ["tiny_cnn", "ds_cnn", "gru", "mobilenet_v2"]
STEP = 1000
# Fields that a system need not name, and what is as if they were not named.
NO_LIMIT = {"max_reads": 63, "max_writes": 63, "least_bytes": 8}


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def cycles(network, system, mode):
    report = run(MACAW, "sim", network, "--mode", "timing", "--system", system, "--memory-mode", mode, "--json")
    return json.loads(report)["cycles"]


def log_uniform(draw, low, high):
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def hidden(draw, accelerator):
    """A system file: fast memory on one side, slow memory on the other."""
    def memory(latency, beats):
        text = f"read_latency = {round(log_uniform(draw, *latency))}\nwrite_latency = {round(log_uniform(draw, *latency))}\n"
        text += f"beats_per_cycle = {log_uniform(draw, *beats):.3f}\n"
        if draw.random() < 0.5:
            text += f"max_reads = {draw.choice([2, 4, 8, 16])}\nmax_writes = {draw.choice([2, 4, 8, 16])}\n"
        return text
    return (f'description = "hidden"\nsource = "drawn"\nconfidence = "assumed"\nchecked_against = "nothing"\n'
            f'accelerators = ["{accelerator}"]\nclock_hz = 400e6\ndefault_memory_mode = "Shared_Sram"\n'
            f"[axi0]\n{memory((4, 60), (0.3, 1.5))}[axi1]\n{memory((20, 400), (0.05, 0.8))}")


def board(folder, number, accelerator):
    """(error of each withheld run, what the fit said, the fields whose interval misses the truth) of one board."""
    draw = random.Random(number)
    truth, fitted = folder / "truth.toml", folder / "fitted.toml"
    truth.write_text(hidden(draw, accelerator))
    lines = (folder / "board.csv").read_text().splitlines()
    filled = [lines[0]]
    for line in lines[1:]:
        name, network, mode, _, _ = line.split(",")
        taken = cycles(folder / network, truth, mode)
        filled.append(f"{name},{network},{mode},{math.ceil(taken / STEP) * STEP},{STEP}")
    (folder / "runs.csv").write_text("\n".join(filled) + "\n")
    fit = json.loads(run(MACAW, "fit", folder / "runs.csv", "-o", fitted, "--json", "--force"))
    errors = {}
    for name in WITHHELD:
        for mode in ("Shared_Sram", "Sram_Only"):
            network = folder / f"{name}.npz"
            errors[f"{name} {mode}"] = cycles(network, fitted, mode) / cycles(network, truth, mode) - 1
    system = tomllib.loads(truth.read_text())
    missed = []
    for name, field in fit["fields"].items():
        port, key = name.split(".")
        true = system[port].get(key, NO_LIMIT.get(key))
        if field["known"] and not field["low"] <= true <= field["high"]:
            missed.append(f"{name} is {true}, not {field['low']:.4g} to {field['high']:.4g}")
    return errors, fit, missed


def numbers(text):
    """Which boards to draw."""
    if "-" in text:
        first, last = map(int, text.split("-"))
        return range(first, last + 1)
    return [int(number) for number in text.split(",") if number] if "," in text else range(int(text))


def prepared(folder, accelerator):
    """The networks of an accelerator, made once."""
    if not folder.exists():
        run(MACAW, "microbench", "-a", accelerator, "-o", folder)
        for network in WITHHELD:
            run(MACAW, "model", network, "-o", folder / f"{network}.tosa")
            run(MACAW, "compile", folder / f"{network}.tosa", "-a", accelerator, "-o", folder / f"{network}.npz")
    return folder


def main():
    worst_of_all, intervals, all_missed = 0, 0, 0
    boards = numbers(sys.argv[2] if len(sys.argv) > 2 else "30")
    with tempfile.TemporaryDirectory() as name:
        for number in boards:
            accelerator = ACCELERATORS[number % len(ACCELERATORS)]
            errors, fit, missed = board(prepared(pathlib.Path(name) / accelerator, accelerator), number, accelerator)
            worst = max(errors, key=lambda key: abs(errors[key]))
            worst_of_all = max(worst_of_all, abs(errors[worst]))
            known = sum(field["known"] for field in fit["fields"].values())
            intervals, all_missed = intervals + known, all_missed + len(missed)
            mean = sum(map(abs, errors.values())) / len(errors)
            print(f"board {number}, {accelerator}: {mean:.2%} on average, {errors[worst]:+.2%} at most ({worst}); "
                  f"{known} of {len(fit['fields'])} properties known{''.join('; ' + text for text in missed)}", flush=True)
    print(f"at most {worst_of_all:.2%} off on {len(boards)} boards; {all_missed} of {intervals} intervals miss the truth")


if __name__ == "__main__":
    main()
