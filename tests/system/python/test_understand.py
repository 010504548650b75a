#!/usr/bin/python3
"""Output of `macaw sim`, `report` and `golden` for people and CI servers, and messages for wrong calls."""
import csv
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
import zlib

import numpy

TRACE = pathlib.Path("traces/tiny_cnn")
ARTIFACT = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
MACAW = os.environ["MACAW"]


def run(*arguments):
    return subprocess.run([MACAW, *map(str, arguments)], capture_output=True, text=True)


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def good(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, name, *more):
        self.good("sim", ARTIFACT, "--mode", "timing", "--output-dir", self.folder / name, *more)
        return self.folder / name / "report.json"


class Sim(WithFolder):
    def test_the_advice_is_what_its_command_gives(self):
        report = json.loads(self.report("run", "--advise").read_text())
        self.assertGreater(len(report["advice"]), 2)
        gains = [advice["gain"] for advice in report["advice"]]
        self.assertEqual(gains, sorted(gains, reverse=True))
        for advice in report["advice"]:
            words = shlex.split(advice["command"])
            self.assertEqual(words[0], "macaw")
            again = json.loads(self.good(*words[1:], "--json"))
            self.assertEqual(again["cycles"], advice["cycles"], advice["command"])
            self.assertEqual(report["cycles"] - again["cycles"], advice["gain"])

    def test_layers_by_the_graph_add_up(self):
        report = json.loads(self.report("run", "--graph", TRACE / "tiny_cnn.tosa").read_text())
        self.assertEqual(sum(layer["exclusive"] for layer in report["layers"]), report["cycles"])
        self.assertEqual(sum(bound["cycles"] for bound in report["bounds"]), report["cycles"])
        self.assertTrue(all("operator" in layer["name"] for layer in report["layers"]), report["layers"])

    def test_sram_size(self):
        size = json.loads(self.report("run").read_text())["memory"]["axi0"]["reach"]
        self.assertIn(" free\n", self.good("sim", ARTIFACT, "--mode", "timing", "--sram-size", size))
        for words in (("sim", ARTIFACT, "--mode", "timing"), ("report", self.report("again").parent)):
            done = run(*words, "--sram-size", size - 1)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(" 1 bytes more than ", done.stdout)
        numpy.save(self.folder / "sets.npy", numpy.load(TRACE / "input_0.npy"))
        functional = ("sim", ARTIFACT, "--mode", "functional")
        for words in ((*functional, "--random-inputs", 1), (*functional, "--inputs", self.folder / "sets.npy"),
                      (*functional, "--sequence", self.folder / "steps.npy"), ("sim", ARTIFACT, "--sequence", self.folder / "steps.npy")):
            numpy.save(self.folder / "steps.npy", numpy.load(TRACE / "input_0.npy")[None])
            self.assertIn(" free\n", self.good(*words, "--sram-size", size))
            done = run(*words, "--sram-size", size - 1)
            self.assertEqual(done.returncode, 1, (words, done.stderr))
            self.assertIn(" 1 bytes more than ", done.stdout)
            self.assertEqual(run(*words, "--sram-size", size - 1, "--json").returncode, 1, words)
            done = run(*words, "--sram-size", size, "--max-cycles", 1)
            self.assertIn("the NPU did not stop within 1 cycles", done.stderr, words)
            self.assertEqual(done.returncode, 3, words)

    def test_counters_are_shown_where_they_are_asked_for(self):
        self.assertNotIn("MAC_ACTIVE", self.good("sim", ARTIFACT, "--mode", "timing"))
        self.assertIn("MAC_ACTIVE", self.good("sim", ARTIFACT, "--mode", "timing", "--pmu", "MAC_ACTIVE"))

    def test_a_memory_mode_that_u55_lacks_is_named(self):
        mode = ("--mode", "timing", "--memory-mode", "Dedicated_Sram")
        done = run("sim", ARTIFACT, *mode)
        self.assertEqual(done.returncode, 0)
        self.assertIn("U55 has no Dedicated_Sram", done.stderr)
        self.assertNotIn("Dedicated_Sram", run("sim", TRACE / "ethos-u65-512" / "tiny_cnn.npz", *mode).stderr)

    def test_calls_that_lack_something_say_what_to_do(self):
        done = run("sim", ARTIFACT)
        self.assertEqual(done.returncode, 3)
        for offer in ("--input", "--random-inputs", "--mode timing"):
            self.assertIn(offer, done.stderr)
        self.good("sim", ARTIFACT, "--random-inputs", 1)
        done = run("sim", TRACE / "tiny_cnn.tosa")
        self.assertEqual(done.returncode, 2)
        self.assertIn("macaw tosa", done.stderr)
        self.assertIn("macaw compile", done.stderr)


