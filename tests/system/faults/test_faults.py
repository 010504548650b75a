#!/usr/bin/python3
"""The nth allocation, write, open or rename of a run fails: the run ends as docs/CLI.md says and leaves no half file.

Every write, open and rename fails, and a sample of each run's allocations: MACAW_FAULTS is how many (default 20), or "all".
Needs MACAW, the program, and MACAW_FAILING_CALLS, the library that makes calls fail."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MACAW, LIBRARY = os.environ["MACAW"], os.environ["MACAW_FAILING_CALLS"]
TRACE = pathlib.Path("traces/tiny_cnn").resolve()
STREAM = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
INPUT = TRACE / "input_0.npy"
KINDS = ("alloc", "write", "open", "rename")
SAMPLES = os.environ.get("MACAW_FAULTS", "20")
MANIFEST = f'[[network]]\nname = "tiny"\nartifact = "{STREAM}"\ninputs = ["{INPUT}"]\n'


def commands(out, report):
    return {
        "sim": ["sim", STREAM, "--input", INPUT, "--output-dir", out, "--html", out / "page.html"],
        "sim --vcd": ["sim", STREAM, "--input", INPUT, "--output-dir", out, "--vcd", out / "wave.vcd"],
        "tosa": ["tosa", TRACE / "tiny_cnn.tosa", "--input", INPUT, "--output-dir", out],
        "compile": ["compile", TRACE / "tiny_cnn.tosa", "-a", "ethos-u85-256", "-o", out / "net.npz"],
        "golden record": ["golden", "record", out, "--reason", "a test"],
        "report": ["report", report, "--html", out / "page.html", "--perfetto", out / "trace.json", "--csv", out / "row.csv"],
    }


def run(folder, arguments, **fault):
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    if arguments[0] == "golden":
        (out / "golden.toml").write_text(MANIFEST)
    environment = {**os.environ, "LD_PRELOAD": LIBRARY, "MACAW_FAULT_COUNT": str(folder / "count"), **fault}
    done = subprocess.run([MACAW, *map(str, arguments)], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=120, check=False)
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return done.returncode, done.stderr.decode(errors="replace").strip(), files


def sample(kind, count):
    """Selects some of the first and last allocations, and others at equal distances."""
    if kind != "alloc" or SAMPLES == "all" or count <= int(SAMPLES):
        return range(1, count + 1)
    ends = max(1, int(SAMPLES) // 5)
    spread = {1 + (count - 1) * i // (3 * ends + 1) for i in range(1, 3 * ends + 1)}
    return sorted({*range(1, ends + 1), *spread, *range(count - ends + 1, count + 1)})


def problem_of(code, text, files, whole):
    if code not in (0, 3):
        return f"ended in {code}"
    if code == 3 and not text:
        return "said nothing"
    if left := [name for name in files if ".macaw-" in name or name.endswith(".part")]:
        return f"left {left}"
    for name, content in files.items():
        if content != whole.get(name):
            return f"left {name} with {len(content)} bytes that it does not have after a run without fault"
    if code == 0 and files.keys() != whole.keys():
        return f"ended in 0 without {whole.keys() - files.keys()}"
    return None


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report = folder / "report.json"
        for what, arguments in commands(folder / "out", report).items():
            for kind in KINDS:
                code, text, whole = run(folder, arguments, MACAW_FAULT=kind)
                if code != 0:
                    sys.exit(f"{what} without fault ended in {code}: {text}")
                if what == "sim":
                    report.write_bytes(whole["report.json"])
                count = int((folder / "count").read_text())
                for number in sample(kind, count):
                    for mode in ({}, {"MACAW_FAULT_ON": "1"}):
                        result = run(folder, arguments, MACAW_FAULT=kind, MACAW_FAULT_AT=str(number), **mode)
                        problem = problem_of(*result, whole)
                        passed, failed = passed + (not problem), failed + bool(problem)
                        if problem:
                            later = " and all later ones" if mode else ""
                            print(f"FAIL {what}, {kind} {number} of {count}{later}: {problem}; {result[1][-300:]}")
                print(f"{what}: {kind}, {count} calls", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
