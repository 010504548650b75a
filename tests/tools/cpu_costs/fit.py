#!/usr/bin/python3
"""Writes the cost tables of configs/cpu from counted instructions and measured cycles of kernels.

Usage: fit.py CPU_OPERATORS.json FOLDER

The file has "instruction_counts" (of kernels under QEMU) and "rows" (cycles of kernels on silicon); counts.json beside this program has
counts of count.py. docs/FORMATS.md describes the tables. A measurement is used if its compiler is stated; those of whole networks are not used."""
import argparse
import json
import pathlib
import re
import sys

import operators

HERE = pathlib.Path(__file__).parent
# Cycles of a runtime for an operator, which measurements contain and tables do not: configs/cpu/platform.toml.
RUNTIME = {"aot": 90, "ExecuTorch": 800, "": 350}
# Difference in cycles up to which kernels of a few hundred cycles agree: their calls differ.
SLACK = 500
DESCRIPTIONS = {
    "cmsis-nn": "CMSIS-NN 99f736a behind TensorFlow Lite for Microcontrollers; operators that it does not have are reference kernels",
    "tflm-reference": "reference kernels of TensorFlow Lite for Microcontrollers of 2026",
    "tflm-reference-2022": "reference kernels of TensorFlow Lite for Microcontrollers of 2019 to 2022, which transpose by another loop",
    "executorch-portable": "ExecuTorch's portable and quantized kernels",
    "executorch-cortex-m": "ExecuTorch's cortex_m kernels on CMSIS-NN",
    "own": "CMSIS-NN counted by tests/tools/cpu_costs/count.py",
}
OTHERWISE = {
    "cmsis-nn": ["tflm-reference"],
    "tflm-reference-2022": ["tflm-reference"],
    "executorch-cortex-m": ["cmsis-nn", "executorch-portable"],
    "own": ["cmsis-nn", "tflm-reference"],
}


FITTED = [library for library in DESCRIPTIONS if library != "own"]


def compiler_of(row):
    """The compiler as configs/cpu names it, of a measurement; None where it is not stated."""
    library = row["library"]
    if "armclang" in library:
        return "armclang-Ofast"
    if "ATfE" in library:
        return "clang-O2"
    return "gcc-O2" if re.search(r"\bGCC\b", library) and "-Os" not in library else None


def library_of(row):
    """The table that a measurement belongs to."""
    return "executorch-cortex-m" if "ExecuTorch" in row["library"] else "cmsis-nn"


def runtime_of(row):
    return next(cycles for word, cycles in RUNTIME.items() if word in row["library"])


def toolchain(name):
    """"GCC 12.2.1 -O2" -> "gcc-O2"."""
    compiler, level = re.match(r"(GCC|clang) [\d.]+ -(O\w)$", name).groups()
    return f"{compiler.lower()}-{level}"


def collect(data, without=None):
    """Points by (library, class, type, core, compiler); `without`: a source that is left out."""
    cells = {}

    def add(key, point):
        if point.source != without:
            cells.setdefault(key, []).append(point)

    for row in [*data["instruction_counts"], *json.loads((HERE / "counts.json").read_text())]:
        if "class" in row:
            source = f"instructions counted by QEMU, {row['toolchain']}"
            add((row["library"], row["class"], row["type"], row["core"], row["compiler"]),
                operators.counted(row["elements"], row["macs"], row["instructions"], source))
            continue
        case = operators.CASES.get(row["case"])
        if case is None:
            continue
        library, kind, dtype, *work = case
        elements, macs = work if work else (row["n"], 0)
        core = operators.core_of(row["processor"])
        source = f"instructions counted by QEMU, {row['toolchain']}"
        add((library, kind, dtype, core, toolchain(row["toolchain"])), operators.counted(elements or macs, macs, row["instructions"], source))
    for row in data["rows"]:
        known = operators.MEASURED.get(row["operator"])
        core, compiler = operators.core_of(row["processor"]), compiler_of(row)
        if known is None or row["kind"] != "per_operator" or core is None or compiler is None or not row["elements"]:
            continue
        cycles = max(row["cycles"] - runtime_of(row), 1)
        add((library_of(row), *known, core, compiler), operators.measured(row["elements"], row["macs"], cycles, row["source"]))
    return cells


