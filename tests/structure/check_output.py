#!/usr/bin/env python3
"""Text reaches the terminal through print_stdout() and print_stderr() of app/command.hpp, which show control characters of foreign names
instead of obeying them. Usage: check_output.py ROOT"""
import pathlib
import re
import sys

DIRECT = re.compile(r"\b(fmt::print|std::(fputs|puts|fwrite|printf|fprintf|cout|cerr|putchar))\b")
# A line that may print by itself, and why.
ALLOWED = {"app/command.hpp": "is what the others call",
           "app/command_line.cpp": "texts of the parser, which go through io::readable()",
           "app/launcher/main.cpp": "an installation without the library, which has app/command.hpp",
           "app/run_program.cpp": "where there may be no memory for a text",
           "app/standard_streams.cpp": "the message that standard output cannot be written",
           "app/sweep.cpp": "the line of progress, which goes back to its beginning",
           "app/fvp/console.cpp": "what the guest's UART prints, which is the guest's own"}


def main(root):
    direct = {}
    for file in sorted(f for folder in ("app", "tests/tools/dev") for end in ("cpp", "hpp") for f in (root / folder).rglob(f"*.{end}")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if DIRECT.search(line):
                direct.setdefault(str(file.relative_to(root)), []).append(number)
    faults = [f"{name}:{numbers[0]}: prints past app/command.hpp" for name, numbers in direct.items() if name not in ALLOWED]
    faults += [f"{name}: listed here, but prints through app/command.hpp alone" for name in ALLOWED if name not in direct]
    print("\n".join(faults + [f"{len(faults)} faults in how {len(direct)} sources print"]))
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