class Report(WithFolder):
    def test_csv_has_a_row_for_each_layer_and_a_summary(self):
        report = self.report("run")
        self.good("report", report, "--csv", self.folder / "net.csv")
        summary = list(csv.DictReader(io.StringIO((self.folder / "net.csv").read_text())))
        layers = list(csv.DictReader(io.StringIO((self.folder / "net_per-layer.csv").read_text())))
        data = json.loads(report.read_text())
        self.assertEqual(len(summary), 1)
        self.assertEqual(float(summary[0]["sram_memory_used"]) * 1024, data["memory"]["axi0"]["reach"])
        self.assertEqual(sum(int(row["Op Cycles"]) for row in layers), data["cycles"])
        self.assertEqual(sum(int(row["MAC Count"]) for row in layers), sum(o["macs"] for o in data["operations"]))
        self.assertAlmostEqual(sum(float(row["Network% (cycles)"]) for row in layers), 100, places=3)

    def test_summary_and_flame_graph_hold_the_run(self):
        report = self.report("run")
        data = json.loads(report.read_text())
        self.good("report", report, "--markdown", self.folder / "run.md", "--speedscope", self.folder / "run.json")
        text = (self.folder / "run.md").read_text()
        self.assertIn(f"{data['cycles']} cycles", text)
        self.assertEqual(sum(line.startswith("| ") for line in text.splitlines()), 2 + len(data["bounds"]) + len(data["layers"]))
        flame = json.loads((self.folder / "run.json").read_text())
        profile, frames = flame["profiles"][0], flame["shared"]["frames"]
        self.assertEqual(sum(profile["weights"]), data["cycles"])
        layers = {}
        for (layer, _), weight in zip(profile["samples"], profile["weights"]):
            layers[frames[layer]["name"]] = layers.get(frames[layer]["name"], 0) + weight
        self.assertEqual(layers, {layer["name"]: layer["exclusive"] for layer in data["layers"]})

    def test_model_explorer_reads_the_layers_by_their_tensors(self):
        report = self.report("run", "--graph", TRACE / "tiny_cnn.tosa")
        data = json.loads(report.read_text())
        self.good("report", report, "--graph-json", self.folder / "graph.json", "--node-data", self.folder / "cycles.json")
        graph, = json.loads((self.folder / "graph.json").read_text())["graphs"]
        keys = [layer["name"].split("'")[1] for layer in data["layers"]]
        self.assertEqual([node["id"] for node in graph["nodes"]], keys)
        self.assertEqual([node["outputsMetadata"][0]["attrs"] for node in graph["nodes"]],
                         [[{"key": "tensor_name", "value": key}] for key in keys])
        self.assertEqual({(edge["sourceNodeId"], node["id"]) for node in graph["nodes"] for edge in node["incomingEdges"]},
                         {(keys[edge["from"]], keys[edge["to"]]) for edge in data["edges"]})
        self.assertGreaterEqual(len(data["edges"]), len(keys) - 1)
        results = json.loads((self.folder / "cycles.json").read_text())["results"]
        self.assertEqual(results, {key: {"value": layer["exclusive"]} for key, layer in zip(keys, data["layers"])})

    def test_two_runs_side_by_side(self):
        before, after = self.report("a"), self.report("b", "--memory-mode", "Sram_Only")
        text = self.good("report", before, after)
        cycles = [json.loads(file.read_text())["cycles"] for file in (before, after)]
        for count in cycles:
            self.assertIn(f"cycles {count}", text)
        self.assertIn(f"{cycles[1] - cycles[0]:+}", text)
        self.assertIn("no layer that has a counterpart changed", self.good("report", before, before))
        self.good("report", before, after, before, "--html", self.folder / "page.html")
        known = json.loads(self.good("report", before, after, "--json"))
        self.assertEqual([r["cycles"] for r in known["runs"]], cycles)
        self.assertAlmostEqual(known["runs"][1]["speed_up"], cycles[0] / cycles[1])
        for layer in known["layers"]:
            self.assertTrue(layer["paired"])
            self.assertEqual(*layer["macs"])
        self.assertEqual([sum(l["cycles"][i] for l in known["layers"]) for i in (0, 1)], cycles)
        self.good("report", before, after, "--markdown", self.folder / "comment.md")
        comment = (self.folder / "comment.md").read_text()
        self.assertIn("| layer | a", comment.replace("\\", ""))
        self.assertIn("faster" if cycles[1] < cycles[0] else "slower", comment)
        self.assertNotIn("http", (self.folder / "page.html").read_text())
        self.assertEqual(run("report", before, after, "--csv", self.folder / "x.csv").returncode, 2)

    def test_a_run_that_is_slower_than_it_may_be_fails(self):
        fast, slow = sorted((self.report("a"), self.report("b", "--memory-mode", "Sram_Only")),
                            key=lambda file: json.loads(file.read_text())["cycles"])
        percent = 100 * (json.loads(slow.read_text())["cycles"] / json.loads(fast.read_text())["cycles"] - 1)
        for most, code in ((0, 1), (percent - 0.01, 1), (percent + 0.01, 0)):
            done = run("report", fast, slow, "--fail-above", most)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("--fail-above allows" in done.stderr, code == 1)
        self.assertEqual(run("report", slow, fast, "--fail-above", 0).returncode, 0)
        for wrong in ("-1", "x", "nan", ""):
            self.assertIn(run("report", fast, slow, "--fail-above", wrong).returncode, (0, 2) if wrong == "" else (2,))
        self.assertEqual(run("report", fast, "--fail-above", 1).returncode, 2)


