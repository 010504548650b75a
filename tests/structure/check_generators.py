#!/usr/bin/env python3
"""Every test that configures a CMake project names Ninja, which `./dev setup` installs: without a generator CMake takes make."""
import pathlib
import re
import sys


def faults(name, text):
    for match in re.finditer(r'(?<!"dpkg", )"-S", ', text):
        if '"-G", "Ninja"' not in text[match.start():match.start() + 100]:
            yield f'{name}:{text[:match.start()].count(chr(10)) + 1}: cmake -S without "-G", "Ninja"'


def main():
    root = pathlib.Path(sys.argv[1])
    files = [file for folder in ("tests", "python", "examples", "docs") for file in sorted((root / folder).rglob("*.py"))]
    found = [fault for file in files if file.name != pathlib.Path(__file__).name
             for fault in faults(file.relative_to(root), file.read_text(encoding="utf-8"))]
    assert list(faults("x", 'run("cmake", "-S", folder, "-B", f(1))')), "a call without a generator is not found"
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
