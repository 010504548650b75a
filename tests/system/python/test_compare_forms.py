#!/usr/bin/python3
"""A comparison says the same as text, as JSON, as JUnit and as a page."""
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import numpy

MACAW = os.environ["MACAW"]
TRACE = pathlib.Path("traces/tiny_cnn")
GRAPH = TRACE / "tiny_cnn.tosa"
ARTIFACT = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
INPUT = TRACE / "input_0.npy"
SET_OFM_ZERO_POINT = 0x118


def run(*arguments):
    return subprocess.run([MACAW, "compare", *map(str, arguments), "--inputs", "2"], capture_output=True, text=True)


def said(text):
    """Figures in the lines of a text."""
    first = re.search(r"^first wrong: (.*?)(?:, fused with .*)?$", text, re.M)
    tensor = re.search(r"^  tensor '(.*)' \(recognised by (.*)\): (\d+) of (\d+) elements differ", text, re.M)
    channel = re.search(r"^  .*: channel (\d+), tap .*: weight ", text, re.M)
    coverage = re.search(r"^tensors compared: (\d+) of (\d+)", text, re.M)
    return {
        "operator": first and first[1],
        "tensor": tensor and (tensor[1], tensor[2], int(tensor[3]), int(tensor[4])),
        "channel": channel and int(channel[1]),
        "differing": [(m[1], m[2], int(m[3])) for m in re.finditer(r"^(seed \d+): tensor '(.*)': (\d+) of \d+ elements differ$", text, re.M)],
        "coverage": coverage and (int(coverage[1]), int(coverage[2])),
    }


def said_by_json(report):
    wrong = next((r["first_wrong"] for r in report["runs"] if "first_wrong" in r), None)
    constant = (wrong or {}).get("constant", {})
    return {
        "operator": wrong and ("" if wrong["certain"] else "candidate ") + wrong["name"],
        "tensor": wrong and "tensor" in wrong and (wrong["tensor"], wrong["recognised_by"], wrong["different"], wrong["elements"]),
        "channel": constant.get("channel") if constant.get("what") == "weight" else None,
        "differing": [(r["inputs"], t["tensor"], t["different"]) for r in report["runs"] for t in r["recognised"] if t["different"]],
        "coverage": (len(report["coverage"]["compared"]), len(report["coverage"]["compared"]) + len(report["coverage"]["not_compared"])),
    }


