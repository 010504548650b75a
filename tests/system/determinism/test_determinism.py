#!/usr/bin/python3
"""One hash of everything that runs write: outputs, report.json, HTML, VCD, Perfetto, compiled npz. It is the same again, with
1 to 8 threads, on every vector target of Highway down to plain loops, in other time zones and under a German locale.

Needs MACAW, the program, and MACAW_ONE_TARGET, the library that hides targets (without it they are passed over)."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MACAW, LIBRARY = os.environ["MACAW"], os.environ.get("MACAW_ONE_TARGET")
TRACE = pathlib.Path("traces/tiny_cnn").resolve()
INPUT = TRACE / "input_0.npy"
# Bits of hwy/detect_targets.h: plain loops, SSSE3, SSE4, AVX2, AVX3, AVX3_DL.
TARGETS = (0, 1 << 12, 1 << 11, 1 << 9, 1 << 8, 1 << 7)


def written(folder, threads, environment):
    """Files of the runs, in one folder that always has the same name."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    calls = []
    for accelerator in ("ethos-u55-128", "ethos-u65-512", "ethos-u85-256"):
        to = out / accelerator
        to.mkdir()
        calls += [["sim", TRACE / accelerator / "tiny_cnn.npz", "--input", INPUT, "--output-dir", to, "--html", to / "sim.html",
                   "--vcd", to / "waves.vcd", "--blocks"],
                  ["report", to / "report.json", "--html", to / "report.html", "--perfetto", to / "trace.json", "--csv", to / "row.csv"],
                  ["compile", TRACE / "tiny_cnn.tosa", "-a", accelerator, "-o", to / "compiled.npz"]]
    calls += [["model", "ds_cnn", "-o", out / "ds_cnn.tosa", "--inputs", out],
              ["tosa", out / "ds_cnn.tosa", "--input", out / "ds_cnn_input_0.npy", "--threads", threads, "--output-dir", out / "ds_cnn"],
              ["tosa", TRACE / "tiny_cnn.tosa", "--input", INPUT, "--threads", threads, "--output-dir", out / "tosa"]]
    text = b""
    for call in calls:
        done = subprocess.run([MACAW, *map(str, call)], env=environment, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{call}: exit {done.returncode}: {done.stderr.decode()}")
        text += done.stdout
    files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    return {**files, "stdout": text}


def german_locale(folder):
    done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")], capture_output=True, check=False)
    return done.returncode == 0


def variations(folder):
    yield "again", "1", {}
    yield from ((f"{threads} threads", str(threads), {}) for threads in range(2, 9))
    if LIBRARY:
        yield from ((f"targets {mask:#x}", "1", {"LD_PRELOAD": LIBRARY, "MACAW_TARGETS": str(mask)}) for mask in TARGETS)
    yield from ((f"time zone {zone}", "1", {"TZ": zone}) for zone in ("Asia/Kolkata", "America/St_Johns"))
    if german_locale(folder):
        yield "locale de_DE", "1", {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    else:
        print("there is no German locale here: passed over")


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
        first = written(folder, "1", environment)
        digest = hashlib.sha256(b"".join(name.encode() + content for name, content in first.items())).hexdigest()
        for what, threads, changed in variations(folder):
            other = written(folder, threads, {**environment, **changed})
            differ = [name for name in first.keys() | other.keys() if first.get(name) != other.get(name)]
            failed += bool(differ)
            print(f"{what}: {'the same' if not differ else 'DIFFERENT ' + ', '.join(sorted(differ))}", flush=True)
    print(f"{len(first) - 1} files, {digest}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
