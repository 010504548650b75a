"""Networks, runs and the data of their pages, for the tests of this folder. MACAW names the program."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/system/python"))
SKIPPED = 77  # CTest's SKIP_RETURN_CODE of these tests

# Bundled networks with convolutions, depthwise convolutions, matrix products, elementwise operators and tables.
NETWORKS = ("tiny_cnn", "mobilenet_v2", "ds_cnn", "gru", "softmax")
ACCELERATORS = ("ethos-u55-128", "ethos-u65-512", "ethos-u85-256")


def macaw(*arguments, expected=0):
    done = subprocess.run([os.environ["MACAW"], *map(str, arguments)], capture_output=True, text=True, timeout=600)
    if done.returncode != expected:
        raise AssertionError(f"macaw {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def compiled(folder, network, accelerator, seed=1):
    """The small form of a bundled network and its command stream."""
    graph, stream = folder / f"{network}.tosa", folder / f"{network}-{accelerator}.npz"
    if not graph.exists():
        macaw("model", network, "--size", "tiny", "--seed", seed, "-o", graph)
    if not stream.exists():
        macaw("compile", graph, "-a", accelerator, "-o", stream)
    return graph, stream


def simulated(folder, stream, *options):
    """report.json and the page of a run, read."""
    out, page = folder / f"{stream.stem}.out", folder / f"{stream.stem}.html"
    macaw("sim", stream, "--mode", "timing", "--output-dir", out, "--html", page, "--force", *options)
    return json.loads((out / "report.json").read_text()), page


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="run">(.*?)</script>', page.read_text(), re.DOTALL)[1])
