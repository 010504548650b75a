#!/usr/bin/env python3
"""Planted bugs: which of them do the tests find?

A table (*.toml beside this file) lists bugs: file, what stands there (before), what stands there by mistake (after); where the
former alone is not unique, `within` is text around it. A bug that changes no answer has the argument in `equivalent`. All
are compiled into one copy of the sources, each behind a choice made when a program starts: MACAW_MUTANT is the number
of the bug that is present, without it there is none. Then the tests of a bug's room run with it, in the order of the
table, up to the first that fails.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIELDS = {"file", "what", "within", "at", "before", "after", "tests", "equivalent"}
PYTHON = "python_"  # tests that are tests/python/test_NAME.py, with the program

CHOICE = """#pragma once
#include <cstdlib>
#include <type_traits>
inline const int macaw_chosen_mutant = std::getenv("MACAW_MUTANT") ? std::atoi(std::getenv("MACAW_MUTANT")) : 0;
constexpr bool macaw_mutant(int number) {
  if (std::is_constant_evaluated()) return false;
  return macaw_chosen_mutant == number;
}
"""


def stop(text):
    sys.exit(f"mutate: {text}")


def read_tables(paths=None):
    mutants = []
    for path in paths or sorted(HERE.glob("*.toml")):
        table = tomllib.loads(path.read_text())
        for entry in table["mutant"]:
            place = f"{path.name}: {entry.get('what', entry)}"
            if not {"file", "what", "before", "after"} <= entry.keys() <= FIELDS:
                stop(f"{place}: needs file, what, before and after; may have within or at, tests and equivalent")
            if not (closed(entry["before"]) and closed(entry["after"])):
                stop(f"{place}: before and after are no whole expressions")
            mutants.append({**entry, "place": place, "table": path.stem, "tests": entry["tests"] if "tests" in entry else table["tests"], "number": number(entry)})
    for mutant in mutants:
        if (alike := [m["place"] for m in mutants if m["number"] == mutant["number"]])[1:]:
            stop(f"{' and '.join(alike)} have one number")
    return mutants


def number(entry):
    """That of a bug stays when others come: nothing is compiled again for them."""
    return 1 + zlib.crc32(f"{entry['file']}: {entry['what']}".encode()) % 99_999_999


def with_choice(mutant):
    number, before, after = mutant["number"], mutant["before"], mutant["after"]
    if before.endswith(";"):
        return f"{{ if (macaw_mutant({number})) {{ {after} }} else {{ {before} }} }}"
    return f"(macaw_mutant({number}) ? ({after}) : ({before}))"


def instrumented(text, mutants):
    places = []
    for mutant in mutants:
        if "at" in mutant:
            start = len(text.encode()[:mutant["at"]].decode(errors="replace"))
            if not text[start:].startswith(mutant["before"]):
                stop(f"{mutant['place']}: {mutant['file']} is another than when it was drawn")
            places.append((start, mutant))
            continue
        within = mutant.get("within", mutant["before"])
        for part, whole, where in ((within, text, mutant["file"]), (mutant["before"], within, "within")):
            if whole.count(part) != 1:
                stop(f"{mutant['place']}: '{part}' is {whole.count(part)} times in {where}")
        places.append((text.index(within) + within.index(mutant["before"]), mutant))
    places.sort(key=lambda place: place[0])
    out, at = "", 0
    for start, mutant in places:
        if text[:start].endswith((".", "->")):
            stop(f"{mutant['place']}: begins with a member, what it is of missing")
        if start < at:
            stop(f"{mutant['place']}: overlaps another mutant of {mutant['file']}")
        out += text[at:start] + with_choice(mutant)
        at = start + len(mutant["before"])
    return '#include "macaw_mutant.hpp"\n#line 1\n' + out + text[at:]


def closed(text):
    """Whether every bracket of it has its other one and it is no head of a statement: else it is no expression or statement."""
    if re.match(r"(while|for|if|switch|case|return)\b", text) and not text.endswith(";"):
        return False
    open_ = []
    for char in re.sub(r"""'[()\[\]{}]'|"[^"]*\"""", "", text):
        if char in "([{":
            open_.append(char)
        elif char in ")]}" and (not open_ or open_.pop() + char not in ("()", "[]", "{}")):
            return False
    return not open_


def update(path, content):
    """Files that are the same keep their time, so that nothing is compiled again for them."""
    if path.is_symlink() or (path.exists() and path.read_bytes() == content):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def copy_sources(folder, mutants):
    by_file = {}
    for mutant in mutants:
        by_file.setdefault(mutant["file"], []).append(mutant)
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in by_file.keys() - set(listed):
        stop(f"{by_file[name][0]['place']}: there is no file {name}")
    for name in listed:
        source = ROOT / name
        if not source.is_file():
            continue
        content = source.read_bytes()
        if name in by_file:
            content = instrumented(content.decode(), by_file[name]).encode()
        update(folder / name, content)
        os.chmod(folder / name, source.stat().st_mode)
    update(folder / "macaw_mutant.hpp", CHOICE.encode())


def build(folder, targets, cmake_arguments):
    out = folder / "build" / "all"
    subprocess.run(["cmake", "-S", folder, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O1", *cmake_arguments], check=True, stdout=subprocess.DEVNULL)
    jobs = os.environ.get("MACAW_JOBS", str(os.cpu_count()))
    subprocess.run(["cmake", "--build", out, "-j", jobs, "--target", *targets, "--", "-k", "0"], check=True)
    return {path.name.removeprefix("test_"): [path, "--abort", "--order", "decl"]
            for path in out.glob("tests/**/test_*") if os.access(path, os.X_OK) and path.is_file()}


def is_python(test):
    return test.startswith(PYTHON)


def python_command(folder, test):
    return ["/usr/bin/python3", "-B", folder / "tests/python" / f"test_{test.removeprefix(PYTHON)}.py"]


def failed(folder, command, number, limit):
    # Programs that run side by side take files of one name: each has a folder of its own for them.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        environment = {**os.environ, "MACAW_CORPUS": "/nonexistent", "MACAW_MUTANT": str(number), "TMPDIR": temporary,
                       "MACAW": str(folder / "build/all/macaw"), "MACAW_SANITIZE": ""}
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True) as run:
            try:
                output, _ = run.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)  # with what it started
                return "takes too long"
    return output.decode(errors="replace") if run.returncode not in (0, 4) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="mutants whose file or description holds this text")
    parser.add_argument("--table", action="append", default=[],
                        help="plant only the bugs of this table (reference), which compiles less; may be repeated")
    parser.add_argument("--test", action="append", default=[], help="run only this one of a table's test programs; may be repeated")
    parser.add_argument("--number", type=int, action="append", default=[], help="judge only the bug of this number; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the tables and stop")
    parser.add_argument("--check", action="store_true", help="see that every before stands once in its file, and stop")
    parser.add_argument("--cmake", action="append", default=[], help="an argument for cmake")
    parser.add_argument("--drawn", type=pathlib.Path, help="the bugs of this table, which draw.py wrote, and no others")
    options = parser.parse_args()
    mutants = read_tables([options.drawn] if options.drawn else None)
    folder = ROOT / "build" / "mutants"
    if options.list:
        for mutant in mutants:
            print(f"{mutant['number']:8} {mutant['file']}: {mutant['what']}")
        return
    if options.table:
        mutants = [mutant for mutant in mutants if mutant["table"] in options.table]
    if options.check:
        for name in {mutant["file"] for mutant in mutants}:
            instrumented((ROOT / name).read_text(), [mutant for mutant in mutants if mutant["file"] == name])
        return
    copy_sources(folder, mutants)
    if options.test:
        for mutant in mutants:
            mutant["tests"] = [test for test in mutant["tests"] if test in options.test]
    chosen = [m for m in mutants if m["tests"] and (options.only in m["file"] or options.only in m["what"])]
    if options.number:
        chosen = [mutant for mutant in chosen if mutant["number"] in options.number]
    tests = list(dict.fromkeys(test for m in chosen for test in m["tests"]))
    targets = dict.fromkeys("macaw" if is_python(test) else f"test_{test}" for test in tests)
    commands = build(folder, targets, options.cmake) | {test: python_command(folder, test) for test in tests if is_python(test)}
    limits = {}
    for test in tests:
        start = time.monotonic()
        if output := failed(folder, commands[test], 0, None):
            stop(f"{test} fails without a mutant:\n{output[-2000:]}")
        limits[test] = 60 + 20 * (time.monotonic() - start)

    def judge(mutant):
        for test in mutant["tests"]:
            if failed(folder, commands[test], mutant["number"], limits[test]):
                return test
        return None

    killed = survived = equivalent = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("MACAW_JOBS", os.cpu_count()))) as pool:
        for mutant, killer in zip(chosen, pool.map(judge, chosen)):
            line = f"{mutant['number']:8} {mutant['file']}: {mutant['what']}"
            if killer:
                killed += 1
                note = "; the table calls it equivalent" if "equivalent" in mutant else ""
                print(f"killed   {line} ({killer}{note})", flush=True)
            elif "equivalent" in mutant:
                equivalent += 1
                print(f"equal    {line}: {mutant['equivalent']}", flush=True)
            else:
                survived += 1
                print(f"SURVIVED {line}", flush=True)
    print(f"{killed} killed, {survived} survived, {equivalent} equivalent: {100 * killed / max(1, killed + survived + equivalent):.1f} % of all")
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
