#!/usr/bin/python3
"""Type-row coverage: compares `macaw list ops --json` with the typesupport rows of the specification's tosa.xml.

usage: type_rows.py MACAW EXCEPTIONS, with the path of tosa.xml in MACAW_TOSA_XML; skipped (77) without it.
Every supported combination of operator, types, profile set and first version must be on both sides. Prints the share and
every difference; a difference that a line of EXCEPTIONS names (operator, what, reason) does not fail."""
import itertools
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

NAMES = {"tensor_size_t": "SHAPE"}
# tosa.xsd: what a block-scaled type with blocks of 32 and fp8ue8m0 scales can hold.
BLOCK_SCALED = [f"bs32_fp8ue8m0_{t}_t" for t in ("fp8e4m3", "fp8e5m2", "fp6e3m2", "fp6e2m3", "fp4e2m1", "mxint8")]
# DEDUCE-EXT: what each type asks for (tools/tosa.py, DEDUCED_EXTENSION_TYPE_MAPPING).
DEDUCED = {"i64_t": ["EXT-INT64"], "i16_t": ["EXT-INT16"], "i4_t": ["EXT-INT4"], "bf16_t": ["EXT-BF16"],
           "fp8e4m3_t": ["EXT-FP8E4M3"], "fp8e5m2_t": ["EXT-FP8E5M2"], "fp8ue8m0_t": ["EXT-MX-COMMON"],
           "fp4e2m1_t": ["EXT-MX-FP4E2M1"], "fp6e2m3_t": ["EXT-MX-FP6E2M3"], "fp6e3m2_t": ["EXT-MX-FP6E3M2"],
           "mxint8_t": ["EXT-MX-INT8"]}
for block_scaled in BLOCK_SCALED:
    element = block_scaled.removeprefix("bs32_fp8ue8m0_").removesuffix("_t").upper()
    DEDUCED[block_scaled] = ["EXT-MX-COMMON", "EXT-MX-INT8" if element == "MXINT8" else f"EXT-MX-{element}"]


def our_name(spec_type):
    if spec_type in NAMES:
        return NAMES[spec_type]
    if match := re.fullmatch(r"i(\d+)_t", spec_type):
        return f"INT{match.group(1)}"
    return spec_type.removesuffix("_t").upper()


def bound_types(row, variables):
    """Every assignment of types to the type variables that a typesupport row stands for."""
    sets = {s.get("name"): [t for v in s.get("values").split() for t in (BLOCK_SCALED if v == "bs32_fp8ue8m0_set_t" else [v])]
            for s in row.findall("type_set")}
    free, derived = {}, {}
    for bind in row.findall("type_bind"):
        source = bind.get("same_as") or bind.get("access_elem_type")
        if source:
            derived[bind.get("type")] = (source, bind.get("access_elem_type") is not None)
        else:
            free[bind.get("type")] = sets[bind.get("set")]
    for choice in itertools.product(*free.values()):
        types = dict(zip(free, choice))
        for variable in variables:
            if row.get(variable):
                types[variable] = row.get(variable)
        for variable, (source, element) in derived.items():
            # The elements of a block-scaled tensor are read as fp32.
            types[variable] = "fp32_t" if element and types[source] in BLOCK_SCALED else types[source]
        yield types


def profile_sets(row, types):
    for profile in row.findall("op_profile"):
        names = [profile.get(key) for key in ("name", "and_name", "and_name2") if profile.get(key)]
        deduced = set(itertools.chain.from_iterable(DEDUCED.get(t, []) for t in types.values()))
        # Without an extension to deduce and any other name it is the profile of the plain types.
        yield frozenset(itertools.chain.from_iterable(
            deduced if name == "DEDUCE-EXT" else [name] for name in names)) or frozenset({"PRO-FP"})


def without_implied(profiles, needs):
    """An extension of one profile alone needs no mention of that profile."""
    return frozenset(profiles - {next(iter(needs[p])) for p in profiles if len(needs.get(p, ())) == 1})


def extension_profiles(root):
    return {e.get("name"): {p.text for p in e.findall("profile_supported")} for e in root.iter("profile_extension")}


def specification_rows(root):
    rows = set()
    for operator in root.iter("operator"):
        name = operator.find("name").text
        variables = [v.get("name") for v in operator.findall("types/type")]
        for row in operator.findall("typesupport"):
            for types in bound_types(row, variables):
                key = tuple(sorted((v, our_name(t)) for v, t in types.items()
                                   if t.endswith("_t") and v != "resize_t"))  # arithmetic, not an operand
                rows |= {(name, key, profiles, row.get("version_added")) for profiles in profile_sets(row, types)}
    return rows


def our_rows(macaw):
    rows, unimplemented = set(), []
    listed = json.loads(subprocess.run([macaw, "list", "ops", "--json"], check=True, capture_output=True, text=True).stdout)
    for operator in listed:
        if operator["implemented"] != operator["type_rows"]:
            unimplemented.append(operator["name"])
        for text in operator["types"]:
            types, support, version = re.fullmatch(r"(.*?) ?\((.*), since (\d+\.\d+)\)", text).groups()
            key = tuple(sorted(tuple(t.split("=")) for t in types.split()))
            rows |= {(operator["name"], key, frozenset(s.split(" and ")), version) for s in support.split(" or ")}
    return rows, unimplemented


def describe(row):
    name, types, profiles, version = row
    return f"{name} {' '.join(f'{v}={t}' for v, t in types)} ({' and '.join(sorted(profiles))}, since {version})"


def read_exceptions(path):
    """Lines "OPERATOR or * | text that the description contains | reason"."""
    lines = [line for line in open(path) if line.strip() and not line.startswith("#")]
    return [[part.strip() for part in line.split("|")] for line in lines]


def main(macaw, exceptions_file):
    xml = os.environ.get("MACAW_TOSA_XML")
    if not xml:
        print("skipped: MACAW_TOSA_XML does not name the specification's tosa.xml")
        return 77
    root = ElementTree.parse(xml).getroot()
    needs = extension_profiles(root)
    ours, unimplemented = our_rows(macaw)
    specification, ours = ({(*row[:2], without_implied(row[2], needs), row[3]) for row in rows}
                           for rows in (specification_rows(root), ours))
    exceptions, used = read_exceptions(exceptions_file), set()
    failures = [f"{name} has rows without a kernel" for name in unimplemented]
    excused = {}
    for side, rows in (("missing here", specification - ours), ("not in the specification", ours - specification)):
        for row in sorted(rows, key=describe):
            text = f"{side}: {describe(row)}"
            reason = next((e for e in exceptions if e[0] in ("*", row[0]) and e[1] in text), None)
            if reason:
                used.add(tuple(reason))
                excused.setdefault(reason[2], []).append(text)
            else:
                failures.append(text)
    failures += [f"exception without use: {' | '.join(e)}" for e in exceptions if tuple(e) not in used]
    found = len(specification & ours)
    print(f"type rows: {found} of {len(specification)} ({100 * found / len(specification):.1f} %)")
    for reason, rows in excused.items():
        print(f"  {len(rows)} excepted: {reason}")
    print("\n".join(failures))
    return 1 if failures or not specification else 0


sys.exit(main(*sys.argv[1:]))