class Golden(WithFolder):
    """Forty networks, two of them broken and one changed."""

    def setUp(self):
        super().setUp()
        for i in range(40):
            shutil.copy(ARTIFACT, self.folder / f"net{i:02}.npz")
        (self.folder / "golden.toml").write_text('[[network]]\nname = "all"\nartifact = "net*.npz"\n'
                                                 '[[network]]\nname = "also"\nartifact = "net00.npz"\n')
        self.good("golden", "record", self.folder, "--reason", "test", "-j", 2)

    def test_each_fails_alone_and_every_file_says_so(self):
        (self.folder / "net07.npz").write_bytes(b"no network")
        (self.folder / "net08.npz").write_bytes(b"")
        shutil.copy(TRACE / "ethos-u65-512" / "tiny_cnn.npz", self.folder / "net09.npz")
        files = {kind: self.folder / f"out.{kind}" for kind in ("junit", "markdown", "code-quality", "benchmark")}
        options = [word for kind, file in files.items() for word in ("--" + kind, file)]
        done = run("golden", "check", self.folder, "-j", 2, *options)
        self.assertEqual(done.returncode, 1, done.stderr)
        for name, word in (("net07", "FAILED"), ("net08", "FAILED"), ("net09", "CHANGED"), ("net10", "OK")):
            self.assertIn(f"{word} all {name}.npz", done.stdout)
        self.assertIn("38 passed", done.stdout)
        root = xml.etree.ElementTree.parse(files["junit"]).getroot()
        cases = root.findall("testsuite/testcase")
        failures = [case for case in cases if case.find("failure") is not None]
        self.assertEqual(len(failures), int(root.get("failures")))
        self.assertEqual({case.get("name").split(" | ")[0] for case in failures},
                         {f"all net{i:02}.npz" for i in (7, 8, 9)})
        for case in failures:
            self.assertLess(len(case.find("failure").get("message")), 200)
            self.assertTrue(case.find("failure").text)
        self.assertGreater(float(root.get("time")), 0)
        issues = json.loads(files["code-quality"].read_text())
        self.assertEqual(len(issues), len(failures))
        self.assertEqual(len({issue["fingerprint"] for issue in issues}), len(issues))
        self.assertTrue(all(issue["location"]["path"].endswith("golden.json") for issue in issues))
        for row in json.loads(files["benchmark"].read_text()):
            self.assertEqual(set(row), {"name", "unit", "value"})
        self.assertIn("net09", files["markdown"].read_text())
        result = json.loads(run("golden", "check", self.folder, "--json", "--only", "all net0[79]*").stdout)
        self.assertEqual(result["passed"], 0)

    def test_one_entry_is_recorded_again(self):
        golden = self.folder / "golden.json"
        before = json.loads(golden.read_text())
        shutil.copy(TRACE / "ethos-u65-512" / "tiny_cnn.npz", self.folder / "net09.npz")
        self.good("golden", "record", self.folder, "--only", "*net09*", "--reason", "another accelerator")
        after = json.loads(golden.read_text())
        changed = {name for name in before["runs"].keys() | after["runs"].keys()
                   if before["runs"].get(name) != after["runs"].get(name)}
        self.assertEqual({name.split(" | ")[0] for name in changed}, {"all net09.npz"})
        self.good("golden", "check", self.folder, "-j", 2)


