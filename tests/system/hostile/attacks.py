#!/usr/bin/python3
"""Runs every file of a folder of attacks in 5 s of processor time and 1 GiB, and the program in little memory.

attacks.py MACAW FOLDER: each file must end in one of the exit codes that docs/CLI.md has for it, never in 70 or a signal,
and print no control characters.
attacks.py MACAW --memory [FOLDER]: good runs, and those of a folder of attacks, in 60 MB to 1 GB of address space: good
ones end in 0 or 3, none in 70 or a signal.
Prints a line for each failure and "N passed, N failed"."""
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

SECONDS, BYTES = 5, 1 << 30
PATIENCE = 20  # a second of processor time takes longer where others work as well
TRACE = pathlib.Path("traces/tiny_cnn")
RUN = ["sim", TRACE / "ethos-u55-128" / "tiny_cnn.npz", "--input", TRACE / "input_0.npy"]
ENDS = {0, 2, 3, 4, 5}


def limited(arguments, bytes_, seconds, folder=None):
    """Exit code, seconds of wall time and the text printed; code None: not done in time, or in more memory. The folder is the
    working folder of programs that are given by their path, whose memory counts where it is used: the stacks of 200 devices
    have more address space than that."""
    space = 4 * bytes_ if isinstance(arguments[0], pathlib.Path) else bytes_

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    begin = time.monotonic()
    try:
        done = subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds * PATIENCE, preexec_fn=limit,
                              cwd=folder if isinstance(arguments[0], pathlib.Path) else None)
        code, text = done.returncode, done.stdout.decode(errors="replace")
        # The most of all programs until now.
        if 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > BYTES:
            code = None
    except subprocess.TimeoutExpired:
        code, text = None, ""
    return code, time.monotonic() - begin, text


