#!/usr/bin/python3
"""Finds names of unnamed namespaces that two sources of one target have, or a source and a header: compiled together
(CMAKE_UNITY_BUILD) they clash.

Sources that Highway compiles for each instruction set are compiled apart anyway, and those of tests/tools/bench. The test reads
declarations that begin a line, as clang-format leaves them."""
import itertools
import pathlib
import re
import subprocess
import sys

OPEN = re.compile(r"^(?:inline )?namespace ?([\w:]*) \{$")
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum) (\w+)")
ALIAS = re.compile(r"^(?:using|namespace) (\w+) = (.*);$")
VALUE = re.compile(r"^(?:inline )?(?:const|constexpr|static)\b[^(]*?\b(\w+)(?:\[\w*\])?(?: = |\{)")
FURTHER = re.compile(r", (\w+)(?:\[\w*\])?(?: = |\{)")  # of a declaration of several values
FUNCTION = re.compile(r"^(?!using|template|return|struct|class|enum|namespace|typedef|MACAW_|TEST_CASE|#|//|\})[\w:<>,&*\[\] ]*?[\w>&*\]](?: [&*]?|(?<=[&*]))(\w+)\((.*)$")
NUMBER = re.compile(r"(?:const )?(?:bool|char|float|double|(?:unsigned |signed )?(?:int|long|short)|unsigned|(?:std::)?(?:u?int\d+|size|ptrdiff)_t) ?")
SOURCES = ("app", "base", "compiler", "models", "python", "reference", "sim", "workflow", "tests")


def target_of(path):
    """Target of a source, by its folder; one of the two if they share a folder."""
    parts = path.parts
    if parts[:3] in (("reference", "tosa", "op"), ("reference", "tosa", "kernels")):
        return "reference/tosa/op"
    if parts[:2] == ("reference", "tosa"):
        return "/".join(parts[: min(3, len(parts) - 1)])
    if parts[:2] == ("tests", "unit"):
        return "/".join(parts[:-1])
    if parts[:2] == ("tests", "system"):
        return "/".join(parts[: min(4, len(parts) - 1)])
    depth = {"reference": 2, "sim": 2, "workflow": 2, "tests": 3}.get(parts[0], 1)
    return "/".join(parts[: min(depth, len(parts) - 1)])


def parameters(text):
    """Types of a parameter list: without the names."""
    depth, end = 1, 0
    for end, c in enumerate(text):
        depth += {"(": 1, ")": -1}.get(c, 0)
        if depth == 0:
            break
    return ",".join(re.sub(r"(\w+)(?: = .*)?$", "", p.strip()) for p in text[:end].split(",")) if end else ""


def names(text):
    """(namespace, name, what tells it from others of the name) for each name of an unnamed namespace."""
    return [found for unnamed, *found in declared(text) if unnamed]


def declared(text):
    """The same for each name of a namespace, behind whether that is unnamed."""
    lines, found, spaces = text.splitlines(), [], []
    aliases = dict(re.findall(r"^using (\w+) = (.*);$", text, re.M))
    for number, line in enumerate(lines):
        opened = OPEN.match(line)
        if opened:
            spaces.append(opened[1])
        elif line == "}" or line.startswith("}  // namespace"):
            if line.startswith("}  // namespace") and spaces:
                spaces.pop()
        elif spaces and line[:1].strip() and not line.startswith("template"):
            unnamed, place = "" in spaces, "::".join(s for s in spaces if s)
            kind = TYPE.match(line) or VALUE.match(line)
            if kind:
                if not re.match(r"(?:struct|class|union|enum) .*;$", line):
                    found.append((unnamed, place, kind[1], ""))
                    bare = re.sub(r"\([^()]*\)|\{[^{}]*\}", "", line[kind.end() :])
                    found.extend((unnamed, place, name, "") for name in FURTHER.findall(bare))
            elif alias := ALIAS.match(line):
                found.append((unnamed, place, alias[1], "= " + alias[2]))
            elif function := FUNCTION.match(line):
                rest = " ".join([function[2], *(l.strip() for l in lines[number + 1 : number + 6])])
                types = re.sub(r"\w+", lambda word: aliases.get(word[0], word[0]), parameters(rest))
                found.append((unnamed, place, function[1], f"({types})"))
    return found


def are_overloads(one, other):
    """Whether a call of one function cannot be taken for a call of the other: two that differ in kinds of numbers alone are
    called with either."""
    if not (one != other and one.startswith("(") and other.startswith("(")):
        return False
    pairs = list(itertools.zip_longest(one[1:-1].split(","), other[1:-1].split(","), fillvalue=""))
    return any(a.strip() != b.strip() and not (NUMBER.fullmatch(a) and NUMBER.fullmatch(b)) for a, b in pairs)


def of_headers(headers):
    """(first folder, namespace, name) of types and constants, with the header, for (path, text) of headers."""
    return {(path.split("/")[0], place, name): path
            for path, text in headers for unnamed, place, name, signature in declared(text) if not (unnamed or signature)}


def clashes(sources, headers=()):
    """Messages, for (target, path, text) of sources and (path, text) of headers."""
    known, wrong, public = {}, [], of_headers(headers)
    for target, path, text in sources:
        for place, name, signature in dict.fromkeys(map(tuple, names(text))):
            header = public.get((path.split("/")[0], place, name)) or public.get(("include", place, name))
            if header and not signature:
                wrong.append(f"{path}: {name} is also {header}'s")
            others = known.setdefault((target, place, name), [])
            for other, theirs in others:
                same_alias = signature == theirs and signature.startswith("=")
                if other != path and not are_overloads(signature, theirs) and not same_alias:
                    wrong.append(f"{path}: {name} is also {other}'s")
                    break
            others.append((path, signature))
    return wrong


def main(root):
    root = pathlib.Path(root)
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.cpp"], capture_output=True, text=True, check=False).stdout.splitlines()
    paths = listed or [str(p.relative_to(root)) for folder in SOURCES for p in (root / folder).rglob("*.cpp")]
    sources = []
    for path in sorted(paths):
        if not path.startswith(SOURCES) or path.startswith("tests/tools/bench/"):
            continue
        text = (root / path).read_text(encoding="utf-8")
        if not re.search("^#define HWY_TARGET_INCLUDE", text, re.M):
            sources.append((target_of(pathlib.PurePath(path)), path, text))
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.hpp"], capture_output=True, text=True, check=False).stdout.splitlines()
    names_of_headers = [p for p in listed or [str(p.relative_to(root)) for p in root.rglob("*.hpp")] if p.startswith((*SOURCES, "include")) and not p.startswith("tests/")]
    wrong = clashes(sources, [(path, (root / path).read_text(encoding="utf-8")) for path in names_of_headers])
    print("\n".join(wrong) if wrong else f"{len(sources)} sources can be joined")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
