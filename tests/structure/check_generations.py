#!/usr/bin/python3
"""Counts tests of the NPU's family outside the folders of the generations.

What a generation does differently stands in a folder u55_u65 or u85 and is chosen by a generation.cpp, in a switch without a
default, so that a new family does not compile before it has its place. Everywhere else a test of the family needs a
reason in a comment on its line or the one above, and there are at most MOST_TESTS of them. Fails on more, on one without
a comment, on a default in a generation.cpp, and on a room with one generation but not the other."""
import pathlib
import re
import sys

MOST_TESTS = 5
FOLDERS = ("u55_u65", "u85")
TOPS = ("app", "base", "compiler", "device", "examples", "include", "models", "python", "reference", "sim", "workflow")
FAMILY = r"(?:\w+::)*kU\d\d\b"
TEST = re.compile(rf"[!=]=\s*{FAMILY}|{FAMILY}\s*(?:[!=]=|\?)|case {FAMILY}"
                  r"|\bis_u\d\d\b|\bu\d\d\(\)|\bbool u\d\d\b|[!=]=\s*\"U\d\d\"|\"ethos-u\d\d\"")


def in_generation(path):
    return any(folder in path.parts for folder in FOLDERS)


def tests_in(text):
    """Numbers of the lines with a test of the family, and whether a comment gives a reason."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if TEST.search(line.split("//")[0]):
            above = lines[number - 1].strip() if number else ""
            yield number + 1, "//" in line or above.startswith("//")


def check(sources):
    """Problems in (path, text) pairs, and the tests that were counted."""
    wrong, counted, rooms = [], [], {}
    for path, text in sources:
        if in_generation(path):
            at = next(i for i, part in enumerate(path.parts) if part in FOLDERS)
            rooms.setdefault("/".join(path.parts[:at]), set()).add(path.parts[at])
            continue
        if path.name == "generation.cpp":
            if re.search(r"\bdefault\s*:", text):
                wrong.append(f"{path}: a default hides a family that has no generation")
            continue
        for line, explained in tests_in(text):
            counted.append(f"{path}:{line}")
            if not explained:
                wrong.append(f"{path}:{line}: a test of the family without a reason")
    wrong += [f"{room}: has {' and '.join(sorted(have))} alone" for room, have in sorted(rooms.items()) if len(have) < len(FOLDERS)]
    if len(counted) > MOST_TESTS:
        wrong.append(f"{len(counted)} tests of the family outside the generations, at most {MOST_TESTS}: {', '.join(counted)}")
    return wrong, counted


def main(root):
    root = pathlib.Path(root)
    paths = [p for top in TOPS for p in sorted((root / top).rglob("*")) if p.suffix in (".cpp", ".hpp", ".h")]
    wrong, counted = check((p.relative_to(root), p.read_text()) for p in paths)
    print("\n".join(wrong), file=sys.stderr)
    print(f"{len(paths)} files, {len(counted)} tests of the family outside the generations: {', '.join(counted)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
