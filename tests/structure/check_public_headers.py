#!/usr/bin/env python3
"""Public headers read alone: what they include is installed with them, no comment needs the one before it to make sense,
and Doxygen, where it is installed, has no warning. Usage: check_public_headers.py ROOT"""
import pathlib
import re
import shutil
import subprocess
import sys

# Openings of comments that only make sense below another comment.
FRAGMENT = re.compile(r"(The same\b|Of (that|this|those|these|it|its|the|a|an)\b|As (above|of|below)\b|Likewise\b|Ditto\b|And\b|Same\b)")
COMMENT = re.compile(r"//[/!]<?\s*(.*)|/\*\*<?\s*(.*)")
OWN_INCLUDE = re.compile(r'#include "(.*)"')
INSTALLED_INCLUDE = re.compile(r"#include <(macaw/.*)>")


def faults(root):
    include = root / "include"
    for header in sorted([*include.rglob("*.h"), *include.rglob("*.hpp")]):
        continued = False
        for number, line in enumerate(header.read_text().splitlines(), 1):
            where = f"{header.relative_to(root)}:{number}"
            if own := OWN_INCLUDE.match(line):
                yield f"{where}: includes {own[1]}, which is not installed"
            if (installed := INSTALLED_INCLUDE.match(line)) and not (include / installed[1]).exists():
                yield f"{where}: includes {installed[1]}, which is not there"
            comment = COMMENT.search(line)
            starts = comment and not (continued and line.lstrip().startswith("///") and "///<" not in line)
            if starts and (fragment := FRAGMENT.match(comment[1] or comment[2] or "")):
                yield f'{where}: a comment starts with "{fragment[0]}", which the one before it must explain'
            continued = comment is not None


def doxygen(root):
    if not shutil.which("doxygen"):
        print("doxygen is not installed: its warnings were not looked for")
        return []
    output = root / "build/doxygen"
    output.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["doxygen", "docs/Doxyfile"], cwd=root, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if "warning:" in line or "error:" in line]
    return lines or ([done.stderr] if done.returncode else [])


def main():
    root = pathlib.Path(sys.argv[1])
    found = [*faults(root), *doxygen(root)]
    print("\n".join(found))
    print(f"{len(found)} faults in public headers")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
