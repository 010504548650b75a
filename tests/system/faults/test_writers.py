#!/usr/bin/python3
"""Eight processes write into one folder at once: every file is one process's, whole, and nothing else stays. Of goldens,
which each of them changes, all networks are there in the end.

MACAW_ROUNDS is the number of rounds (default 10). Needs MACAW, the program."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MACAW = os.environ["MACAW"]
TRACE = pathlib.Path("traces/tiny_cnn").resolve()
STREAM = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
PROCESSES = 8
ROUNDS = int(os.environ.get("MACAW_ROUNDS", "10"))


def calls(folder, out):
    """Inputs differ, so that outputs do; a pair of processes compiles for two accelerators."""
    data = (TRACE / "input_0.npy").read_bytes()
    for i in range(PROCESSES):
        file = folder / f"input_{i}.npy"
        file.write_bytes(data[:-300] + bytes((byte + 37 * i) & 255 for byte in data[-300:]))
        yield ["sim", STREAM, "--input", file, "--mode", "functional", "--force", "--output-dir", out] if i % 4 else \
              ["compile", TRACE / "tiny_cnn.tosa", "--force", "-a", ("ethos-u55-128", "ethos-u85-256")[i // 4], "-o", out / "net.npz"]


def start(call):
    return subprocess.Popen([MACAW, *map(str, call)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def contents(out):
    return {path.name: path.read_bytes() for path in out.iterdir()}


def record_goldens(folder):
    names = [f"network {i}" for i in range(PROCESSES)]
    (folder / "golden.toml").write_text("".join(
        f'[[network]]\nname = "{name}"\nartifact = "{STREAM}"\ninputs = ["{TRACE}/input_0.npy"]\n' for name in names))
    for number in range(ROUNDS):
        processes = [start(["golden", "record", folder, "--only", name, "--reason", name, "--force"]) for name in names]
        for process in processes:
            text = process.communicate()[1]
            assert process.returncode == 0, f"round {number}: {text}"
        golden = json.loads((folder / "golden.json").read_text())
        assert [run.split(" | ")[0] for run in golden["runs"]] == names, f"round {number}: {list(golden['runs'])}"
        reasons = sorted(entry["reason"] for entry in golden["reasons"])
        assert reasons == names, f"round {number}: {reasons}"
        (folder / "golden.json").unlink()


def main():
    with tempfile.TemporaryDirectory() as name:
        record_goldens(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / "out"
        out.mkdir()
        whole = {}
        for call in calls(folder, out):
            process = start(call)
            text = process.communicate()[1]
            assert process.returncode == 0, text
            for file, content in contents(out).items():
                whole.setdefault(file, set()).add(content)
        assert len(whole["output_0.npy"]) > 1 and len(whole["net.npz"]) == 2, "the processes write the same"
        for number in range(ROUNDS):
            processes = [start(call) for call in calls(folder, out)]
            for process in processes:
                text = process.communicate()[1]
                assert process.returncode == 0, f"round {number}: {text}"
            for file, content in contents(out).items():
                assert content in whole.get(file, ()), f"round {number}: {file} of {len(content)} bytes is not what one process wrote"
    print(f"{PROCESSES} processes, {ROUNDS} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