class Forms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def forms(self, graph, artifact, code):
        junit, page = self.folder / "junit.xml", self.folder / "page.html"
        text = run(graph, artifact, "--junit", junit, "--html", page)
        as_json = run(graph, artifact, "--json")
        self.assertEqual((text.returncode, as_json.returncode), (code, code), text.stderr + as_json.stderr)
        report = json.loads(as_json.stdout)
        suites = xml.etree.ElementTree.parse(junit).getroot()
        failures = "\n".join(f.text for f in suites.iter("failure"))
        in_junit = failures + "\n" + suites.find("testsuite/system-out").text
        in_page = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])

        self.assertEqual(report["equal"], code == 0)
        self.assertEqual(int(suites.get("failures")) == 0, code == 0)
        self.assertEqual(in_page["text"], text.stdout)
        self.assertEqual({key: in_page[key] for key in report}, report)
        self.assertEqual(said(text.stdout), said_by_json(report))
        self.assertEqual(said(in_junit), said_by_json(report))
        for run_of in report["runs"]:
            case, = (c for c in suites.iter("testcase") if c.get("name") == run_of["inputs"])
            self.assertEqual(case.find("failure") is None, run_of["equal"])
        return said_by_json(report)

    def test_equal(self):
        told = self.forms(GRAPH, ARTIFACT, 0)
        self.assertIsNone(told["operator"])
        self.assertEqual(told["differing"], [])
        self.assertGreater(told["coverage"][0], 0)

    def test_a_weight(self):
        sound = GRAPH.read_bytes()
        changed = self.folder / "changed.tosa"
        for at in range(len(sound) // 8, len(sound), len(sound) // 40):
            changed.write_bytes(sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1:])
            done = run(changed, ARTIFACT, "--json")
            if done.returncode == 1 and (told := said_by_json(json.loads(done.stdout)))["channel"] is not None and told["tensor"]:
                break
        told = self.forms(changed, ARTIFACT, 1)
        self.assertIn("CONV2D", told["operator"])
        self.assertIsNotNone(told["channel"])
        self.assertGreater(len(told["differing"]), 0)

    def tensors(self, names, changed=None):
        """Exit code and text of a comparison with tensors as the interpreter computes them, one with another element."""
        every, some = self.folder / "every", tempfile.mkdtemp(dir=self.folder)
        if not every.exists():
            subprocess.run([MACAW, "tosa", GRAPH, "--input", INPUT, "--dump_intermediates", "1", "--output-dir", every],
                           check=True, stdout=subprocess.DEVNULL)
        for name in names or [path.stem.removeprefix("intermediate_") for path in every.glob("intermediate_*.npy")]:
            values = numpy.load(every / f"intermediate_{name}.npy")
            if name == changed:
                values.flat[5] += 1
            numpy.save(f"{some}/{name}.npy", values)
        done = subprocess.run([MACAW, "compare", ARTIFACT, "--tensors", some, "--input", INPUT], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_tensors_of_another_program(self):
        code, text = self.tensors(None)
        self.assertEqual(code, 0)
        self.assertIn("input files: output 'logits': 10 of 10 elements equal\n", text)
        code, text = self.tensors(None, "clamp_22")
        # The outputs are right, and nothing shows that they depend on the element.
        self.assertEqual(code, 0)
        self.assertIn("note: tensor 'clamp_22' (recognised by debug database): 1 of 4096 elements differ", text)

    def test_some_tensors_of_another_program(self):
        for names in (["clamp_11"], ["clamp_22", "clamp_49"], ["rescale_10"]):
            code, text = self.tensors(names)
            self.assertEqual(code, 0, text)
            self.assertIn(f"tensors compared: {len(names)} of {len(names)} in 1 run; the network's outputs are not among them\n", text)
        code, text = self.tensors(["logits", "clamp_49"])
        self.assertEqual(code, 0, text)
        self.assertNotIn("not among them", text)
        code, text = self.tensors(["clamp_22"], "clamp_22")
        self.assertEqual(code, 1)
        self.assertIn("first wrong: one of ", text)
        code, text = self.tensors(["logits"], "logits")
        self.assertEqual(code, 1)
        self.assertIn("input files: tensor 'logits': 1 of 10 elements differ", text)
        self.assertIn("first wrong: one of ", text)
        code, text = self.tensors(["const_1"])
        self.assertEqual((code, text), (3, "macaw: no tensor of the folder was found in what the network writes\n"))

    def test_a_network_is_required(self):
        done = subprocess.run([MACAW, "compare", GRAPH], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("compare: missing argument ARTIFACT", done.stderr)

    def test_a_register(self):
        arrays = dict(numpy.load(ARTIFACT))
        words = numpy.frombuffer(arrays["cmd_data"].tobytes(), numpy.uint32).copy()
        at = numpy.flatnonzero((words & 0xffff) == SET_OFM_ZERO_POINT)[0]
        words[at] ^= 1 << 16
        arrays["cmd_data"] = numpy.array(words.tobytes(), arrays["cmd_data"].dtype)
        changed = self.folder / "changed.npz"
        with io.BytesIO() as file:
            numpy.savez(file, **arrays)
            changed.write_bytes(file.getvalue())
        told = self.forms(GRAPH, changed, 1)
        self.assertIsNotNone(told["operator"])
        self.assertIsNone(told["channel"])
        self.assertGreater(told["tensor"][2], 0)


class Networks(unittest.TestCase):
    """Two networks before they are compiled."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.changed = self.folder / "changed.tosa"

    def intermediates(self, graph, name):
        done = subprocess.run([MACAW, "tosa", graph, "--input", INPUT, "--dump_intermediates", "1", "--output-dir", self.folder / name], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {file.stem.removeprefix("intermediate_"): numpy.load(file) for file in (self.folder / name).glob("intermediate_*.npy")}

    def change(self):
        """A graph with one byte of a constant changed, so that an output differs."""
        sound = GRAPH.read_bytes()
        for at in range(len(sound) // 8, len(sound), len(sound) // 40):
            self.changed.write_bytes(sound[:at] + bytes([sound[at] ^ 4]) + sound[at + 1:])
            done = subprocess.run([MACAW, "compare", GRAPH, self.changed, "--input", INPUT, "--json"], capture_output=True, text=True)
            if done.returncode == 1 and (report := json.loads(done.stdout))["tensors"][-1]["different"]:
                return report
        self.fail("no byte changes an output")

    def test_equal(self):
        done = run(GRAPH, GRAPH)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 of 1 outputs, in 2 runs\nNo difference found\n", done.stdout)

    def test_differences_are_those_of_the_dumps(self):
        report = self.change()
        sound, changed = self.intermediates(GRAPH, "sound"), self.intermediates(self.changed, "changed")
        seen = 0
        for tensor in report["tensors"]:
            if tensor["name"] not in sound:
                continue
            a, b = sound[tensor["first_name"]], changed[tensor["name"]]
            self.assertEqual(tensor["different"], (a != b).sum(), tensor["name"])
            if tensor["different"]:
                seen += 1
                self.assertEqual(tensor["largest_difference"], numpy.abs(a.astype(int) - b).max())
                first = numpy.argwhere(a != b)[0]
                self.assertEqual(tensor["first_difference"]["index"], list(first))
                self.assertEqual(tensor["first_difference"]["values"], [a[tuple(first)], b[tuple(first)]])
        self.assertGreater(seen, 1)
        self.assertEqual((report["only_first"], report["only_second"]), ([], []))
        junit = self.folder / "junit.xml"
        done = subprocess.run([MACAW, "compare", GRAPH, self.changed, "--input", INPUT, "--junit", junit], capture_output=True, text=True)
        first = next(tensor for tensor in report["tensors"] if tensor["different"])
        self.assertIn(f"first difference: {first['operator']}, tensor '{first['name']}'", done.stdout)
        self.assertEqual(xml.etree.ElementTree.parse(junit).getroot().find("testsuite").get("failures"), "1")

    def test_what_needs_a_compiled_network(self):
        for more in (("--html", self.folder / "x.html"), ("--matches",), ("--debug-db", "x.xml"), ("--sequence", 3)):
            done = subprocess.run([MACAW, "compare", GRAPH, GRAPH, *map(str, more)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("needs a compiled network", done.stderr)


if __name__ == "__main__":
    unittest.main()
