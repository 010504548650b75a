#!/usr/bin/python3
"""Refuses sources of more than 450 lines, and functions of more than 60 unless the comment above them says why they are long.

A function is what clang-format leaves of one: a line, or the last of several, that ends in `) {` or what may follow the
parameters, up to the brace that stands below the first of them. The comment uses the word: "Long: a case a mode."."""
import pathlib
import re
import subprocess
import sys

MOST_OF_FILE, MOST_OF_FUNCTION = 450, 60
NO_FUNCTION = re.compile(r"(?:template ?<.*?> ?)?(?:\}|if|for|while|switch|else|do|return|case|namespace|struct|class|union|enum|extern|TEST_CASE|SECTION)\b|[^(]* =")


def indent(line):
    return len(line) - len(line.lstrip())


def start_of(lines, last):
    """Where the statement begins that line `last` ends."""
    first = last
    while first > 0 and lines[first - 1].strip() and not re.search(r"[;{}:]\s*(//.*)?$", lines[first - 1]):
        if lines[first - 1].lstrip().startswith(("//", "#")):
            break
        first -= 1
    return first


def comment_above(lines, first):
    above = first
    while above > 0 and lines[above - 1].lstrip().startswith("//"):
        above -= 1
    return " ".join(lines[above:first])


def long_functions(text):
    """(line number, lines, first line) of the functions that are too long and do not say why."""
    lines, open_blocks, found = text.splitlines(), [], []
    for number, line in enumerate(lines):
        if line.lstrip().startswith("}"):
            while open_blocks and open_blocks[-1][0] > indent(line):
                open_blocks.pop()
            if open_blocks and open_blocks[-1][0] == indent(line):
                _, first, is_function = open_blocks.pop()
                length = number - first + 1
                if is_function and length > MOST_OF_FUNCTION and not re.search(r"\b[Ll]ong\b", comment_above(lines, first)):
                    found.append((first + 1, length, lines[first].strip()))
        if line.rstrip().endswith("{"):
            first = start_of(lines, number)
            head = " ".join(l.strip() for l in lines[first : number + 1])
            open_blocks.append((indent(lines[first]), first, "(" in head and not NO_FUNCTION.match(head)))
    return found


def main(root):
    root = pathlib.Path(root)
    wrong, sources = [], 0
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False).stdout.splitlines()
    for path in listed or [str(p.relative_to(root)) for p in root.rglob("*") if "build" not in p.relative_to(root).parts[:1]]:
        if not path.endswith((".cpp", ".hpp", ".h", ".c", ".py")):
            continue
        sources += 1
        text = (root / path).read_text(encoding="utf-8")
        if text.count("\n") > MOST_OF_FILE:
            wrong.append(f"{path}: {text.count(chr(10))} lines, more than {MOST_OF_FILE}")
        if not path.endswith(".py"):
            wrong += [f"{path}:{line}: {length} lines, more than {MOST_OF_FUNCTION}, and no comment says why: {first}" for line, length, first in long_functions(text)]
    print("\n".join(wrong) if wrong else f"{sources} sources and their functions are short, or say why not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
