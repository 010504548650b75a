"""README and docs as a reader takes them: commands run as they stand and print what is stated."""
import ast
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

MACAW = pathlib.Path(sys.argv[1]).resolve()
MODULES = pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path.cwd()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
TRACE = ROOT / "traces/tiny_cnn"
SEEDS = ROOT / "tests/fuzz/seeds"


def blocks(page, language=""):
    """The lines of each fenced block of `language`."""
    return [text.splitlines() for text in re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)]


def shell(command, folder):
    """(exit code, what it prints) of a line for bash, with macaw first on PATH."""
    env = {**os.environ, "PATH": f"{MACAW.parent}:/usr/bin:/bin", "PYTHONPATH": str(MODULES)}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def commands(lines):
    """(command, stated output) of the lines of a console block: `$` starts a command, `>` goes on with it."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> "):
            found[-1] = (found[-1][0] + "\n" + line[2:], [])
        else:
            found[-1][1].append(line)
    return found


def says(stated, printed):
    """Whether `printed` is what is stated, in which a line `...` stands for any lines."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in stated)
    return re.fullmatch(pattern, printed) is not None


def run_cell(source, names):
    """Output of a notebook cell: printed text and the value of its last expression."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return [text for text in (printed.getvalue(), "" if value is None else repr(value)) if text]


class Documents(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="macaw-docs."))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_consoles_print_what_is_stated(self):
        count = 0
        for page in PAGES:
            folder = self.folder / page.stem
            folder.mkdir(exist_ok=True)
            if not (folder / "examples").exists():
                (folder / "examples").symlink_to(ROOT / "examples")
            for lines in blocks(page, "console"):
                for command, stated in commands(lines):
                    code, printed = shell(command, folder)
                    self.assertEqual(0, code, f"{page.name}: {command}\n{printed}")
                    self.assertTrue(says(stated, printed), f"{page.name}: {command}\nprints\n{printed}")
                    count += 1
        self.assertGreater(count, 15)

    def files_of_examples(self):
        """Files that the examples of README and CLI.md assume, under the names that they use."""
        at = {"net.tosa": TRACE / "tiny_cnn.tosa", "net_vela.npz": TRACE / "ethos-u55-128/tiny_cnn.npz",
              "net.tflite": SEEDS / "tflite/conv_softmax.tflite", "net_vela.tflite": SEEDS / "vela_tflite/one.tflite"}
        for name, source in at.items():
            shutil.copy(source, self.folder / name)
        shutil.copytree(ROOT / "traces", self.folder / "goldens")
        for name in ("a.npy", "b.npy"):
            np.save(self.folder / name, np.zeros(4, np.int8))
        (self.folder / "desc.json").write_text(json.dumps({
            "tosa_file": "net.tosa", "ifm_name": ["x"], "ifm_file": ["x.npy"], "ofm_name": ["y"], "ofm_file": ["y"],
            "meta": {"compliance": {"version": "0.1", "tensors": {"y": {"mode": "EXACT", "data_type": "INT8"}}}}}))
        (self.folder / "study.toml").write_text(
            '[[network]]\ngraph = "net.tosa"\ncompile = "macaw"\n[axes]\naccelerators = ["ethos-u55-128"]\n')
        for name in ("before", "after"):
            code, printed = shell(f"macaw sim net_vela.npz --mode timing --output-dir {name} && mv {name}/report.json {name}.json", self.folder)
            self.assertEqual(0, code, printed)

    def test_commands_of_readme_and_of_the_reference_run(self):
        self.files_of_examples()
        inputs = {"net.tosa": np.load(TRACE / "input_0.npy"), "net.tflite": np.zeros((1, 4, 4, 2), np.int8),
                  "net_vela.tflite": np.zeros((1, 4), np.int8)}
        lines = [line.split("  #")[0].strip() for page in ("README.md", "docs/CLI.md") for block in blocks(ROOT / page)
                 for line in block if line.startswith("macaw ")]
        self.assertGreater(len(lines), 15)
        for line in lines:
            for network, x in inputs.items():
                if network in line.split():
                    np.save(self.folder / "x.npy", x)
            if "--output-dir out" in line or "-o out" in line:
                shutil.rmtree(self.folder / "out", ignore_errors=True)
            code, printed = shell(line, self.folder)
            self.assertEqual(0, code, f"{line}\n{printed}")

    def test_the_picture_of_the_report_is_current(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "docs/images/draw_report.py", MACAW, "--check"], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)

    def test_readme_is_short(self):
        self.assertLess(len((ROOT / "README.md").read_text().splitlines()), 120)

    def test_commands_of_helps_examples_exist(self):
        """Every command of an example in --help names options that its subcommand has."""
        count = 0
        for name in re.findall(r"^  (\w+)  ", shell("macaw --help", self.folder)[1], re.M):
            text = shell(f"macaw {name} --help", self.folder)[1]
            for call in re.findall(r"\bmacaw ([a-z_]+)([^\n&|]*)", text[text.rindex("\n\n"):]):
                known = shell(f"macaw {call[0]} --help", self.folder)[1]
                inner = re.match(r" ([a-z]+)\b", call[1])
                if inner and "SUBCOMMAND" in known:
                    known += shell(f"macaw {call[0]} {inner[1]} --help", self.folder)[1]
                for option in re.findall(r"(?<=\s)--?[a-zA-Z][\w-]*", call[1]):
                    self.assertRegex(known, rf"(?m)^ .*{option}\b", f"macaw {name} --help: {''.join(call)}")
                    count += 1
        self.assertGreater(count, 20)

    def test_python_of_readme_runs(self):
        self.files_of_examples()
        code = [block for block in blocks(ROOT / "README.md") if block[0].startswith("import macaw")]
        self.assertEqual(1, len(code))
        script = "import numpy; x = numpy.load(%r)\n%s\nassert c.equal" % (str(TRACE / "input_0.npy"), "\n".join(code[0]))
        (self.folder / "script.py").write_text(script)
        status, printed = shell(f"{sys.executable} script.py", self.folder)
        self.assertEqual(0, status, printed)

    def test_notebooks_show_what_their_cells_compute(self):
        notebooks = sorted((ROOT / "examples").glob("*.ipynb"))
        self.assertTrue(notebooks)
        sys.path.insert(0, str(MODULES))
        os.environ["PATH"] = f"{MACAW.parent}:{os.environ['PATH']}"
        for notebook in notebooks:
            names = {}
            for cell in json.loads(notebook.read_text())["cells"]:
                if cell["cell_type"] == "code":
                    stated = ["".join(output.get("text") or output["data"]["text/plain"]) for output in cell["outputs"]]
                    self.assertEqual(stated, run_cell("".join(cell["source"]), names), f"{notebook.name}: {cell['source'][0]}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
