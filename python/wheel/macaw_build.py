"""Build backend that pip and python3-build call to make a wheel: setuptools, with the library and the program built by CMake.

MACAW_BUILD_DIR names a CMake build that is already there, whose program and library are taken. patchelf (Debian's) leads
both to the shared libraries, which come along unless every system of the wheel's tag has them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools.build_meta import *  # noqa: F401,F403  (the backend's hooks)
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

SOURCE = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(macaw VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]

# Libraries used by Macaw that every system of a manylinux tag provides (pypa/auditwheel, policy/manylinux-policy.json).
SYSTEM = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1"}


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def cmake_build():
    """The folder of a build with program and library."""
    if "MACAW_BUILD_DIR" in os.environ:
        return pathlib.Path(os.environ["MACAW_BUILD_DIR"])
    build = SOURCE / "build/wheel"
    run("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DMACAW_TESTS=OFF",
        f"-DPYTHON_EXECUTABLE={sys.executable}")
    run("cmake", "--build", build, "--target", "macaw", "macaw_python")
    return build


def dependencies(file):
    """(name, path) of the shared libraries that `file` loads, directly or not, and no manylinux system has."""
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", run("ldd", file), re.M):
        if path == "not":
            raise RuntimeError(f"{file}: {name} is not installed")
        if name not in SYSTEM:
            yield name, pathlib.Path(path)


def bundle(package):
    """Copies the libraries that the program and the modules' library load beside the package, with the terms that Debian gives for them."""
    libraries = package.parent / "macaw.libs"
    libraries.mkdir()
    for file, way in [(package / "bin/macaw", "$ORIGIN/../../macaw.libs"),
                      (package / "libmacaw_python.so", "$ORIGIN/../macaw.libs")]:
        for name, path in dependencies(file):
            if not (libraries / name).exists():
                shutil.copy2(path.resolve(), libraries / name)
                owner = run("dpkg", "-S", f"*/{path.resolve().name}").split(":")[0]
                shutil.copy2(f"/usr/share/doc/{owner}/copyright", libraries / f"{owner}.copyright")
        # The old kind of path also holds for what those libraries load.
        run("patchelf", "--force-rpath", "--set-rpath", way, file)


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
        bundle(package)
        shutil.rmtree(stage)


class PlatformWheel(bdist_wheel):
    """For every Python 3 and one processor, on systems with this glibc or a newer one."""

    def finalize_options(self):
        self.distribution.has_ext_modules = lambda: True
        super().finalize_options()

    def get_tag(self):
        platform = super().get_tag()[2]
        glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
        return "py3", "none", platform.replace("linux", f"manylinux_{glibc}")
