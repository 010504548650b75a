#!/usr/bin/python3
"""Pictures of pages to look at: screenshots.py FOLDER PAGE.html... leaves each page there at three widths, dark and light, and as
it is printed (NAME.pdf; pictures of its sheets too where pdftoppm is installed), and fails where a page wrote to the console."""
import pathlib
import shutil
import subprocess
import sys

import browser

WIDTHS = (1440, 800, 390)


def main(folder, *pages):
    folder.mkdir(parents=True, exist_ok=True)
    complaints = []
    with browser.Browser() as chromium:
        for page in pages:
            for width in WIDTHS:
                for dark in (False, True):
                    chromium.open(page, width, dark=dark)
                    chromium.screenshot(folder / f"{page.stem}_{width}_{'dark' if dark else 'light'}.png")
                    complaints += chromium.complaints()
                    wide = chromium.run("document.documentElement.scrollWidth")
                    if wide > width:
                        complaints.append(f"{page}: {wide} pixels wide in a window of {width}")
            paper = folder / f"{page.stem}.pdf"
            chromium.open(page)
            chromium.print(paper)
            if shutil.which("pdftoppm"):
                subprocess.run(["pdftoppm", "-r", "60", "-png", paper, paper.with_suffix("")], check=True)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return bool(complaints)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