class KeptTensors(WithFolder):
    def test_values_that_differ_are_shown(self):
        (self.folder / "golden.toml").write_text('[[network]]\nname = "net"\nartifact = "net.npz"\n')
        shutil.copy(ARTIFACT, self.folder / "net.npz")
        self.good("golden", "record", self.folder, "--reason", "test", "--keep-tensors")
        self.good("golden", "check", self.folder)
        golden = self.folder / "golden.json"
        data = json.loads(golden.read_text())
        run_data, = data["runs"].values()
        output, operation = run_data["outputs"][0], run_data["operations"][-1]
        values = bytearray(zlib.decompress(bytes.fromhex(output["zlib"])))
        self.assertEqual(f"{zlib.crc32(values):08X}", output["crc32"])
        self.assertEqual(output["dtype"], "INT8")
        signed = lambda byte: byte - 256 * (byte > 127)
        now = signed(values[3])
        values[3] ^= 0x81
        output["zlib"], output["crc32"] = zlib.compress(bytes(values)).hex(), "00000000"
        operation["written_zlib"], operation["written_crc32"] = "78", "00000000"
        golden.write_text(json.dumps(data))
        done = run("golden", "check", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"1 of {len(values)} elements differ, at most by {abs(now - signed(values[3]))}; the first is element 3: "
                      f"{signed(values[3])} -> {now}", done.stdout)
        self.assertIn("a kept tensor is damaged", done.stdout)

    def test_an_update_keeps_them_where_they_were_recorded(self):
        (self.folder / "golden.toml").write_text("".join(f'[[network]]\nname = "{name}"\nartifact = "net.npz"\n' for name in ("with", "without")))
        shutil.copy(ARTIFACT, self.folder / "net.npz")
        golden = self.folder / "golden.json"
        self.good("golden", "record", self.folder, "--reason", "test")
        self.good("golden", "record", self.folder, "--reason", "test", "--only", "with", "--keep-tensors")
        before = json.loads(golden.read_text())["runs"]
        self.assertEqual([any("zlib" in o for o in before[name]["outputs"]) for name in sorted(before)], [True, False])
        done = self.good("golden", "update", self.folder, "--reason", "again")
        self.assertTrue(done.endswith(f"{golden}: 2 runs recorded\n"), done)
        self.assertEqual(json.loads(golden.read_text())["runs"], before)
        done = self.good("golden", "update", self.folder, "--reason", "again", "--only", "with")
        self.assertTrue(done.endswith(f"{golden}: 1 run recorded, 2 in the file\n"), done)
        self.assertEqual(json.loads(golden.read_text())["runs"], before)

    def test_an_accepted_timing_model_passes_in_every_report(self):
        (self.folder / "golden.toml").write_text('[[network]]\nname = "net"\nartifact = "net.npz"\n')
        shutil.copy(ARTIFACT, self.folder / "net.npz")
        self.good("golden", "record", self.folder, "--reason", "test")
        golden = self.folder / "golden.json"
        data = json.loads(golden.read_text())
        recorded, = data["runs"].values()
        self.assertGreater(min(recorded["memory"].values()), 0)
        self.assertGreater(min(recorded["bytes"].values()), 0)
        recorded["timing_model"] -= 1
        recorded["cycles"] += 1
        golden.write_text(json.dumps(data))
        badge, junit = self.folder / "badge.json", self.folder / "junit.xml"
        for options, code in (((), 1), (("--accept-timing-model",), 0)):
            done = run("golden", "check", self.folder, "--badge", badge, "--junit", junit, "--json", "--force", *options)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(json.loads(done.stdout)["failed"], code)
            self.assertEqual(json.loads(badge.read_text())["isError"], code == 1)
            self.assertEqual(xml.etree.ElementTree.parse(junit).getroot().get("failures"), str(code))
        recorded["cycles"] = "many"
        golden.write_text(json.dumps(data))
        name, = data["runs"]
        done = run("golden", "check", self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn(f"{golden}: not a golden: run '{name}': cycles must be", done.stderr)


class Models(WithFolder):
    def test_inputs_of_two_networks_lie_in_one_folder(self):
        for name in ("tiny_cnn", "ds_cnn"):
            self.good("model", name, "-o", self.folder / (name + ".tosa"), "--inputs", self.folder, "--size", "tiny")
        self.assertEqual(sorted(file.name for file in self.folder.glob("*.npy")), ["ds_cnn_input_0.npy", "tiny_cnn_input_0.npy"])

    def test_nothing_is_written_where_one_file_exists(self):
        (self.folder / "net_input_0.npy").touch()
        done = run("model", "tiny_cnn", "-o", self.folder / "net.tosa", "--inputs", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "net.tosa").exists())


