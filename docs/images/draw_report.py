#!/usr/bin/python3
"""Draws docs/images/report.svg: what the page of `macaw report --html` shows of the bundled keyword spotter.

draw_report.py MACAW runs that program and writes the picture; with --check it fails if the picture is not the one that
the program's figures give. Only Python's standard library is used."""
import html
import json
import pathlib
import subprocess
import sys
import tempfile

PICTURE = pathlib.Path(__file__).with_name("report.svg")
NETWORK, ACCELERATOR = "ds_cnn", "ethos-u55-128"
WIDTH, MARGIN, LABELS = 960, 24, 150
# Light colours of the page: bound by the MAC array, weights, feature maps, the rest.
COLOURS = {"MAC array": "#2f6fdb", "weights": "#d9822b", "feature maps": "#2a9d6f", "": "#8a8f98"}
UNITS = {"ifm_loader": "IFM loader", "weight_decoder": "weight decoder", "mac_array": "MAC array", "output_unit": "output unit", "ofm_writer": "OFM writer"}


def report_of(macaw):
    """report.json of the network in timing mode."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for call in (["model", NETWORK, "-o", "net.tosa"], ["compile", "net.tosa", "-a", ACCELERATOR, "-o", "net.npz"],
                     ["sim", "net.npz", "--mode", "timing", "--output-dir", "out"]):
            subprocess.run([macaw, *call], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return json.loads((folder / "out/report.json").read_text())


def colour(bound):
    return next(colour for start, colour in COLOURS.items() if bound.startswith(start))


def rounded(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def text(x, y, words, size=13, fill="#1f2328", weight="normal", anchor="start"):
    return (f'<text x="{rounded(x)}" y="{rounded(y)}" font-size="{size}" fill="{fill}" font-weight="{weight}" '
            f'text-anchor="{anchor}">{html.escape(str(words))}</text>')


def bar(x, y, width, height, fill, radius=2, opacity=None):
    extra = f' fill-opacity="{opacity}"' if opacity else ""
    return f'<rect x="{rounded(x)}" y="{rounded(y)}" width="{rounded(max(width, 0.5))}" height="{height}" rx="{radius}" fill="{fill}"{extra}/>'


def cards(report, y):
    interval, bounds = report["cycles_interval"], report["bounds"]
    entries = [(f"{report['cycles']:,}", "predicted cycles"), (f"{report['milliseconds']:.3f} ms", f"at {report['clock_hz'] / 1e6:.0f} MHz"),
               (f"{interval['low'] / 1000:.1f}\u2013{interval['high'] / 1000:.1f} k", "90 % prediction interval"),
               (f"{bounds[0]['share']:.0%}", f"limited by: {bounds[0]['bound']}")]
    width = (WIDTH - 2 * MARGIN - 3 * 12) / 4
    for i, (value, label) in enumerate(entries):
        x = MARGIN + i * (width + 12)
        yield bar(x, y, width, 62, "#f3f5f8", 6)
        yield text(x + 14, y + 29, value, 20, weight="bold")
        yield text(x + 14, y + 49, label, 12, "#57606a")


def timeline(report, y):
    scale = (WIDTH - 2 * MARGIN - LABELS) / report["cycles"]
    yield text(MARGIN, y, "Timeline", 15, weight="bold")
    rows = {row["unit"]: row for row in report["activity"]}
    place = y + 16
    for unit, label in UNITS.items():
        row = rows.get(unit)
        if row is None:
            continue
        yield text(MARGIN, place + 12, label, 12, "#57606a")
        yield bar(MARGIN + LABELS, place, report["cycles"] * scale, 16, "#eaeef2")
        last = -1.0
        for start, end, busy in zip(row["start"], row["end"], row["busy"]):
            left, right = start * scale, end * scale
            if right - last < 0.4:  # narrower than is seen
                continue
            shade = min(1.0, 0.25 + 0.75 * busy / (end - start)) if end > start else 1.0
            yield bar(MARGIN + LABELS + left, place, right - left, 16, "#2f6fdb", 0, rounded(shade))
            last = right
        place += 22
    yield text(WIDTH - MARGIN, place + 10, f"{report['cycles']:,} cycles", 11, "#57606a", anchor="end")


def layers(report, y):
    rows = report["layers"]
    most = max(row["exclusive"] for row in rows)
    scale = (WIDTH - 2 * MARGIN - 430) / most
    yield text(MARGIN, y, "Layers", 15, weight="bold")
    for x, words, anchor in ((320, "cycles", "end"), (380, "of peak", "end")):
        yield text(MARGIN + x, y, words, 12, "#57606a", anchor=anchor)
    for i, row in enumerate(rows):
        line = y + 22 + 20 * i
        yield text(MARGIN, line, row["name"].split(" (")[0], 12)
        yield text(MARGIN + 320, line, f"{row['exclusive']:,}", 12, anchor="end")
        yield text(MARGIN + 380, line, f"{row['utilisation']:.0%}" if row["macs"] else "", 12, anchor="end")
        yield bar(MARGIN + 400, line - 11, row["exclusive"] * scale, 13, colour(row["bound"]))
    line = y + 22 + 20 * len(rows) + 8
    x = MARGIN
    for bound, fill in COLOURS.items():
        yield bar(x, line - 10, 11, 11, fill)
        label = f"limited by {bound}" if bound else "other"
        yield text(x + 16, line, label, 11, "#57606a")
        x += 34 + 6.4 * len(label)


def draw(report):
    height = 318 + 20 * len(report["layers"]) + 56
    body = [bar(0, 0, WIDTH, height, "#ffffff", 10), text(MARGIN, 38, "Macaw report", 19, weight="bold"),
            text(WIDTH - MARGIN, 38, f"{NETWORK} on {report['accelerator']}, {report['system']}, {report['memory_mode']}", 13, "#57606a", anchor="end"),
            *cards(report, 56), *timeline(report, 152), *layers(report, 318)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'font-family="system-ui, -apple-system, Segoe UI, DejaVu Sans, sans-serif">\n<title>Cycles of a keyword spotter by unit and layer, '
            f'as Macaw predicts them</title>\n' + "\n".join(body) + "\n</svg>\n")


def main(macaw, check):
    picture = draw(report_of(macaw))
    if not check:
        PICTURE.write_text(picture, encoding="utf-8")
        return 0
    if PICTURE.read_text(encoding="utf-8") == picture:
        print(f"{PICTURE.name} is current")
        return 0
    print(f"{PICTURE} is not what the program's figures give: run {pathlib.Path(__file__).name} MACAW", file=sys.stderr)
    return 1


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--check"]
    if len(words) != 1:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(words[0]).resolve(), "--check" in sys.argv))
