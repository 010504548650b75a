#!/usr/bin/python3
"""The installed package as its users meet it: found by CMake and pkg-config, linked into the programs of examples/, and
imported by python3."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import unittest

import numpy as np

BUILD = pathlib.Path(sys.argv[1])
COMPILER = sys.argv[2]
CMAKE = os.environ.get("CMAKE", "cmake")
PREFIX = BUILD / "tests/system/install/prefix"
EXAMPLES = BUILD / "tests/system/install/examples"
TRACE = pathlib.Path("traces/tiny_cnn")
ARTIFACT = TRACE / "ethos-u55-128/tiny_cnn.npz"
INPUT = TRACE / "input_0.npy"
EXPECTED = np.load(TRACE / "ethos-u55-128/output_0.npy")


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def cached(name):
    return re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)[1]


def setUpModule():
    shutil.rmtree(PREFIX, ignore_errors=True)
    shutil.rmtree(EXAMPLES, ignore_errors=True)
    run(CMAKE, "--install", BUILD, "--prefix", PREFIX)
    run(CMAKE, "-S", "examples", "-B", EXAMPLES, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O0", f"-DCMAKE_CXX_COMPILER={COMPILER}")
    run(CMAKE, "--build", EXAMPLES)


class Examples(unittest.TestCase):
    def check_output(self, file):
        np.testing.assert_array_equal(np.load(file).ravel(), EXPECTED.ravel())

    def test_run_graph(self):
        run(EXAMPLES / "run_graph", TRACE / "tiny_cnn.tosa", INPUT, EXAMPLES / "graph.npy")
        self.check_output(EXAMPLES / "graph.npy")

    def test_run_network_prints_the_counters_of_macaw_sim(self):
        printed = run(EXAMPLES / "run_network", ARTIFACT, INPUT, EXAMPLES / "network.npy")
        self.check_output(EXAMPLES / "network.npy")
        report = json.loads(run(PREFIX / "bin/macaw", "sim", ARTIFACT, "--input", INPUT, "--json"))
        self.assertIn(f": {report['cycles']} cycles\n", printed)
        counts = dict(line.split() for line in printed.splitlines()[1:])
        self.assertGreater(len(counts), 10)
        self.assertEqual({event: int(count) for event, count in counts.items()}, report["pmu"])

    def test_npu_in_systemc_on_memory_of_its_own(self):
        printed = run(EXAMPLES / "npu_in_systemc", ARTIFACT, INPUT, EXAMPLES / "systemc.npy")
        self.check_output(EXAMPLES / "systemc.npy")
        cycles, read, written = map(int, re.search(r": (\d+) cycles, (\d+) bytes read, (\d+) written", printed).groups())
        report = json.loads(run(PREFIX / "bin/macaw", "sim", ARTIFACT, "--input", INPUT, "--json"))
        beats = {kind: sum(report["pmu"][f"ETHOSU_PMU_AXI{side}_{kind}"] for side in (0, 1))
                 for kind in ("RD_DATA_BEAT_RECEIVED", "WR_DATA_BEAT_WRITTEN")}
        self.assertEqual(read, 8 * beats["RD_DATA_BEAT_RECEIVED"])
        self.assertEqual(written, 8 * beats["WR_DATA_BEAT_WRITTEN"])
        self.assertGreater(cycles, 100)

    def test_two_npus_share_the_bandwidth_of_a_memory_and_compute_the_same(self):
        def cycles(count):
            outputs = [EXAMPLES / f"systemc{i}.npy" for i in range(count)]
            printed = run(EXAMPLES / "npu_in_systemc", ARTIFACT, INPUT, *outputs)
            for output in outputs:
                self.check_output(output)
            return [int(line) for line in re.findall(r": (\d+) cycles", printed)]
        [alone], together = cycles(1), cycles(2)
        self.assertEqual(len(together), 2)
        for each in together:
            self.assertGreater(each, 1.2 * alone)
            self.assertLess(each, 2.2 * alone)


class Package(unittest.TestCase):
    def test_pkg_config_links_a_program(self):
        env = dict(os.environ, PKG_CONFIG_PATH=str(PREFIX / cached("CMAKE_INSTALL_LIBDIR") / "pkgconfig"))
        flags = run("pkg-config", "--define-prefix", "--static", "--cflags", "--libs", "macaw", env=env).split()
        # libzip's own archive is linked with these; a program on its shared library is not, and need not have them.
        self.assertEqual([], [flag for flag in flags if flag in ("-lbz2", "-lssl", "-lcrypto")])
        run(COMPILER, "examples/run_graph.cpp", "-o", EXAMPLES / "by_pkg_config", *flags)
        env["LD_LIBRARY_PATH"] = str(PREFIX / cached("CMAKE_INSTALL_LIBDIR"))
        run(EXAMPLES / "by_pkg_config", TRACE / "tiny_cnn.tosa", INPUT, EXAMPLES / "pkg.npy", env=env)
        np.testing.assert_array_equal(np.load(EXAMPLES / "pkg.npy").ravel(), EXPECTED.ravel())

    def shared_components(self, prefix):
        """The examples of the shared libraries, found below a prefix by CMake and by pkg-config, as C and C++ programs that need
        nothing else of Macaw."""
        libraries = prefix / cached("CMAKE_INSTALL_LIBDIR")
        raw = EXAMPLES / "input.raw"
        raw.write_bytes(np.load(INPUT).tobytes())
        env = dict(os.environ, PKG_CONFIG_PATH=str(libraries / "pkgconfig"), LD_LIBRARY_PATH=str(libraries))
        for example, component, call in (("device", "device", ()), ("network", "network", (ARTIFACT, raw)), ("linux", "ethosu-linux", ())):
            with self.subTest(example, prefix=prefix):
                build = EXAMPLES / f"{prefix.name}-{example}"
                run(CMAKE, "-S", f"examples/{example}", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
                run(CMAKE, "--build", build)
                program = build / f"macaw_{example}_example"
                self.assertIn(str(libraries), run("ldd", program))
                source = next(pathlib.Path("examples", example).glob("run_*.c*"))
                flags = run("pkg-config", "--cflags", "--libs", f"macaw-{component}", env=env).split()
                self.assertEqual([flag for flag in flags if flag.startswith("-l")], [f"-lmacaw_{component.replace('-', '_')}"])
                compiler = ["cc", "-std=c11"] if source.suffix == ".c" else [COMPILER, "-std=c++11"]
                run(*compiler, source, "-o", build / "by_pkg_config", *flags)
                for one in (program, build / "by_pkg_config"):
                    done = subprocess.run([one, *map(str, call)], capture_output=True, text=True, env=env)
                    self.assertNotIn("error while loading", done.stderr)
                    self.assertEqual(done.returncode == 0, bool(call), done.stderr)  # without arguments, how it is called

    def test_shared_components(self):
        self.shared_components(PREFIX)

    def test_a_prefix_can_be_moved(self):
        moved = EXAMPLES / "moved"
        shutil.rmtree(moved, ignore_errors=True)
        shutil.copytree(PREFIX, moved, symlinks=True)
        self.shared_components(moved)

    def test_unknown_component_is_named(self):
        project = EXAMPLES / "component"
        project.mkdir(exist_ok=True)
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(x CXX)\n"
                                                "find_package(macaw REQUIRED COMPONENTS gpu)\n")
        done = subprocess.run([CMAKE, "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={PREFIX}"],
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("not gpu", " ".join(done.stderr.split()))

    def test_sources_are_part_of_another_project(self):
        """As add_subdirectory and FetchContent take them."""
        build = EXAMPLES / "subproject"
        run(CMAKE, "-S", "examples", "-B", build, "-G", "Ninja", f"-DMACAW_SOURCE={os.getcwd()}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}")
        targets = run("ninja", "-C", build, "-t", "targets", "all")
        self.assertIn("run_graph: ", targets)
        self.assertNotIn("test_unit", targets)
        commands = json.loads(run("ninja", "-C", build, "-t", "compdb"))
        own = [c["command"] for c in commands if c["file"].endswith("examples/run_graph.cpp")]
        self.assertTrue(own and "-Wpedantic" not in own[0] and "-std=" in own[0])

    def test_files_are_where_debian_wants_them(self):
        for file in ("include/macaw/sc/npu_device.hpp", "share/doc/macaw/copyright", "share/macaw/configs/memory_modes.toml",
                     "bin/macaw", "bin/tosa_reference_model"):
            self.assertTrue((PREFIX / file).exists(), file)
        self.assertFalse(list((PREFIX / "include").rglob("*.cpp")))
        self.assertFalse((PREFIX / "bin/macaw-dev").exists())


@unittest.skipIf(not (BUILD / "python/macaw/libmacaw_python.so").exists(), "no Python module was built")
class Python(unittest.TestCase):
    def test_module_is_where_python3_looks_below_usr_local(self):
        folder = cached("MACAW_PYTHON_DIR")
        self.assertIn(f"/usr/local/{folder}", [sysconfig.get_path("platlib", "posix_local", {"base": "/usr"}),
                                              *run("/usr/bin/python3", "-c", "import sys; print('\\n'.join(sys.path))").split("\n")])
        for name in ("macaw/py.typed", "macaw/sim.pyi", "macaw/__init__.pyi", "tosa_reference_model/py.typed"):
            self.assertTrue((PREFIX / folder / name).exists(), name)

    def test_module_runs_from_there_and_says_its_version(self):
        env = dict(os.environ, PYTHONPATH=str(PREFIX / cached("MACAW_PYTHON_DIR")))
        text = run("/usr/bin/python3", "-c",
                   "import macaw; print(macaw.__file__, macaw.__version__)", env=env)
        file, version = text.split()
        self.assertTrue(file.startswith(str(PREFIX)), file)
        self.assertEqual(version, run(PREFIX / "bin/macaw", "--version").split()[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