def npy_of(shape, elements):
    header = "{'descr': '|i1', 'fortran_order': False, 'shape': (%s), }" % "".join(f"{e}, " for e in shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(elements)


def inputs_of(file, folder):
    """Options for inputs of the shapes that a raw npz states, zeros; its other arrays may be anything."""
    with zipfile.ZipFile(file) as archive:
        if "input_shape.npy" not in archive.namelist():
            return []
        data = archive.read("input_shape.npy")
    start = 10 + int.from_bytes(data[8:10], "little")
    header = data[10:start].decode()
    columns = int(header.split("'shape': (")[1].split(")")[0].split(",")[1])
    numbers = [int.from_bytes(data[i:i + 8], "little") for i in range(start, len(data), 8)]
    options = []
    for i in range(0, len(numbers), columns):
        shape = numbers[i:i + columns]
        count = 1
        for extent in shape:
            count *= extent
        name = folder / f"{i}.npy"
        name.write_bytes(npy_of(shape, count))
        options += ["--input", name]
    return options


def endless_view(macaw, file, folder):
    """A study's database whose runs are made by sqlite_view.sh."""
    study = folder / "study.toml"
    study.write_text(f'[[network]]\nartifact = "{RUN[1].absolute()}"\n')
    subprocess.run([macaw, "sweep", "run", study, "-o", folder / "study"], check=True, capture_output=True)
    subprocess.run(["sh", file, folder / "study"], check=True)
    return [(["sweep", "show", folder / "study"], {3}), (["sweep", "show", folder / "study", "--csv", folder / "runs.csv"], {3})]


def all_to_all(macaw, file, folder):
    """A report whose operations each read what all others write, by make_report_edges.py."""
    subprocess.run([macaw, *RUN, "--mode", "timed", "--output-dir", folder / "run"], check=True, capture_output=True)
    made = folder / "edges.json"
    subprocess.run([sys.executable, file, folder / "run/report.json", "2000", made], check=True)
    return [(["report", made], {0}), (["report", made, "--html", folder / "page.html"], {0}),
            (["report", made, made], {0})]


def out_of_the_folder(_macaw, file, folder):
    """A description whose outputs go through a symbolic link out of the output folder."""
    inside, victim = folder / "inside", folder / "victim"
    shutil.copytree(file, inside, ignore=shutil.ignore_patterns("link"))
    victim.mkdir()
    (inside / "link").symlink_to(victim)
    (victim / "profile").write_text("precious")
    return [(["tosa", inside / "desc.json"], {2, 3})]


def stream_of(network):
    """The command stream of a raw network: its payload behind the driver's actions (u55_u65 1.1)."""
    with zipfile.ZipFile(network) as archive:
        data = archive.read("cmd_data.npy")
    payload = data[10 + int.from_bytes(data[8:10], "little"):]
    words = [int.from_bytes(payload[i:i + 4], "little") for i in range(0, len(payload), 4)]
    at = 1
    while words[at] & 0xff != 2:  # 1: configuration and identity follow; 5: padding
        at += 3 if words[at] & 0xff == 1 else 1
    return payload[4 * at + 4:]


def c_interface(macaw, file, folder):
    """Each test of c_abi.c by itself, built against the two C libraries, in a folder as it expects it."""
    build = pathlib.Path(macaw).absolute().parent
    libraries = [build / "device/libmacaw_device.so", build / "device/network/libmacaw_network.so"]
    program, source = folder / "c_abi", folder / "c_abi.c"
    # The folder that it takes for missing is made where it runs as root; below a file none can be made.
    text = file.read_text().replace('"/nonexistent/', f'"{source}/')
    # It was written before macaw_device_host began with its size.
    source.write_text(re.sub(r"macaw_device_host \w+=\{[^;]*;", lambda found: found[0].replace("={0,", "={sizeof(macaw_device_host),0,"), text))
    subprocess.run(["gcc", "-O1", "-w", "-DNETWORK", "-I", "include", source, "-o", program, *libraries, "-lpthread",
                    *(f"-Wl,-rpath,{library.parent}" for library in libraries)], check=True)
    (folder / "MACAW").symlink_to(pathlib.Path().absolute())
    (folder / "abi").mkdir()
    (folder / "abi/stream.bin").write_bytes(stream_of(RUN[1]))
    tests = [name for names in re.findall(r"^(?:R\(\w+\);)+$", file.read_text(), re.M) for name in re.findall(r"R\((\w+)\)", names)]
    assert len(tests) > 10, tests
    return [([program, name], {0}) for name in tests]


def file_that_appears(macaw, file, folder):
    """vcd_overwrites.sh: the file that it writes while the run goes on is the one that is there in the end."""
    network, inputs = folder / "slow.npz", folder / "inputs.sh"
    subprocess.run([macaw, "model", "mobilenet_v2", "-o", folder / "slow.tosa"], check=True, capture_output=True)
    subprocess.run([macaw, "compile", folder / "slow.tosa", "-a", "ethos-u85-256", "-o", network], check=True, capture_output=True)
    inputs.write_text(f'#!/bin/sh\n"{pathlib.Path(macaw).absolute()}" "$@" --random-inputs 1\necho $? >code\n')
    inputs.chmod(0o755)
    check = folder / "check.sh"
    check.write_text('sh "$1" "$2" "$3" >seen && test "$(cat seen)" = precious && test "$(cat code)" = 2\n')
    return [([pathlib.Path("/bin/sh"), check, file.absolute(), inputs, network], {0})]


def beside(*names):
    return lambda file: [part for name in names for part in ("--input", file.parent / name)]


# Files that need more than their name: calls by what prepares them.
PREPARED = {
    "sqlite_view.sh": endless_view,
    "c_abi.c": c_interface,
    "vcd_overwrites.sh": file_that_appears,
    "make_report_edges.py": all_to_all,
    "desc_symlink": out_of_the_folder,
    "study_product.toml": lambda _m, file, _f: [(["sweep", "plan", file], {3})],
    "calibrate_escape.json":
        lambda macaw, file, _f: [([pathlib.Path(f"{macaw}-dev").absolute(), "calibrate", file.absolute()], {1, 3})],
    "tflite_if_exponential.tflite":
        lambda _m, file, folder: [(["tflite", file, *beside("i_1x4_int8.npy")(file), "--output-dir", folder / "o"], {3})],
    "tosa_calls_double.tosa":
        lambda _m, file, folder: [(["tosa", file, *beside("p.npy", "v.npy")(file), "--output-dir", folder / "o", *level], {3})
                                  for level in ([], ["--level", "NONE"])],
}
# Inputs of other files, and those that device.bare_metal and python.modules cover: the semihosting of fvp, a subinterpreter.
NOT_RUN = {"README.md", "harness.py", "p.npy", "v.npy", "i_1x4_int8.npy", "fvp", "subinterpreter.py"}


def calls_of(macaw, file, folder):
    """The calls that a file is meant for, with the exit codes that they may end in."""
    name = file.name
    if name in PREPARED:
        return PREPARED[name](macaw, file, folder)
    if name.endswith(".npz"):
        given = inputs_of(file, folder)
        return [(["sim", file, *given, "--mode", mode, "--output-dir", folder / f"out_{mode}"], ENDS)
                for mode in ("functional", "timed", "timing")]
    if name.endswith(".json"):
        refused = {3} if name in ("neg2.json", "wrap.json") else {0}
        return [(["report", file], refused), (["report", file, "--html", folder / "page.html"], refused)]
    if "toml" in name:
        system = shutil.copy(file, folder / "system.toml")
        return [([*RUN, "--system", system], {3})]
    if name.endswith((".tosa", ".mlir")):
        return [(["tosa", file], ENDS)]
    return [(["sim", file, "--accelerator-config", "ethos-u55-128"], ENDS)]


def started(macaw, call):
    """A call of macaw, unless it begins with the path of another program."""
    return call if isinstance(call[0], pathlib.Path) else [macaw, *call]


def attack(macaw, corpus):
    for file in sorted(corpus.iterdir()):
        if file.name in NOT_RUN:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for call, codes in calls_of(macaw, file, folder):
                code, seconds, text = limited(started(macaw, call), BYTES, SECONDS, folder)
                left = [str(path) for path in folder.rglob(".macaw-*")]
                left += [str(path) for path in folder.glob("victim/*") if path.read_bytes() != b"precious"]
                left += [repr(c) for c in set(text) if ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160]
                what = f"{file.name}: {' '.join(map(str, call))}".replace(name, "")
                yield code in codes and not left, f"{what}: exit {code} after {seconds:.1f} s, {text.strip()[-200:]} {left}"


def little_memory(macaw, corpus):
    megabytes = [*range(60, 200, 4), *range(200, 1001, 50)]
    for call in (RUN, [*RUN, "--mode", "functional"], ["list", "ops"], ["model", "tiny_cnn", "--describe"]):
        for size in megabytes:
            code, _, text = limited([macaw, *call], size * 1_000_000, 60)
            yield code in (0, 3), f"{call[0]} in {size} MB: exit {code}, {text.strip()[-200:]}"
    for file in sorted(corpus.iterdir()) if corpus else []:
        if file.name in NOT_RUN:
            continue
        for size in (60, 90, 130, 200, 500, 1000):
            with tempfile.TemporaryDirectory() as name:
                for call, codes in calls_of(macaw, file, pathlib.Path(name)):
                    code, _, text = limited(started(macaw, call), size * 1_000_000, 60)
                    yield code in codes | {3}, f"{file.name} in {size} MB: exit {code}, {text.strip()[-200:]}"


def main():
    macaw, *what = sys.argv[1:]
    folder = pathlib.Path(what[-1]) if what[-1] != "--memory" else None
    passed = failed = 0
    for good, line in little_memory(macaw, folder) if what[0] == "--memory" else attack(macaw, folder):
        passed, failed = passed + good, failed + (not good)
        if not good:
            print("FAIL", line)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
