#!/usr/bin/python3
"""Draws bugs at random places, for `mutate.py TABLE`: the share that the tests find is an unbiased estimate.

An operator is exchanged for another (< for <=, + for -, && for ||), a number is increased by one, min becomes max, a
condition is negated, a statement is removed.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

from clang.cindex import CursorKind, Index, TypeKind

import mutate

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "+", "/": "*", "%": "/",
         "&": "|", "|": "&", "<<": ">>", ">>": "<<", "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|="}
NUMBERS = {kind for name, kind in vars(TypeKind).items() if name in (
    "BOOL CHAR_U UCHAR CHAR_S SCHAR USHORT UINT ULONG ULONGLONG SHORT INT LONG LONGLONG FLOAT DOUBLE INT128 UINT128".split())}
FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.FUNCTION_TEMPLATE)
CALLS = (CursorKind.CALL_EXPR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.BINARY_OPERATOR, CursorKind.UNARY_OPERATOR)
# Numbers below these are part of a type, a label or a table.
FIXED = (CursorKind.CASE_STMT, CursorKind.TYPE_REF, CursorKind.TEMPLATE_REF, CursorKind.INIT_LIST_EXPR, CursorKind.STATIC_ASSERT)


class Source:
    def __init__(self, path):
        self.path, self.name = str(path), str(path.relative_to(mutate.ROOT))
        self.data = path.read_bytes()

    def text(self, start, end):
        return self.data[start:end].decode()

    def bug(self, start, end, what, after):
        line, column = self.data.count(b"\n", 0, start) + 1, start - self.data.rfind(b"\n", 0, start)
        return {"file": self.name, "at": start, "what": f"{line}:{column}: {what}", "before": self.text(start, end), "after": after}


def is_number(cursor):
    return cursor.type.get_canonical().kind in NUMBERS


def operator_bugs(source, cursor, children):
    if len(children) != 2 or not all(map(is_number, children)):
        return
    start, left, right, end = (cursor.extent.start.offset, children[0].extent.end.offset,
                               children[1].extent.start.offset, cursor.extent.end.offset)
    operator = source.text(left, right).strip()
    if operator in SWAPS and start < left < right < end:
        after = source.text(start, left) + f" {SWAPS[operator]} " + source.text(right, end)
        yield source.bug(start, end, f"{SWAPS[operator]} for {operator}", after)


def is_value(source, cursor, parent):
    """False for numbers in a type or in template arguments, which MACAW_MUTANT cannot choose at run time."""
    if parent.kind in (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR, *FUNCTIONS):
        return False
    return parent.kind != CursorKind.VAR_DECL or not source.data[cursor.extent.end.offset:].lstrip().startswith(b">")


def bugs_of(source, cursor, children, parent):
    start, end = cursor.extent.start.offset, cursor.extent.end.offset
    text = source.text(start, end)
    if cursor.kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
        yield from operator_bugs(source, cursor, children)
    elif cursor.kind == CursorKind.INTEGER_LITERAL and (number := re.fullmatch(r"(\d+)([uUlL]*)", text)) and is_value(source, cursor, parent):
        yield source.bug(start, end, f"{int(number[1]) + 1} for {text}", f"{int(number[1]) + 1}{number[2]}")
    elif cursor.kind == CursorKind.CALL_EXPR and (call := re.match(r"std::(min|max)\b", text)):
        other = {"min": "max", "max": "min"}[call[1]]
        yield source.bug(start, end, f"{other} for {call[1]}", f"std::{other}" + text[len("std::min"):])
    elif cursor.kind == CursorKind.IF_STMT and children and is_number(children[0]):
        start, end = children[0].extent.start.offset, children[0].extent.end.offset
        yield source.bug(start, end, "the opposite condition", f"!({source.text(start, end)})")
    if parent.kind == CursorKind.COMPOUND_STMT and cursor.kind in CALLS and source.data[end:end + 1] == b";":
        yield source.bug(start, end + 1, "a statement is missing: " + " ".join(text.split())[:60], "")


def walk(source, cursor, parent, in_function, found):
    if cursor.kind in FIXED:
        return
    start = cursor.extent.start.offset
    # Later names of a declaration begin after the keyword.
    if cursor.kind in (CursorKind.DECL_STMT, CursorKind.VAR_DECL) and re.match(rb"(static |inline )*constexpr", source.data[start:start + 40]):
        return
    children = list(cursor.get_children())
    if in_function:
        for bug in bugs_of(source, cursor, children, parent):
            found.append(bug)
    for child in children:
        if child.location.file is None or child.extent.start.file is None or child.extent.start.file.name == source.path:
            walk(source, child, cursor, in_function or cursor.kind in FUNCTIONS, found)


def compile_flags():
    """The flags of each source from the preset lint, with the generated headers of build/release."""
    subprocess.run(["cmake", "--preset", "lint"], cwd=mutate.ROOT, check=True, stdout=subprocess.DEVNULL)
    commands = json.loads((mutate.ROOT / "build/lint/compile_commands.json").read_text())
    flags = {}
    for command in commands:
        words = shlex.split(command["command"].replace("build/lint", "build/release"))
        start = next(i for i, word in enumerate(words) if word.startswith("-"))
        flags[command["file"]] = words[start:words.index("-o")]
    return flags


def candidates(path, flags):
    """Bugs of a source, not of the headers that it includes."""
    unit = Index.create().parse(str(path), args=[*flags, "-ferror-limit=0", "-Wno-everything"])
    source, found = Source(path), []
    for cursor in unit.cursor.get_children():
        if cursor.location.file and cursor.location.file.name == str(path):
            walk(source, cursor, unit.cursor, False, found)
    return found


def without_overlaps(bugs):
    taken = []
    for bug in bugs:
        start, end = bug["at"], bug["at"] + len(bug["before"].encode())
        if all(end <= a or b <= start for a, b in taken):
            taken.append((start, end))
            yield bug


def lines_of(bug, text):
    end = bug["at"] + len(bug["before"].encode())
    return set(range(text.count(b"\n", 0, bug["at"]) + 1, text.count(b"\n", 0, end) + 2))


def those_that_compile(bugs, path, flags):
    """Drops the bugs in whose lines the compiler reports errors until it reports none."""
    folder = mutate.ROOT / "build/drawn"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "macaw_mutant.hpp").write_text(mutate.CHOICE)
    copy = path.parent / f".{path.stem}.drawn.cpp"
    text = path.read_bytes()
    while bugs:
        copy.write_text(mutate.instrumented(path.read_text(), [{**bug, "number": mutate.number(bug)} for bug in bugs]))
        try:
            done = subprocess.run(["c++", *flags, "-I", folder, "-fsyntax-only", "-w", copy], cwd=mutate.ROOT / "build/release",
                                  capture_output=True, text=True, check=False)
        finally:
            copy.unlink()
        if done.returncode == 0:
            return bugs
        lines = {int(line) for line in re.findall(rf"{re.escape(copy.name)}:(\d+):", done.stderr)}
        kept = [bug for bug in bugs if not lines & lines_of(bug, text)]
        bugs = kept if len(kept) < len(bugs) else []
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room", nargs="+", help="a folder or source below the project's: sim/datapath")
    parser.add_argument("--number", type=int, default=100, help="number of bugs (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", required=True, help="the table to write")
    options = parser.parse_args()
    flags = compile_flags()
    rooms = tuple(f"{mutate.ROOT}/{room}" for room in options.room)
    sources = [path for path in sorted(flags) if path.startswith(rooms)]
    if not sources:
        sys.exit(f"draw: no sources below {', '.join(options.room)}")
    random_ = random.Random(options.seed)
    # A source is drawn in proportion to its size.
    drawn = collections.Counter(random_.choices(sources, [os.path.getsize(s) for s in sources], k=options.number))
    with open(options.output, "w", encoding="utf-8") as out:
        for name, number in sorted(drawn.items()):
            path = pathlib.Path(name)
            found = candidates(path, flags[name])
            random_.shuffle(found)
            chosen = list(without_overlaps(found))[:number * 2]  # some do not compile
            for bug in those_that_compile(chosen, path, flags[name])[:number]:
                out.write("[[mutant]]\n")
                for key, value in bug.items():
                    out.write(f"{key} = {json.dumps(value)}\n")
                out.write("\n")
            out.flush()


if __name__ == "__main__":
    main()
