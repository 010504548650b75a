#!/usr/bin/python3
"""Counts the instructions of CMSIS-NN's kernels under QEMU and writes a table of costs for `macaw sim --cpu library=TABLE.toml`.

Usage: MACAW_CMSIS_NN=CHECKOUT count.py -o TABLE.toml [--compiler CC] [--flags FLAGS] [--core CORE] [--name NAME] [--counts FILE]

CHECKOUT is a working copy of CMSIS-NN. The kernels of kernels.c are compiled with FLAGS, run on QEMU's machine with CORE (-icount), and
what they took becomes rows of the table (docs/FORMATS.md), at 1.07 to 1.37 cycles for an instruction. Classes that kernels.c has no
kernel of are those of configs/cpu/cmsis-nn.toml and of the reference kernels. Ends with 77 where a tool or the checkout is missing."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import fit
import operators

HERE = pathlib.Path(__file__).parent
MISSING = 77
# Core as configs/cpu names it: compiler's options, QEMU's machine.
CORES = {
    "cortex-m55": ("-mcpu=cortex-m55 -mfloat-abi=hard", "mps3-an547"),
    "cortex-m55-nomve": ("-mcpu=cortex-m55+nomve -mfloat-abi=hard", "mps3-an547"),
    "cortex-m4": ("-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard", "mps2-an386"),
}
# Sources of floating point, which none of the kernels calls.
LEFT_OUT = ("_f16", "_f32", "_flt", "Bindings")


def build(checkout, compiler, flags, core, folder):
    sources = [s for s in sorted((checkout / "Source").rglob("*.c")) if not any(word in str(s.relative_to(checkout)) for word in LEFT_OUT)]
    program = folder / "kernels.elf"
    command = [compiler, *CORES[core][0].split(), *flags.split(), "-mthumb", "-ffunction-sections", "-fdata-sections", "-nostartfiles",
               "--specs=nosys.specs", "-Wl,--gc-sections", "-T", str(HERE / "kernels.ld"), f"-I{checkout}/Include", str(HERE / "kernels.c"),
               *map(str, sources), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def run(program, core):
    """Lines of (class, elements, macs, instructions)."""
    done = subprocess.run(["qemu-system-arm", "-M", CORES[core][1], "-nographic", "-icount", "shift=0", "-semihosting-config",
                           "enable=on,target=native", "-kernel", str(program)], capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    lines = [line.split() for line in (done.stdout + done.stderr).splitlines() if len(line.split()) == 4]
    if not lines or lines[0][0] != "loop" or lines[-1][0] != "softmax":
        raise RuntimeError(f"the kernels did not run to their end: {done.stdout[-300:]}{done.stderr[-300:]}")
    _, instructions, _, ticks = lines[0]
    each = int(instructions) / int(ticks)
    return [(name, int(elements), int(macs), int(ticks) * each) for name, elements, macs, ticks in lines[1:]]


def table(counts, name, core, compiler, source):
    points = {}
    for kind, elements, macs, instructions in counts:
        points.setdefault(kind, []).append(operators.counted(elements, macs, instructions, source))
    rows = {}
    for kind, found in points.items():
        row = fit.fit(kind, found)
        if row is not None:
            rows[(name, kind, "int8", core, compiler)] = row | {"source": source}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="arm-none-eabi-gcc")
    parser.add_argument("--flags", default="-O2")
    parser.add_argument("--core", choices=CORES, default="cortex-m55")
    parser.add_argument("--name", default="gcc-O2", help="the compiler as configs/cpu names it")
    parser.add_argument("--counts", type=pathlib.Path, help="write the counts as well, as fit.py reads them")
    arguments = parser.parse_args()
    checkout = os.environ.get("MACAW_CMSIS_NN")
    for what, is_there in (("MACAW_CMSIS_NN, a checkout of CMSIS-NN,", checkout and (pathlib.Path(checkout) / "Source").is_dir()),
                           (arguments.compiler, shutil.which(arguments.compiler)), ("qemu-system-arm", shutil.which("qemu-system-arm"))):
        if not is_there:
            print(f"count.py: {what} is missing", file=sys.stderr)
            return MISSING
    version = subprocess.run([arguments.compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    with tempfile.TemporaryDirectory() as folder:
        counts = run(build(pathlib.Path(checkout), arguments.compiler, arguments.flags, arguments.core, pathlib.Path(folder)), arguments.core)
    source = f"instructions counted by QEMU, {version} {arguments.flags}"
    if arguments.counts:
        of = {"library": "cmsis-nn", "type": "int8", "core": arguments.core, "compiler": arguments.name, "toolchain": f"{version} {arguments.flags}"}
        lines = [json.dumps(of | {"class": kind, "elements": elements, "macs": macs, "instructions": round(instructions)})
                 for kind, elements, macs, instructions in counts]
        arguments.counts.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    rows = table(counts, "own", arguments.core, arguments.name, source)
    arguments.output.write_text(fit.text_of("own", rows, {"costs": [], "borrowed": [], "sources": []}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
