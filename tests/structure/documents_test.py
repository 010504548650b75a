#!/usr/bin/python3
"""check_documents.py on made-up documents: it finds what is not there, and nothing else."""
import pathlib
import tempfile
import unittest

import check_documents

FILES = {
    "sim/a/unit.cpp": "class AxiPort {};\nvoid run_it();\n",
    "sim/a/u85/unit.cpp": "namespace u85 { class MacArray {}; }\n",
    "include/macaw/x.hpp": "struct Tensor {};\n",
    "app/sim.cpp": 'app.add_subcommand("sim", ""); option("--mode");\n',
    "tests/tools/dev/check.cpp": 'app.add_subcommand("check", "");\n',
    "tests/unit/CMakeLists.txt": "macaw_test(base FOLDER base)\nadd_test(NAME unit.two COMMAND x)\n",
    "dev": "help() {\n  cat <<'TXT'\n  test [ARGS]  runs\n",
}
THERE = ["sim/a/unit.cpp", "sim/a/*.cpp", "sim/<folder>/unit.cpp", "sim/{a,a/u85}/unit.cpp", "sim/a", "macaw/x.hpp", "unit.cpp", "AxiPort",
         "u85::MacArray", "run_it()", "macaw sim net.npz --mode timed", "macaw-dev check DIR", "./dev test", "unit.base", "unit.two",
         "net.npz", "OFM_SCALE", "build/x.json", "a word", "report.json", "kernel"]
MISSING = ["sim/a/gone.cpp", "sim/b/*.cpp", "macaw/y.hpp", "gone.cpp", "AxiGate", "u65::MacArray", "run_that()", "macaw simulate net.npz",
           "macaw sim --speed", "macaw-dev sim", "./dev tests", "unit.three", "sim/{a,b}/unit.cpp"]


class Documents(unittest.TestCase):
    def test_what_is_not_there_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for file, text in FILES.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text)
            sources = check_documents.Sources(root)
            for span in THERE:
                self.assertEqual(list(check_documents.faults_of(span, sources)), [], span)
            for span in MISSING:
                self.assertTrue(list(check_documents.faults_of(span, sources)), span)
            (root / "README.md").write_text("[a](sim/a/unit.cpp) `unit.cpp`\n```\n`gone.cpp`\n```\n")
            self.assertEqual(check_documents.main(root), 0)
            (root / "README.md").write_text("[a](sim/a/gone.cpp)\n")
            self.assertEqual(check_documents.main(root), 1)


if __name__ == "__main__":
    unittest.main()
