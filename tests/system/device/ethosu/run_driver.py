"""Builds Arm's core driver, its sources as they are, above libmacaw_device by device/ethosu/MacawEthosu.cmake, and runs
tests/system/device/ethosu/driver.c with the bundled networks; of a driver that can be built for all families at once,
variants.c as well. The driver's folder (a checkout of hal_ethos_u or ethos-u-core-driver) is MACAW_ETHOSU_DRIVER;
without it nothing is tested."""
import json
import os
import pathlib
import re
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
add_executable(driver "{root}/tests/system/device/ethosu/{program}.c")
target_link_libraries(driver ethosu)
foreach(target ethosu driver)
  target_compile_options(${{target}} PRIVATE -g -fsanitize=address,undefined -fno-sanitize-recover=all)
endforeach()
target_link_options(driver PRIVATE -fsanitize=address,undefined)
"""


def build(folder, npu, driver, library, program="driver"):
    text = PROJECT.format(root=ROOT, npu=npu, driver=driver, library=library, program=program)
    (folder / "CMakeLists.txt").write_text(text)
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


def version(driver):
    """The driver's version as in ethosu_driver.h."""
    header = (driver / "include/ethosu_driver.h").read_text()
    return tuple(int(re.search(rf"DRIVER_VERSION_{part} +(\d+)", header)[1]) for part in ("MAJOR", "MINOR"))


def refused(folder, npu, driver, library, message):
    """Returns whether CMake ends with the message instead of a build of the driver."""
    (folder / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT, npu=npu, driver=driver, library=library, program="driver"))
    run = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja"], capture_output=True, text=True)
    print(f"{npu}: refused: {run.returncode != 0}")
    return run.returncode != 0 and message in " ".join(run.stderr.split())


def all_families(folder, driver, library):
    """Builds and runs variants.c; its networks are in a folder for each NPU."""
    program = build(folder, "multi-variant", driver, library, "variants")
    words = []
    for npu in NPUS:
        (folder / npu).mkdir()
        words += arguments(folder / npu, npu)[:7]
    run = subprocess.run([program, *words], capture_output=True, text=True, timeout=300)
    print(f"multi-variant: exit {run.returncode}\n{run.stdout}")
    if run.returncode != 0:
        print(run.stderr)
    return run.returncode == 0


def main(library):
    driver = os.environ.get("MACAW_ETHOSU_DRIVER")
    if not driver:
        print("skipped: Arm's core driver (set MACAW_ETHOSU_DRIVER to its folder)")
        return 77
    failed = 0
    driver = pathlib.Path(driver).resolve()
    print("driver version", *version(driver))
    for npu in NPUS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = build(folder, npu, driver, library)
            run = subprocess.run([program, *arguments(folder, npu)], capture_output=True, text=True, timeout=300)
            print(f"{npu}: exit {run.returncode}\n{run.stdout}")
            if run.returncode != 0 or not reported(folder, run.stdout):
                print(run.stderr)
                failed += 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if version(driver) >= (1, 99):
            failed += not all_families(folder, driver, library)
        else:
            failed += not refused(folder, "multi-variant", driver, library, "needs a core driver of version 1.99 or newer")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
