#!/usr/bin/env python3
"""Runs a fuzz target without libFuzzer: COUNT mutants of its seeds, and of the files in FOLDER, through macaw_fuzz_files.

Bytes, words and pieces of binary files change; of texts numbers, names, strings and lines as well. What ended the
program stays in OUT.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds"
WORDS = [0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1 << 24, 1 << 28, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
TOKENS = [b"0", b"-1", b"1.5", b"1e308", b"1e-320", b"nan", b"inf", b"4294967296", b"18446744073709551615", b"-9223372036854775808",
          b'""', b"null", b"[]", b"{}", b"true", b"0x10", b"\xff\xfe", b"\\u0000", b"*"]
TOKEN = re.compile(rb'-?\d+(?:\.\d+)?(?:[eE]-?\d+)?|"[^"\n]*"|[A-Za-z_][\w.]*')


def changed_bytes(draw, data):
    data = bytearray(data)
    at, size = draw.randrange(len(data)), draw.choice([1, 2, 4, 8, 16, 64])
    word = at & ~3
    kind = draw.randrange(7)
    if kind == 0:
        data[at] ^= 1 << draw.randrange(8)
    elif kind == 1:
        data[word:word + 4] = draw.choice(WORDS).to_bytes(4, "little")
    elif kind == 2:
        data[at & ~1:(at & ~1) + 2] = (draw.choice(WORDS) & 0xFFFF).to_bytes(2, "little")
    elif kind == 3:
        moved = int.from_bytes(data[word:word + 4], "little") + draw.choice([-8, -4, -1, 1, 4, 8, 16])
        data[word:word + 4] = (moved & 0xFFFFFFFF).to_bytes(4, "little")
    elif kind == 4:
        other = draw.randrange(len(data))
        data[at:at + size] = data[other:other + size]
    elif kind == 5:
        del data[at:at + size]
    else:
        data[at:at] = data[at:at + size]
    return bytes(data)


def changed_text(draw, data):
    tokens, lines = [m.span() for m in TOKEN.finditer(data)], data.split(b"\n")
    kind = draw.randrange(6)
    if kind <= 2 and tokens:
        (first, last), (other, end) = draw.choice(tokens), draw.choice(tokens)
        return data[:first] + (data[other:end] if kind == 2 else draw.choice(TOKENS)) + data[last:]
    if kind <= 4:
        at = draw.randrange(len(lines))
        lines[at:at + 1] = [] if kind == 3 else [lines[at], draw.choice(lines)]
        return b"\n".join(lines)
    return changed_bytes(draw, data)


def mutant(draw, seed):
    is_text = sum(byte < 9 or byte > 126 for byte in seed) * 20 < len(seed)
    for _ in range(draw.choice([1, 1, 1, 2, 2, 3, 5])):
        if seed:
            seed = changed_text(draw, seed) if is_text else changed_bytes(draw, seed)
    return seed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="macaw_fuzz_files of a build")
    parser.add_argument("target")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path, help="of further files to start from")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    files = sorted((SEEDS / options.target).iterdir())
    if options.folder:
        files += sorted(file for file in options.folder.rglob("*") if file.is_file() and file.stat().st_size < 12288)
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for number in range(0, options.count, 500):
        made = []
        for i in range(number, min(number + 500, options.count)):
            made.append(options.out / f"{options.seed}_{i}")
            made[-1].write_bytes(mutant(draw, draw.choice(files).read_bytes()))

        def ends(paths):
            return subprocess.run([options.program, options.target, *paths], cwd=SEEDS.parent.parent.parent, capture_output=True).returncode

        bad = [path for path in made if ends([path])] if ends(made) else []
        failed += len(bad)
        for path in set(made) - set(bad):
            path.unlink()
    print(f"{options.target}: {options.count} mutants, {failed} ended the program")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