class Words(unittest.TestCase):
    def test_a_wrong_word_gets_the_nearest(self):
        for call, answer in ((["repotr"], "'report'"), (["golden", "chek"], "'check'"), (["list", "systmes"], "'systems'")):
            done = run(*call)
            self.assertEqual(done.returncode, 2)
            self.assertIn(answer, done.stderr)

    def test_a_missing_word_gets_the_choice(self):
        for call, answer in ((["list"], "accelerators, commands"), (["golden"], "record, update, check"), (["completion"], "bash, zsh, fish")):
            done = run(*call)
            self.assertEqual(done.returncode, 2)
            self.assertIn(answer, done.stderr)

    def test_manual_and_completion_know_every_option(self):
        manual = run("man").stdout.replace("\\-", "-")
        fish = run("completion", "fish").stdout
        text = run("--help").stdout
        commands = re.findall(r"^  (\w+)  ", text, re.M)
        self.assertIn("sim", commands)
        self.assertNotIn("calibrate", commands)
        self.assertEqual(re.findall(r"^(\w+):$", text, re.M), ["Options", "Run", "Verify", "Analyse", "Board", "Other"])
        for command in commands:
            shown = run(command, "--help").stdout
            for word in shown.replace(",", " ").split():
                if word.startswith("--") and word.strip("-").replace("-", "").replace("_", "").isalnum():
                    self.assertIn(word, manual, command)
            self.assertIn(f"-a {command} ", fish)
        self.assertIn(" -s C ", fish)
        self.assertNotRegex(fish, r" -l .( |$)| -s \w\w")

    def test_bash_completes_words_options_and_choices(self):
        script = run("completion", "bash").stdout
        def complete(*words):
            ask = f"COMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}; _macaw 2>/dev/null; echo \"${{COMPREPLY[@]}}\""
            return subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True).stdout.split()
        self.assertEqual(complete("macaw", "gol"), ["golden"])
        self.assertEqual(complete("macaw", "golden", "ch"), ["check"])
        self.assertIn("--markdown", complete("macaw", "golden", "check", "--m"))
        self.assertEqual(sorted(complete("macaw", "sim", "--mode", "ti")), ["timed", "timing"])

    def test_version_names_commit_and_build(self):
        self.assertRegex(run("--version").stdout, r"^macaw \d+\.\d+\.\d+ \(.+, .+\)$")


if __name__ == "__main__":
    unittest.main()
