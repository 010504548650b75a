"""Builds a CMake project for the host: what an outside program is built by that runs on libmacaw_device."""
import shutil
import subprocess
import sys


def build_project(source, folder, settings):
    """The folder of its programs; `settings` are CMake's. Ends the test with what was printed if it does not build."""
    settings = {**settings, "CMAKE_CXX_FLAGS": "-O1", "CMAKE_CXX_COMPILER_LAUNCHER": shutil.which("ccache") or ""}
    for step in (["-S", source, "-B", folder, "-G", "Ninja", *(f"-D{key}={value}" for key, value in settings.items())],
                 ["--build", folder, "--parallel", "2"]):
        done = subprocess.run(["cmake", *step], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout[-4000:] + done.stderr[-4000:])
    return folder
