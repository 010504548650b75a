#!/usr/bin/python3
"""Checks that dependencies point one way: reads every #include "..." and <macaw/...> and compares with ALLOWED."""
import pathlib
import re
import sys

# room: the rooms it may include. Every room may include include/macaw.
TOSA = {"io", "schema", "arith", "op", "import", "tosa"}
ALLOWED = {
    "io": set(),
    "arith": {"io"},
    "op": {"io", "arith"},
    "import": {"io", "schema", "op"},
    "tosa": {"io", "arith", "op", "import"},
    "verify": {"io", "arith"},
    "models": {"io", "tosa"},
    "isa": {"io"},
    "artifact": {"io", "isa"},
    "datapath": {"io", "isa"},
    "host": {"io"},
    "machine": {"io", "isa", "artifact", "datapath", "host", "walk"},
    "walk": {"io", "isa"},
    "timing": {"io", "isa"},
    "sc": {"io", "isa", "artifact", "datapath", "machine", "walk", "timing"},
    "calibrate": {"io", "isa", "artifact", "timing", "sc"},
    "trace": {"io", "isa", "machine", "sc"},
    "report": {"io", "isa", "datapath", "machine", "walk", "timing", "sc", "trace"},
    "compile": {"io", "isa", "artifact", "datapath", "walk"} | TOSA,
    "compare": {"io", "isa", "artifact", "datapath", "machine"} | TOSA,
    "golden": {"io", "artifact", "machine", "timing", "sc", "compare"},
}
SIM = {"isa", "artifact", "datapath", "host", "machine", "walk", "timing", "sc", "calibrate", "trace", "report", "compile", "compare", "golden"}
for top in ("python", "app"):
    ALLOWED[top] = SIM | TOSA | {"verify", "io", "models"}


def room(path):
    parts = path.split("/")
    if parts[0] == "reference":
        return parts[1] if len(parts) > 2 else "tosa"
    if parts[0] == "sim":
        return parts[1]
    if parts[0] == "models":
        return "models"
    return None


def main(root):
    root = pathlib.Path(root)
    wrong = []
    files = [p for top in ("reference", "sim", "include", "models") for p in (root / top).rglob("*") if p.suffix in (".cpp", ".hpp", ".h", ".def")]
    for path in files:
        name = str(path.relative_to(root))
        here = room(name)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not match:
                continue
            target = match.group(1)
            there = room(target)
            if name.startswith("include/"):
                if there or re.match(r'\s*#\s*include\s+"', line):
                    wrong.append(f"{name}:{number}: a public header includes {target}")
            elif there and there != here and there not in ALLOWED[here]:
                wrong.append(f"{name}:{number}: {here} must not include {there} ({target})")
            elif line.lstrip().startswith('#include "') and not there and "_generated.h" not in target and not target.startswith("tests/"):
                wrong.append(f'{name}:{number}: write the path from the project root: "{target}"')
            elif "_generated.h" in target and here not in ("import", "artifact"):
                wrong.append(f"{name}:{number}: generated headers belong to the importers ({target})")
    print("\n".join(wrong) or f"{len(files)} files keep the dependency direction")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1]))
