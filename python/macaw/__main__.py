"""The program macaw, for `python3 -m macaw` and the commands that a wheel installs."""
import os
import pathlib
import shutil
import sys


def main():
    """Becomes the program: the wheel's own, else the first on PATH. It is called by the name that this command has."""
    name = pathlib.Path(sys.argv[0]).name
    if name == "__main__.py":
        name = "macaw"
    bundled = pathlib.Path(__file__).with_name("bin") / "macaw"
    program = bundled if bundled.exists() else shutil.which("macaw")
    if program is None:
        sys.exit("macaw: the program is neither in this package nor on PATH")
    os.execv(program, [name, *sys.argv[1:]])


if __name__ == "__main__":
    main()
