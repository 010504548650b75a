#!/usr/bin/python3
"""Holds predicted times of whole inferences against published ones.

Usage: judge.py MACAW END_TO_END.json CORPUS [--without-own-source]

Prints a line for each cell of END_TO_END.json: published and predicted milliseconds, the interval, and whether it is judged
(boards.toml). The NPU's part is the published one where there is one, else simulated. --without-own-source predicts each cell
without what its own source says of the CPU: tables of kernels are fitted anew without it (fit.py) and copy rates of the system are left
out. Ends with 1 if fewer cells than the issue of the figures asks for are inside (85 %, without the own source 75 %), if the median error
is above 10 %, or if half of the median interval width is above 20 %."""
import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib

import fit

HERE = pathlib.Path(__file__).parent
INSIDE, INSIDE_WITHOUT, MEDIAN_ERROR, HALF_WIDTH = 0.85, 0.75, 0.10, 0.20


def board_of(cell, boards):
    return next(b for b in boards if cell["board"].startswith(b["board"]) and cell["source"].startswith(b["source"]))


def find(corpus, name):
    """The artifact in the corpus, wherever it lies; file names are unique there but for folders of other accelerators."""
    path = pathlib.Path(name)
    found = sorted(corpus.rglob(path.name))
    same = [f for f in found if str(f).endswith(name)]
    return (same or found or [None])[0]


def simulate(macaw, artifact, board, extra):
    words = [macaw, "sim", str(artifact), "--mode", "timing", "--json", "--findings", "off", "--activity-spans", "0"]
    if board["system"]:
        words += ["--system", board["system"]]
    for item in [*board["cpu"], *extra]:
        words += ["--cpu", item]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["inference"]


def elsewhere(board):
    """The board's CPU without its NPU: for a network that another accelerator runs."""
    system = tomllib.loads((HERE.parents[2] / "configs/systems" / f"{board['system']}.toml").read_text()) if board["system"] else {}
    cpu = [f"{key}={value}" for key, value in system.get("cpu", {}).items() if key != "source"]
    return {"system": "", "cpu": [*cpu, *board["cpu"]]}


def bytes_of(text):
    """Bytes of copies that a cell's text states: "copy 288 kB in + 1.152 MB out"."""
    units = {"kB": 1e3, "MB": 1e6}
    return sum(float(n) * units[u] for n, u in re.findall(r"([\d.]+) (kB|MB)", text or ""))


def combine(rows):
    """Total, low and high, as the program combines its rows: kinds by themselves."""
    ms = sum(r["ms"] for r in rows)
    kinds = {}
    for r in rows:
        kind = r["kind"].split("_")[0]
        below, above = kinds.get(kind, (0, 0))
        kinds[kind] = (below + r["ms"] - r["low_ms"], above + r["high_ms"] - r["ms"])
    return ms, ms - math.hypot(*(k[0] for k in kinds.values())), ms + math.hypot(*(k[1] for k in kinds.values()))


def predict(macaw, corpus, cell, board, extra, any_network):
    """(ms, low, high), or why there is none."""
    artifact = find(corpus, cell["artifact"]) if cell.get("artifact") else None
    published = cell.get("npu_ms")
    if artifact is None and published is None:
        return "no artifact in the corpus" if cell.get("artifact") else "neither an artifact nor the NPU's part is published"
    if artifact is not None and published is None:
        whole = simulate(macaw, artifact, board, extra)
        return whole["ms"], whole["low_ms"], whole["high_ms"]
    # Overhead of one job of any network, and copies of the stated bytes.
    whole = simulate(macaw, artifact or any_network, board if artifact else elsewhere(board), extra)
    rows = [r for r in whole["rows"] if r["kind"] != "npu" and r["ms"] is not None]
    stated = bytes_of(cell.get("cpu_part")) or board.get("bytes", {}).get(cell["network"], 0)
    copies = [r for r in rows if r["kind"].startswith("copy")]
    made = sum(int(r["name"].split()[0]) for r in copies)
    if made and (stated or artifact is None):
        rows = [r for r in rows if r not in copies]
        rows += [dict(r, **{key: r[key] * stated / made for key in ("ms", "low_ms", "high_ms")}) for r in copies]
    return combine([*rows, {"kind": "npu", "ms": published, "low_ms": published, "high_ms": published}])


def own_library(data, source, folder):
    """A CMSIS-NN table fitted without a source, for --cpu library=."""
    fit.write(data, folder, source)
    return folder / "cmsis-nn.toml"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("macaw")
    parser.add_argument("cells", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--without-own-source", action="store_true")
    arguments = parser.parse_args()
    boards = tomllib.loads((HERE / "boards.toml").read_text())["boards"]
    any_network = find(arguments.corpus, "rnnoise_INT8_vela_H256.tflite")
    operators = json.loads((arguments.cells.parent / "cpu_operators.json").read_text())
    errors, inside, widths = [], [], []
    print(f"{'cell':>4} {'network':28} {'published':>10} {'predicted':>10} {'interval':>19}  error")
    for cell in json.loads(arguments.cells.read_text())["cells"]:
        board = board_of(cell, boards)
        with tempfile.TemporaryDirectory() as folder:
            extra = []
            if arguments.without_own_source:
                extra.append(f"library={own_library(operators, cell['source'], pathlib.Path(folder))}")
                if board.get("own_rates"):  # a copy takes the cycles that it takes on any core
                    board = dict(board, system="", cpu=[*board["cpu"], "core=cortex-m55", f"clock_hz={cell['cpu_clock_hz']}"])
            try:
                found = predict(arguments.macaw, arguments.corpus, cell, board, extra, any_network)
            except RuntimeError as error:
                found = str(error)
        line = f"{cell['id']:4} {cell['network'][:28]:28} {cell['total_ms']:10.4f} "
        if isinstance(found, str):
            print(f"{line}{'-':>10}  {found}")
            continue
        ms, low, high = found
        error = ms / cell["total_ms"] - 1
        is_inside = low <= cell["total_ms"] <= high
        print(f"{line}{ms:10.4f} {low:9.4f}-{high:9.4f} {100 * error:+6.1f} % {'inside' if is_inside else 'OUTSIDE'}"
              f"{'' if board['judged'] else ', not judged: ' + board['why']}")
        if board["judged"]:
            errors.append(abs(error))
            inside.append(is_inside)
            widths.append((high - low) / 2 / ms)
    share = sum(inside) / len(inside)
    print(f"{len(inside)} cells judged: {100 * share:.0f} % inside, median error {100 * statistics.median(errors):.1f} %, median half width "
          f"{100 * statistics.median(widths):.1f} %")
    enough = INSIDE_WITHOUT if arguments.without_own_source else INSIDE
    return 0 if share >= enough and statistics.median(errors) <= MEDIAN_ERROR and statistics.median(widths) <= HALF_WIDTH else 1


if __name__ == "__main__":
    sys.exit(main())
