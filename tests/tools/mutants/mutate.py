#!/usr/bin/env python3
"""Plants bugs in a copy of the sources and reports which of them the tests find.

A table (TOML, written by draw.py or by hand) lists bugs: file, what, before (the source text), after (its replacement) and
optionally `at` (the byte at which `before` begins; without it, `before` must be unique in the file) and tests (default:
those of the file's folder in tests.toml). All bugs are compiled into one copy of the sources, each behind a choice made
when a program starts: the environment variable MACAW_MUTANT selects the bug that is present. For each bug its tests run
in order until one fails.
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
ROOT = HERE.parents[2]
FIELDS = {"file", "what", "at", "before", "after", "tests"}
PYTHON = "python_"  # tests that are tests/system/python/test_NAME.py, with the program

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


def tests_of(file):
    """The tests of the innermost folder of the file that tests.toml lists."""
    folders = tomllib.loads((HERE / "tests.toml").read_text())
    for parent in pathlib.PurePath(file).parents:
        if str(parent) in folders:
            return folders[str(parent)]
    stop(f"tests/tools/mutants/tests.toml lists no folder of {file}")


def read_table(path):
    mutants = []
    for entry in tomllib.loads(path.read_text())["mutant"]:
        place = f"{path.name}: {entry.get('what', entry)}"
        if not {"file", "what", "before", "after"} <= entry.keys() <= FIELDS:
            stop(f"{place}: needs file, what, before and after; may have at and tests")
        if not (closed(entry["before"]) and closed(entry["after"])):
            stop(f"{place}: before and after must be whole expressions or statements")
        mutants.append({"tests": tests_of(entry["file"]), **entry, "place": place, "number": number(entry)})
    for mutant in mutants:
        if (alike := [m["place"] for m in mutants if m["number"] == mutant["number"]])[1:]:
            stop(f"{' and '.join(alike)} have the same number")
    return mutants


def number(entry):
    """Depends on the bug alone: adding other bugs recompiles nothing for this one."""
    return 1 + zlib.crc32(f"{entry['file']}: {entry['what']}".encode()) % 99_999_999


def with_choice(mutant):
    number, before, after = mutant["number"], mutant["before"], mutant["after"]
    if before.endswith(";"):
        return f"{{ if (macaw_mutant({number})) {{ {after} }} else {{ {before} }} }}"
    return f"(macaw_mutant({number}) ? ({after}) : ({before}))"


def instrumented(text, mutants):
    places = []
    for mutant in mutants:
        before = mutant["before"]
        if "at" in mutant:
            start = len(text.encode()[:mutant["at"]].decode(errors="replace"))
            if not text[start:].startswith(before):
                stop(f"{mutant['place']}: {mutant['file']} has changed since the bug was drawn")
        elif text.count(before) == 1:
            start = text.index(before)
        else:
            stop(f"{mutant['place']}: '{before}' occurs {text.count(before)} times in {mutant['file']}, expected once")
        places.append((start, mutant))
    places.sort(key=lambda place: place[0])
    out, at = "", 0
    for start, mutant in places:
        if text[:start].endswith((".", "->")):
            stop(f"{mutant['place']}: starts with a member access without its object")
        if start < at:
            stop(f"{mutant['place']}: overlaps another mutant of {mutant['file']}")
        out += text[at:start] + with_choice(mutant)
        at = start + len(mutant["before"])
    return '#include "macaw_mutant.hpp"\n#line 1\n' + out + text[at:]


def closed(text):
    """True if all brackets match and the text is not just the head of a statement."""
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
    """Unchanged files keep their time, so they are not compiled again."""
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
        stop(f"{by_file[name][0]['place']}: {name} does not exist")
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
    return ["/usr/bin/python3", "-B", folder / "tests/system/python" / f"test_{test.removeprefix(PYTHON)}.py"]


def failed(folder, command, number, limit):
    # Programs that run side by side use the same file names: each gets its own folder for temporary files.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        environment = {**os.environ, "MACAW_CORPUS": "/nonexistent", "MACAW_MUTANT": str(number), "TMPDIR": temporary,
                       "MACAW": str(folder / "build/all/macaw"), "MACAW_SANITIZE": ""}
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True) as run:
            try:
                output, _ = run.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)  # including its children
                return "takes too long"
    return output.decode(errors="replace") if run.returncode not in (0, 4) else None


def report_progress(text):
    """A line on stderr, if that is a terminal."""
    if sys.stderr.isatty():
        print(f"mutate: {text}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=pathlib.Path, help="the bugs, as draw.py writes them")
    parser.add_argument("--only", default="", help="judge only bugs with this text in file or description")
    parser.add_argument("--test", action="append", default=[], help="run only this test; may be repeated")
    parser.add_argument("--number", type=int, action="append", default=[], help="judge only the bug with this number; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the bugs and stop")
    parser.add_argument("--cmake", action="append", default=[], help="an argument for cmake")
    options = parser.parse_args()
    mutants = read_table(options.table)
    folder = ROOT / "build" / "mutants"
    if options.list:
        for mutant in mutants:
            print(f"{mutant['number']:8} {mutant['file']}: {mutant['what']}")
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
    report_progress(f"building {len(chosen)} mutants and {len(targets)} test programs")
    commands = build(folder, targets, options.cmake) | {test: python_command(folder, test) for test in tests if is_python(test)}
    limits = {}
    for test in tests:
        start = time.monotonic()
        report_progress(f"running {test} without a mutant")
        if output := failed(folder, commands[test], 0, None):
            stop(f"{test} fails without a mutant:\n{output[-2000:]}")
        limits[test] = 60 + 20 * (time.monotonic() - start)

    def judge(mutant):
        for test in mutant["tests"]:
            if failed(folder, commands[test], mutant["number"], limits[test]):
                return test
        return None

    killed = survived = 0
    report_progress(f"0 of {len(chosen)} mutants judged")
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("MACAW_JOBS", os.cpu_count()))) as pool:
        for mutant, killer in zip(chosen, pool.map(judge, chosen)):
            line = f"{mutant['number']:8} {mutant['file']}: {mutant['what']}"
            if killer:
                killed += 1
                print(f"killed   {line} ({killer})", flush=True)
            else:
                survived += 1
                print(f"SURVIVED {line}", flush=True)
            report_progress(f"{killed + survived} of {len(chosen)} mutants judged")
    print(f"{killed} killed, {survived} survived: {100 * killed / max(1, killed + survived):.1f} % killed; "
          "tests/tools/mutants/equivalent.md lists kinds of survivors that change no result")
    sys.exit(1 if survived else 0)


if __name__ == "__main__":
    main()
