#!/usr/bin/env python3
"""No false alarm: `macaw compare` on sound networks of a corpus. A verdict of "different" fails, except for the networks of
known_differences.txt, whose outputs differ for the reason that stands there.

usage: no_false_alarm.py MACAW CORPUS [--prove] [--only pairs|compiled] [--filter TEXT] [--share N/M] [--seeds 3] [-j N] [--json FILE]

--prove judges by `macaw prove` in place of `macaw compare`: a refuted network fails, except for those of known_differences.txt.

Cases: every artifact of CORPUS beside the network that it was compiled from (`npu/INDEX.json`, and NAME_vela.tflite or
NAME_vela.npz beside NAME.tflite or NAME.tosa; with its debug database where there is one), and every network compiled by
`macaw compile` for four accelerators. Ends with a line "N passed, N failed"; what was not compared is counted apart.
"""
import argparse
import collections
import gzip
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ACCELERATORS = ("ethos-u55-128", "ethos-u65-256", "ethos-u85-256", "ethos-u85-1024")
# Folders whose artifacts are wrong on purpose, or whose files are hostile.
KNOWN = pathlib.Path(__file__).with_name("known_differences.txt")
UNSOUND = ("first_wrong", "attacks", "rawcop2_output_offset")
LIMIT_S = 300


def indexed_pairs(corpus):
    """(network, artifact, accelerator) of every entry of npu/INDEX.json."""
    folder = corpus / "npu"
    if not (folder / "INDEX.json").exists():
        return
    for entry in json.loads((folder / "INDEX.json").read_text()):
        for artifact in entry["artifacts"]:
            yield folder / entry["source"], folder / artifact, entry["accelerator"]


def pairs_beside(corpus):
    """(network, artifact, None) of files whose names belong together."""
    for room in ("lab", "outside"):
        for artifact in sorted((corpus / room).rglob("*_vela.*")):
            if artifact.suffix not in (".tflite", ".npz"):
                continue
            stem = re.sub(r"(_ethos-u\d+-\d+)?(_himax)?_vela$", "", artifact.stem)
            networks = [n for n in (artifact.with_name(stem + ".tflite"), artifact.with_name(stem + ".tosa"),
                                    artifact.with_name("model.tflite")) if n.exists()]
            if networks:
                accelerator = re.search(r"ethos-u\d+-\d+", artifact.stem)
                yield networks[0], artifact, accelerator.group() if accelerator else None


def networks(corpus):
    """Every network that nothing compiled yet."""
    for room in ("lab", "outside", "npu"):
        for path in sorted((corpus / room).rglob("*")):
            if path.suffix in (".tflite", ".tosa", ".mlir") and "_vela" not in path.name:
                yield path


def cases(corpus, only):
    sound = lambda path: not any(word in str(path) for word in UNSOUND)
    if only != "compiled":
        for network, artifact, accelerator in (*indexed_pairs(corpus), *pairs_beside(corpus)):
            if sound(artifact):
                yield network, artifact, accelerator
    if only != "pairs":
        for network in networks(corpus):
            if sound(network):
                for accelerator in ACCELERATORS:
                    yield network, None, accelerator


def debug_database(artifact):
    """The debug database beside an artifact, maybe compressed."""
    name = re.sub(r"_vela(_sg\d+)?$", "", artifact.stem)
    for path in (artifact.with_name(name + "_debug.xml"), artifact.with_name(name + "_debug.xml.gz")):
        if path.exists():
            return path
    return None


def known_differences():
    """Regular expressions of cases whose outputs differ."""
    lines = (line.split(":", 1)[0].strip() for line in KNOWN.read_text().splitlines())
    return [re.compile(line) for line in lines if line and not line.startswith("#")]


def run(case):
    """(kind, case, text): kind is equal, known (an output differs), alarm (any other difference), or why it was not compared."""
    network, artifact, accelerator, macaw, seeds, prove, corpus = case
    name = f"{network.relative_to(corpus)} {artifact.relative_to(corpus) if artifact else accelerator}"
    with tempfile.TemporaryDirectory() as folder:
        options = []
        try:
            if artifact is None:
                artifact = pathlib.Path(folder, "network.npz")
                made = subprocess.run([macaw, "compile", network, "-a", accelerator, "-o", artifact],
                                      capture_output=True, text=True, timeout=LIMIT_S)
                if made.returncode:
                    return "not compiled", name, made.stderr.strip()
            else:
                if accelerator:
                    options = ["--accelerator-config", accelerator]
                database = None if prove else debug_database(artifact)
                if database:
                    copy = pathlib.Path(folder, "debug.xml")
                    data = database.read_bytes()
                    copy.write_bytes(gzip.decompress(data) if database.suffix == ".gz" else data)
                    options += ["--debug-db", str(copy)]
            command = ["prove"] if prove else ["compare", "--inputs", str(seeds)]
            done = subprocess.run([macaw, *command, network, artifact, *options, "--json"], capture_output=True, text=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return "alarm", name, f"no result in {LIMIT_S} s"
        if done.returncode not in (0, 1) or not done.stdout.startswith("{"):
            return "not compared", name, done.stderr.strip()
        result = json.loads(done.stdout)
        if done.returncode == 0:
            return "equal", name, ""
        # A refutation shows inputs on which an output differs.
        differs = prove or any(output["different"] for one in result["runs"] for output in one["outputs"])
        return ("known" if differs and any(k.search(name) for k in known_differences()) else "alarm"), name, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("macaw", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--prove", action="store_true", help="judge by macaw prove")
    parser.add_argument("--only", choices=("pairs", "compiled"))
    parser.add_argument("--filter", default="", help="regular expression that a case's paths match")
    parser.add_argument("--share", default="1/1", help="N/M: every M-th case, beginning with the N-th")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    first, step = (int(n) for n in args.share.split("/"))
    corpus = args.corpus.resolve()
    todo = [(*case, args.macaw.resolve(), args.seeds, args.prove, corpus) for case in cases(corpus, args.only)
            if re.search(args.filter, " ".join(str(part) for part in case[:3]))]
    todo = todo[first - 1::step]
    counts, results = collections.Counter(), []
    with multiprocessing.Pool(args.j) as pool:
        for kind, name, text in pool.imap_unordered(run, todo):
            counts[kind] += 1
            results.append({"kind": kind, "case": name, "text": text})
            if kind == "alarm":
                print(f"{kind}: {name}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    print(f"{counts['equal']} passed, {counts['alarm']} failed")
    return 1 if counts["alarm"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
