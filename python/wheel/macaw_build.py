"""Build backend that pip and python3-build call to make a wheel: setuptools, with the library and the program built by CMake.

MACAW_BUILD_DIR names a CMake build that is already there, whose program and library are taken. That of the preset wheel has
everything static but the C library and the unwinder. For another build, patchelf (Debian's) leads both to the shared libraries, which
come along unless every system of the wheel's tag has them. SOURCE_DATE_EPOCH is the time of the wheel's files."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from setuptools.build_meta import *  # noqa: F401,F403  (the backend's hooks)
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from macaw_sbom import bill_of_materials  # noqa: E402  (a neighbour)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(macaw VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]

# Libraries used by Macaw that every system of a manylinux tag provides (pypa/auditwheel, policy/manylinux-policy.json).
SYSTEM = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1"}


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def cmake_build():
    """The folder of a build with program and library."""
    if "MACAW_BUILD_DIR" in os.environ:
        return pathlib.Path(os.environ["MACAW_BUILD_DIR"])
    build = SOURCE / "build/pip"
    run("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DMACAW_TESTS=OFF",
        f"-DPYTHON_EXECUTABLE={sys.executable}")
    run("cmake", "--build", build, "--target", "macaw", "macaw_python")
    return build


def cached(build, name):
    """A variable of a CMake build; None if it is not set."""
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else None


def static_root(build):
    """The folder of the static libraries that a build of the preset wheel links; None for another build."""
    root = cached(build, "MACAW_WHEEL_ROOT")
    return None if root is None else pathlib.Path(root)


def glibc_of(root):
    """(major, minor) of the C library that a build is for."""
    if root is None:
        text = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
    else:
        text = re.search(r"^libc6 (\S+)", (root / "sysroot/VERSIONS").read_text(), re.M)[1]
    return tuple(int(part) for part in re.match(r"(\d+)\.(\d+)", text).groups())


def check_symbols(file, glibc):
    """Raises RuntimeError if `file` needs a symbol of a newer C library."""
    for symbol, major, minor in re.findall(r" UND (\S+)@GLIBC_(\d+)\.(\d+)", run("readelf", "--dyn-syms", "--wide", file)):
        if (int(major), int(minor)) > glibc:
            raise RuntimeError(f"{file}: {symbol} needs glibc {major}.{minor}, expected at most {'.'.join(map(str, glibc))}")


def dependencies(file):
    """(name, path) of the shared libraries that `file` loads, directly or not, and no manylinux system has."""
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", run("ldd", file), re.M):
        if path == "not":
            raise RuntimeError(f"{file}: {name} is not installed")
        if name not in SYSTEM:
            yield name, pathlib.Path(path)


def bundle(package, files):
    """Copies the libraries that the files load beside the package, with the terms that Debian gives for them. Returns (source
    package, version) of each."""
    libraries = package.parent / "macaw.libs"
    libraries.mkdir()
    components = set()
    for file in files:
        for name, path in dependencies(file):
            if not (libraries / name).exists():
                shutil.copy2(path.resolve(), libraries / name)
                owner = run("dpkg", "-S", f"*/{path.resolve().name}").split(":")[0]
                shutil.copy2(f"/usr/share/doc/{owner}/copyright", libraries / f"{owner}.copyright")
                components.add(tuple(run("dpkg-query", "-W", "-f", "${source:Package} ${Version}\n", owner).split("\n")[0].split()))
        # The old kind of path also holds for what those libraries load.
        run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/" + os.path.relpath(libraries, file.parent), file)
    return components


class BuildModules(build_py):
    """Has CMake install the modules and the program into the package."""

    def run(self):
        build = cmake_build()
        stage = pathlib.Path(self.build_lib).resolve() / "stage"
        for component in ("python", "program"):
            run("cmake", "--install", build, "--prefix", stage, "--component", component, "--strip")
        package = stage.parent / "macaw"
        shutil.rmtree(package, ignore_errors=True)
        shutil.rmtree(package.parent / "macaw.libs", ignore_errors=True)
        shutil.move(next(stage.rglob("libmacaw_python.so")).parent, package)
        (package / "bin").mkdir()
        shutil.move(stage / "bin/macaw", package / "bin/macaw")
        shutil.rmtree(stage)
        files = [package / "bin/macaw", package / "libmacaw_python.so"]
        root = static_root(build)
        for file in files:
            check_symbols(file, glibc_of(root))
        self.distribution.macaw_root = root
        self.distribution.macaw_processor = cached(build, "MACAW_WHEEL_ARCHITECTURE")
        if root is None:
            self.distribution.macaw_components = bundle(package, files)
        else:
            self.distribution.macaw_components = [line.split() for line in (root / "COMPONENTS").read_text().splitlines()]


class PlatformWheel(bdist_wheel):
    """For every Python 3 and one processor, on systems with this glibc or a newer one."""

    def finalize_options(self):
        self.distribution.has_ext_modules = lambda: True
        super().finalize_options()

    def get_tag(self):
        platform = super().get_tag()[2]
        if self.distribution.macaw_processor is not None:
            platform = f"linux_{self.distribution.macaw_processor}"
        major, minor = glibc_of(self.distribution.macaw_root)
        return "py3", "none", platform.replace("linux", f"manylinux_{major}_{minor}")

    def egg2dist(self, egginfo_path, distinfo_path):
        """Adds the bill of materials (PEP 770) and the terms of the static libraries."""
        super().egg2dist(egginfo_path, distinfo_path)
        if not hasattr(self.distribution, "macaw_components"):  # pip asks for the metadata before it has anything built
            return
        folder = pathlib.Path(distinfo_path)
        (folder / "sboms").mkdir()
        timestamp = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
        components = [tuple(component) for component in self.distribution.macaw_components]
        (folder / "sboms/macaw.spdx.json").write_text(bill_of_materials(VERSION, components, timestamp))
        if self.distribution.macaw_root is not None:
            shutil.copytree(self.distribution.macaw_root / "licenses", folder / "licenses")
