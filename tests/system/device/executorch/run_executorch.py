"""Builds ExecuTorch's EthosUBackend (backends/arm/runtime of pytorch/executorch, for Cortex-M) for the host, its sources
as they are, above libmacaw_device, and executes delegates by it: the bundled networks, packed as ExecuTorch's
arm_vela.py packs them, and the one of a program of the corpus. Outputs equal the goldens, or those of `macaw sim`.
MACAW_EXECUTORCH is a checkout of ExecuTorch (its runtime and backends/arm/runtime are enough; tested: cff6f4dd) in a
folder of the name executorch, MACAW_ETHOSU_DRIVER that of Arm's core driver; without one of them nothing is tested."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from build_project import build_project  # noqa: E402  (found beside this folder)
import executorch_program  # noqa: E402

ROOT = HERE.parents[3]
NPUS = ("ethos-u55-128", "ethos-u65-512", "ethos-u85-256")


def build(folder, executorch, driver, library):
    """The folder of the programs delegate-NPU."""
    settings = {"MACAW_ROOT": ROOT, "MACAW_LIBRARY": library, "EXECUTORCH": executorch, "DRIVER": driver}
    return build_project(HERE, folder, settings)


def unpack(data):
    """The blocks of the first delegate in a program, and its bytes."""
    start = place = data.index(b"vela_bin_stream")
    blocks = {}
    while "vela_end_stream" not in blocks:
        name, size = executorch_program.HEADER.unpack_from(data, place)
        place += executorch_program.HEADER.size
        blocks[name.rstrip(b"\0").decode()] = data[place:place + size]
        place += (size + 15) // 16 * 16
    return blocks, data[start:place]


def bundled(npu):
    """The delegate of a network of traces/, its input and golden."""
    folder = ROOT / "traces/tiny_cnn"
    network = np.load(folder / npu / "tiny_cnn.npz")
    given, wanted = np.load(folder / "input_0.npy"), np.load(folder / npu / "output_0.npy")
    return executorch_program.delegate(network), [given.tobytes()], wanted.tobytes()


def of_program(file, folder, macaw):
    """The delegate of a program that adds two numbers, inputs, and what `macaw sim` makes of them."""
    blocks, delegate = unpack(file.read_bytes())
    scratch, = struct.unpack("<I", blocks["scratch_size"])
    network = {"cmd_data": np.bytes_(blocks["cmd_data"]), "weight_data": np.bytes_(blocks["weight_data"]),
               "weight_region": 0, "scratch_region": 1, "scratch_fast_region": 2, "scratch_fast_size": 0,
               "scratch_fast_shape": [0], "scratch_size": scratch, "scratch_shape": [scratch]}
    for kind in ("input", "output", "variable"):
        rows = np.frombuffer(blocks.get(f"{kind}s", bytes(4))[4:], "<i4").reshape(-1, 9).astype(np.int64)
        network |= {f"{kind}_shape": rows[:, :6], f"{kind}_elem_size": rows[:, 6], f"{kind}_offset": rows[:, 7],
                    f"{kind}_region": rows[:, 8]}
    np.savez(folder / "program.npz", **network)
    inputs = [np.full((1,) * 6, value, np.int8) for value in (77, -35)]
    for i, tensor in enumerate(inputs):
        np.save(folder / f"input_{i}.npy", tensor)
    call = [macaw, "sim", folder / "program.npz", "--input", folder / "input_0.npy", "--input", folder / "input_1.npy",
            "--output-dir", folder / "simulated"]
    subprocess.run(call, check=True, stdout=subprocess.DEVNULL)
    output = np.load(next((folder / "simulated").glob("*.npy")))
    return delegate, [tensor.tobytes() for tensor in inputs], output.tobytes()


def execute(program, folder, delegate, inputs, golden):
    files = [folder / f"tensor_{i}" for i in range(len(inputs))]
    (folder / "delegate").write_bytes(delegate)
    for file, data in zip(files, inputs):
        file.write_bytes(data)
    done = subprocess.run([program, folder / "delegate", folder / "output", str(len(golden)), *files], timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout)
    return done.returncode == 0 and (folder / "output").read_bytes() == golden


def main(macaw, library):
    missing = [name for name in ("MACAW_EXECUTORCH", "MACAW_ETHOSU_DRIVER") if not os.environ.get(name)]
    if missing:
        print(f"skipped: ExecuTorch's EthosUBackend (set {', '.join(missing)})")
        return 77
    executorch, driver = (pathlib.Path(os.environ[name]).resolve() for name in ("MACAW_EXECUTORCH", "MACAW_ETHOSU_DRIVER"))
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = build(folder / "build", executorch, driver, library)
        cases = [(npu, "bundled network", *bundled(npu)) for npu in NPUS]
        pte = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"), "thirdparty/executorch_pte/ethos_u_minimal_example.pte")
        if pte.is_file():
            cases.append(("ethos-u55-128", pte.name, *of_program(pte, folder, macaw)))
        else:
            print(f"skipped: {pte} (set MACAW_CORPUS)")
        for npu, case, *delegate in cases:
            equal = execute(programs / f"delegate-{npu}", folder, *delegate)
            print(f"{npu}, {case}: {'equal' if equal else 'NOT EQUAL'}")
            failed += not equal
        delegate, inputs, golden = bundled("ethos-u65-512")
        refused = not execute(programs / "delegate-ethos-u55-128", folder, delegate, inputs, golden)
        print(f"ethos-u55-128, a network for ethos-u65-512: {'refused' if refused else 'NOT REFUSED'}")
        failed += not refused
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