def solve(matrix, wanted):
    """Least squares by normal equations."""
    n = len(matrix[0])
    a = [[sum(r[i] * r[j] for r in matrix) + (1e-9 if i == j else 0) for j in range(n)] for i in range(n)]
    b = [sum(r[i] * w for r, w in zip(matrix, wanted)) for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
        for k in range(i + 1, n):
            factor = a[k][i] / a[i][i]
            a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
            b[k] -= factor * b[i]
    for i in reversed(range(n)):
        b[i] = (b[i] - sum(a[i][j] * b[j] for j in range(i + 1, n))) / a[i][i]
    return b


def value(cost, point):
    return cost.get("fixed", 0) + cost.get("element", 0) * point.elements + cost.get("mac", 0) * point.macs


def fit(kind, points):
    """The cost of a class: relative errors are least, no part is negative, and all points are inside the range. A shape counts once,
    and where it was measured its counts are left out. None: too few shapes for the parts that the cost has."""
    terms = list(operators.TERMS.get(kind, operators.OTHER_TERMS))
    shapes = {}
    for point in points:
        shapes.setdefault((point.elements, point.macs), []).append(point)
    shapes = [[p for p in found if p.silicon] or found for found in shapes.values()]
    if len(shapes) < 2 and len(terms) > 1:
        return None
    if len(shapes) < len(terms):
        terms = terms[len(terms) - len(shapes):]
    used = [p for found in shapes for p in found]
    counts = [len(found) for found in shapes for p in found]
    while True:
        of = {"fixed": lambda p: 1.0, "element": lambda p: p.elements, "mac": lambda p: p.macs}
        weights = [max(p.cycles, SLACK) * n**0.5 for p, n in zip(used, counts)]
        parts = solve([[of[t](p) / w for t in terms] for p, w in zip(used, weights)], [p.cycles / w for p, w in zip(used, weights)])
        if min(parts) >= 0 or len(terms) == 1:
            break
        terms.pop(parts.index(min(parts)))
    cost = {t: part for t, part in zip(terms, parts)}
    slack = [SLACK if p.cycles < 10 * SLACK else 0 for p in used]
    low = min((p.low + s) / value(cost, p) for p, s in zip(used, slack))
    high = max((p.high - s) / value(cost, p) for p, s in zip(used, slack))
    counted_low, _, counted_high = (c / operators.CYCLES_PER_INSTRUCTION[1] for c in operators.CYCLES_PER_INSTRUCTION)
    return cost | {"low": min(low, counted_low), "high": max(high, counted_high)}


def tables(data, without=None):
    """Rows by key, with sources."""
    points = collect(data, without)
    rows = {}
    for key, found in points.items():
        if (row := fit(key[1], found)) is not None:
            rows[key] = row | {"source": "; ".join(sorted({p.source for p in found}))}
    return rows


def number(x):
    return f"{x:.4g}" if x < 1000 else f"{x:.0f}"


def text_of(library, rows, stated):
    sources = {}
    lines = []
    for (_, kind, dtype, core, compiler), row in sorted(rows.items()):
        key = sources.setdefault(row["source"], f"s{len(sources) + 1}")
        parts = "".join(f", {t} = {number(row[t])}" for t in ("fixed", "element", "mac") if t in row)
        lines.append(f'  {{class = "{kind}", type = "{dtype}", core = "{core}", compiler = "{compiler}"{parts}, low = {row["low"]:.2f}, high = {row["high"]:.2f}, source = "{key}"}},')
    text = "# Written by tests/tools/cpu_costs from counted instructions and measured cycles, and from stated.toml there.\n"
    text += f'description = "{DESCRIPTIONS[library]}"\n'
    text += f"otherwise = {json.dumps(OTHERWISE.get(library, []))}\n"
    text += "# Cycles of a Cortex-M with its data in TCM or the L1 cache, without the runtime's part: fixed + element * elements + mac * multiply-accumulates.\n"
    text += "costs = [\n" + "\n".join(lines + stated["costs"]) + "\n]\n"
    text += "# Classes without a figure of their own: that of `as` times low to high.\n"
    text += "borrowed = [\n" + "\n".join(stated["borrowed"]) + "\n]\n\n[sources]\n"
    return text + "".join(f"{key} = {json.dumps(source)}\n" for source, key in sources.items()) + "".join(stated["sources"])


def read_stated(path):
    """Rows that are not fitted, as lines of each library's table."""
    import tomllib

    def inline(row):
        return "  {" + ", ".join(f"{k} = {json.dumps(v)}" for k, v in row.items()) + "},"

    stated = tomllib.loads(path.read_text())
    result = {}
    for library in FITTED:
        own = stated.get(library, {})
        result[library] = {"costs": [inline(r) for r in own.get("costs", [])], "borrowed": [inline(r) for r in own.get("borrowed", [])],
                           "sources": [f"{k} = {json.dumps(v)}\n" for k, v in stated["sources"].items()
                                       if any(r["source"] == k for r in own.get("costs", []) + own.get("borrowed", []))]}
    return result


def write(data, folder, without=None):
    rows, stated = tables(data, without), read_stated(HERE / "stated.toml")
    for library in FITTED:
        own = {key: row for key, row in rows.items() if key[0] == library}
        (folder / f"{library}.toml").write_text(text_of(library, own, stated[library]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--without", help="a source that is left out, for a fit that has not seen it")
    arguments = parser.parse_args()
    write(json.loads(arguments.data.read_text()), arguments.folder, arguments.without)
    return 0


if __name__ == "__main__":
    sys.exit(main())
