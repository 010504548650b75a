#!/usr/bin/python3
"""ci/action.yml and ci/gitlab.yml: their steps are run as a runner would, on goldens that agree and on one that moved."""
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
import xml.etree.ElementTree
import zipfile

import yaml

CI = pathlib.Path("ci").resolve()
MACAW = os.environ["MACAW"]
TRACES = pathlib.Path("traces/tiny_cnn").resolve()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.goldens = self.folder / "goldens"
        self.goldens.mkdir()
        shutil.copy(TRACES / "ethos-u55-128/tiny_cnn.npz", self.goldens / "net.npz")
        (self.goldens / "golden.toml").write_text('[[network]]\nname = "net"\nartifact = "net.npz"\n')
        subprocess.run([MACAW, "golden", "record", self.goldens, "--reason", "test"], check=True, capture_output=True)

    def move(self):
        shutil.copy(TRACES / "ethos-u65-512/tiny_cnn.npz", self.goldens / "net.npz")

    def run_line(self, line, env):
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line], cwd=self.folder, env={**os.environ, **env},
                              capture_output=True, text=True)

    def results(self, out):
        self.assertTrue((out / "summary.md").read_text())
        json.loads((out / "benchmark.json").read_text())
        suites = xml.etree.ElementTree.parse(out / "junit.xml").getroot()
        return int(suites.get("failures")), len(json.loads((out / "code_quality.json").read_text()))

    def github(self, **given):
        action = yaml.safe_load((CI / "action.yml").read_text())
        inputs = {name: given.get(name, row.get("default")) for name, row in action["inputs"].items()}
        self.assertNotIn(None, inputs.values())
        fill = lambda text: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], text)
        summary = self.folder / "step_summary.md"
        self.assertEqual(action["runs"]["using"], "composite")
        for step in action["runs"]["steps"]:
            self.assertEqual(step["shell"], "bash")
            env = {name: fill(value) for name, value in step["env"].items()}
            self.assertNotIn("${{", fill(step["run"]) + "".join(env.values()))
            done = self.run_line(fill(step["run"]), {**env, "GITHUB_ACTION_PATH": str(CI), "GITHUB_STEP_SUMMARY": str(summary)})
            if done.returncode != 0:
                break
        return done, self.folder / fill(action["outputs"]["path"]["value"]), summary

    def test_the_github_action(self):
        done, out, summary = self.github(folders="goldens", macaw=MACAW)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.results(out), (0, 0))
        self.move()
        done, out, summary = self.github(folders="goldens", macaw=MACAW)
        self.assertEqual(done.returncode, 1, done.stderr)
        failed, issues = self.results(out)
        self.assertGreater(failed, 0)
        self.assertEqual(issues, failed)
        self.assertTrue(summary.read_text().endswith((out / "summary.md").read_text()))

    def wheel(self):
        """A wheel's file as far as ci/golden needs it: the program in its place."""
        file = self.folder / "macaw-0.1.0-py3-none-any.whl"
        with zipfile.ZipFile(file, "w") as wheel:
            wheel.writestr("macaw/bin/macaw", f'#!/bin/sh\nexec "{MACAW}" "$@"\n')
        return file

    def test_the_program_of_a_wheel(self):
        wheel = self.wheel()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(self.folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for number, given in enumerate((str(wheel), f"http://127.0.0.1:{server.server_address[1]}/{wheel.name}")):
            done, out, _ = self.github(folders="goldens", wheel=given, output=f"out{number}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads((out / "badge.json").read_text())["message"], "1 passed")
            self.assertEqual(len(list((out / ".macaw").glob("*/macaw/bin/macaw"))), 1)

    def test_options_reach_the_check(self):
        done, _, _ = self.github(folders="goldens", macaw=MACAW, options="--no-such-option")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_the_gitlab_job(self):
        job = yaml.safe_load((CI / "gitlab.yml").read_text())[".macaw-golden"]
        env = {**job["variables"], "MACAW_SOURCES": str(CI.parent), "MACAW": MACAW}
        done = [self.run_line(line, env) for line in job["script"]]
        self.assertEqual([d.returncode for d in done], [0], done[0].stderr)
        for path in job["artifacts"]["paths"] + list(job["artifacts"]["reports"].values()):
            self.assertTrue((self.folder / path.replace("$MACAW_OUTPUT", env["MACAW_OUTPUT"])).exists(), path)
        self.move()
        self.assertEqual([self.run_line(line, env).returncode for line in job["script"]], [1])
        self.assertGreater(self.results(self.folder / env["MACAW_OUTPUT"])[0], 0)


if __name__ == "__main__":
    unittest.main()
