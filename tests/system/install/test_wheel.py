#!/usr/bin/python3
"""The wheels of a build, made as pip makes them and installed into a folder: what they load, and that they run."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

import numpy as np

BUILD = pathlib.Path(sys.argv[1]).resolve()
WHEELS = BUILD / "tests/system/install/wheels"
SITE = BUILD / "tests/system/install/site"
TRACE = pathlib.Path("traces/tiny_cnn").resolve()
EPOCH = "1700000000"
# The newest versions that pypa/auditwheel's policy lets a manylinux_2_36 wheel ask for.
NEWEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1", "ld-linux-x86-64.so.2"}


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def setUpModule():
    for folder in (WHEELS, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    for source in (".", "./python"):
        run(*pip, "wheel", source, "--no-build-isolation", "--no-deps", "--wheel-dir", WHEELS,
            env={**os.environ, "MACAW_BUILD_DIR": str(BUILD), "SOURCE_DATE_EPOCH": EPOCH})
    run(*pip, "install", "--no-index", "--no-deps", "--target", SITE, *WHEELS.glob("*.whl"))


class Wheel(unittest.TestCase):
    def run_in_wheel(self, *command):
        return run(*command, cwd=WHEELS, env={"PATH": f"{SITE}/bin:/usr/bin:/bin", "PYTHONPATH": str(SITE)})

    def test_it_is_for_systems_with_this_glibc(self):
        wheel, = WHEELS.glob("macaw-*.whl")
        self.assertRegex(wheel.name, r"-py3-none-manylinux_\d+_\d+_\w+\.whl$")
        names = zipfile.ZipFile(wheel).namelist()
        self.assertFalse([name for name in names if name.startswith("tosa_reference_model")])
        self.assertTrue([name for name in names if name.endswith("LICENSE")])

    def test_its_bill_of_materials_names_what_it_brings(self):
        wheel, = WHEELS.glob("macaw-*.whl")
        with zipfile.ZipFile(wheel) as files:
            name, = (name for name in files.namelist() if name.endswith(".dist-info/sboms/macaw.spdx.json"))
            document = json.loads(files.read(name))
            self.assertEqual({info.date_time for info in files.infolist()}, {(2023, 11, 14, 22, 13, 20)})
        self.assertEqual((document["spdxVersion"], document["creationInfo"]["created"]), ("SPDX-2.3", "2023-11-14T22:13:20Z"))
        packages = {package["name"]: package for package in document["packages"]}
        for name in ("systemc", "libzip"):
            self.assertNotEqual(packages[name]["licenseDeclared"], "NOASSERTION")
            self.assertRegex(packages[name]["externalRefs"][0]["referenceLocator"], rf"^pkg:deb/debian/{name}@\d")
        contained = [relation["relatedSpdxElement"] for relation in document["relationships"] if relation["relationshipType"] == "CONTAINS"]
        self.assertEqual(sorted(contained), sorted(package["SPDXID"] for package in document["packages"] if package["name"] != "macaw"))

    def test_a_file_that_needs_a_newer_c_library_is_refused(self):
        sys.path.insert(0, "python/wheel")
        import macaw_build
        library = SITE / "macaw/libmacaw_python.so"
        macaw_build.check_symbols(library, NEWEST["GLIBC"])
        with self.assertRaisesRegex(RuntimeError, r"needs glibc 2\.\d+, expected at most 2\.4"):
            macaw_build.check_symbols(library, (2, 4))

    def test_it_loads_what_it_brings_or_every_such_system_has(self):
        brought = {file.name for file in (SITE / "macaw.libs").iterdir()}
        self.assertIn("libsystemc-2.3.4.so", brought)
        programs = [SITE / "macaw/bin/macaw", SITE / "macaw/libmacaw_python.so", *SITE.glob("macaw.libs/*.so*")]
        self.assertGreater(len(programs), 5)
        for program in programs:
            dynamic = run("readelf", "--dynamic", "--version-info", "--wide", program)
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
            self.assertEqual(set(), needed - brought - SYSTEM, program)
            for family, version in re.findall(r"Name: (GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)", dynamic):
                self.assertLessEqual(tuple(map(int, version.split("."))), NEWEST[family], program)
        for program in programs[:2]:
            for name, path in re.findall(r"^\s*(\S+) => (\S+)", run("ldd", program), re.M):
                self.assertEqual(name in brought, "macaw.libs" in path, f"{program}: {name} from {path}")

    def test_program(self):
        self.run_in_wheel("macaw", "sim", TRACE / "ethos-u55-128/tiny_cnn.npz", "--input", TRACE / "input_0.npy",
                          "--output-dir", "out", "--force")
        np.testing.assert_array_equal(np.load(WHEELS / "out/output_0.npy"), np.load(TRACE / "ethos-u55-128/output_0.npy"))
        version = self.run_in_wheel("macaw", "--version")
        self.assertEqual(version, self.run_in_wheel(sys.executable, "-m", "macaw", "--version"))
        self.assertIn("--test_desc", self.run_in_wheel("tosa_verify", "--help"))

    def test_modules(self):
        self.run_in_wheel(sys.executable, "-c", f"""
import macaw, numpy, tosa_reference_model
assert macaw.__file__.startswith({str(SITE)!r})
x, y = numpy.load({str(TRACE / 'input_0.npy')!r}), numpy.load({str(TRACE / 'ethos-u55-128/output_0.npy')!r})
graph = open({str(TRACE / 'tiny_cnn.tosa')!r}, 'rb').read()
for outputs in (macaw.tosa.run({str(TRACE / 'tiny_cnn.tosa')!r}, [x]).outputs, tosa_reference_model.run(graph, [x])[0]):
    numpy.testing.assert_array_equal(outputs[0].ravel(), y.ravel())
""")


if __name__ == "__main__":
    missing = [program for program in ("patchelf", "readelf") if shutil.which(program) is None]
    missing += [name for name in ("pip", "setuptools", "wheel") if subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode]
    if missing:
        print(f"skipped: no {', '.join(missing)}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
