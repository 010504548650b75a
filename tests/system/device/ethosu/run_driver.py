"""Builds Arm's core driver, its sources as they are, above libmacaw_device by device/ethosu/MacawEthosu.cmake, and runs
tests/system/device/ethosu/driver.c with the bundled networks. The driver's folder (a checkout of hal_ethos_u or
ethos-u-core-driver) is MACAW_ETHOSU_DRIVER; without it nothing is tested."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[4]
NPUS = ("ethos-u55-128", "ethos-u65-512", "ethos-u85-256")
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(driver C)
add_library(macaw_device SHARED IMPORTED)
set_target_properties(macaw_device PROPERTIES IMPORTED_LOCATION "{library}" INTERFACE_INCLUDE_DIRECTORIES "{root}/include")
include("{root}/device/ethosu/MacawEthosu.cmake")
macaw_ethosu(ethosu "{driver}" {npu})
add_executable(driver "{root}/tests/system/device/ethosu/driver.c")
target_link_libraries(driver ethosu)
foreach(target ethosu driver)
  target_compile_options(${{target}} PRIVATE -g -fsanitize=address,undefined -fno-sanitize-recover=all)
endforeach()
target_link_options(driver PRIVATE -fsanitize=address,undefined)
"""


def build(folder, npu, driver, library):
    (folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT, npu=npu, driver=driver, library=library))
    for step in (["-S", folder, "-B", folder / "build", "-G", "Ninja"], ["--build", folder / "build"]):
        subprocess.run(["cmake", *step], check=True, stdout=subprocess.DEVNULL)
    return folder / "build" / "driver"


def arguments(folder, npu):
    """The network's parts as files; the last character of a numpy string is the last that is not 0."""
    network = np.load(ROOT / "traces/tiny_cnn" / npu / "tiny_cnn.npz")
    files = {
        "payload": network["cmd_data"].tobytes(),
        "weights": network["weight_data"].tobytes(),
        "input": np.load(ROOT / "traces/tiny_cnn/input_0.npy").tobytes(),
        "golden": np.load(ROOT / "traces/tiny_cnn" / npu / "output_0.npy").tobytes(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    paths = {name: str(folder / name) for name in files}
    return [paths["payload"], paths["weights"], str(network["scratch_size"]), paths["input"],
            str(network["input_offset"][0]), paths["golden"], str(network["output_offset"][0]), str(folder / "reports")]


def reported(folder, printed):
    """Returns whether the one inference that writes a report wrote that of its cycles."""
    report = json.loads((folder / "reports/job_1/report.json").read_text())
    return (report["system"], report["cycles"]) == ("ideal", int(printed.split()[-1])) \
        and len(os.listdir(folder / "reports")) == 1 and (folder / "reports/job_1/report.html").stat().st_size > 10_000


def main(library):
    driver = os.environ.get("MACAW_ETHOSU_DRIVER")
    if not driver:
        print("skipped: Arm's core driver (set MACAW_ETHOSU_DRIVER to its folder)")
        return 77
    failed = 0
    for npu in NPUS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = build(folder, npu, pathlib.Path(driver).resolve(), library)
            run = subprocess.run([program, *arguments(folder, npu)], capture_output=True, text=True, timeout=300)
            print(f"{npu}: exit {run.returncode}\n{run.stdout}")
            if run.returncode != 0 or not reported(folder, run.stdout):
                print(run.stderr)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
