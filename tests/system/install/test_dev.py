#!/usr/bin/python3
"""./dev and .ci/run with stand-ins for the programs that they call: what they print, and what becomes of a result."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
NINJA = """#!/bin/sh
case "$*" in *--build*) ;; *) mkdir -p build/release; exit ;; esac
echo "# ninja log v5" >build/release/.ninja_log
for step in $(seq 0 40); do echo "[$step/40, $step.250 s] Building x$step.o"; done
echo "x.cpp:1: warning: shown"
exit ${BUILD:-0}
"""
DEV = """#!/bin/sh
case $1 in
  fresh) echo "$FRESH"; exit $FRESH_STATUS ;;
  test) echo "100% tests passed, 0 tests failed out of 7" ;;
esac
"""


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)

    def program(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def run_in_folder(self, *command, **more):
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, **more)


class Dev(InFolder):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / "dev", self.folder / "dev")
        self.program("bin/dpkg-query", "#!/bin/sh\nprintf 'install ok installed'\n")
        self.program("bin/cmake", NINJA)
        self.program("build/release/macaw", "#!/bin/sh\necho runs\n")
        self.env = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}")

    def test_demo_in_a_log_announces_itself_and_reports_every_tenth(self):
        done = self.run_in_folder("./dev", "demo", env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertIn("minutes of processor time", " ".join(lines[:2]))
        built = [line for line in lines if line.startswith("== Built ") and "steps" in line]
        self.assertEqual([line.split()[2] for line in built], [str(percent) for percent in range(10, 101, 10)])
        self.assertEqual(built[0], "== Built 10 % of 40 steps after 4 s")
        self.assertIn("x.cpp:1: warning: shown", lines)
        self.assertFalse([line for line in lines if ".o" in line])
        self.assertLess(lines.index(built[-1]), lines.index("runs"))

    def test_demo_ends_where_the_build_fails(self):
        done = self.run_in_folder("./dev", "demo", env=dict(self.env, BUILD="1"))
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("runs", done.stdout.splitlines())

    def test_fresh_without_root_is_one_line_and_a_status_of_its_own(self):
        user = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        done = self.run_in_folder("./dev", "fresh", env=self.env, **user)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (3, "", "dev: this is not a fresh machine, and a fresh one cannot be made: root is needed\n"))


class Ci(InFolder):
    def ci(self, status, printed, **more):
        shutil.rmtree(self.folder / ".ci", ignore_errors=True)
        shutil.copytree(ROOT / ".ci", self.folder / "checkout/.ci")
        self.program("checkout/dev", DEV)
        env = {key: value for key, value in os.environ.items() if key not in ("MACAW_CORPUS", "MACAW_CORPUS_ARCHIVES")}
        done = self.run_in_folder("bash", "checkout/.ci/run", env=dict(env, FRESH=printed, FRESH_STATUS=str(status), **more))
        shutil.rmtree(self.folder / "checkout")
        return done.returncode, done.stdout.splitlines()

    def test_a_fresh_machine_counts_its_tests_and_its_corpus(self):
        printed = "90% tests passed, {} tests failed out of 10\n5 passed, {} failed\n== fresh machine: ./dev test: passed, 1 s"
        self.assertEqual(self.ci(0, printed.format(0, 0))[0], 0)
        self.assertEqual(self.ci(0, printed.format(0, 0))[1][-1], "15 passed, 0 failed")
        self.assertEqual((self.ci(1, printed.format(2, 0))[0], self.ci(1, printed.format(2, 0))[1][-1]), (1, "13 passed, 2 failed"))
        self.assertEqual((self.ci(1, printed.format(0, 3))[0], self.ci(1, printed.format(0, 3))[1][-1]), (1, "15 passed, 3 failed"))
        self.assertEqual(self.ci(1, printed.format(0, 0))[1][-1], "15 passed, 1 failed")  # the demo alone failed
        self.assertEqual(self.ci(1, "killed")[1][-1], "0 passed, 2 failed")

    def test_without_a_fresh_machine_it_goes_on_here(self):
        code, lines = self.ci(3, "dev: this is not a fresh machine, and a fresh one cannot be made: root is needed")
        self.assertEqual((code, lines[-1]), (0, "7 passed, 0 failed"))
        self.assertEqual(sum("not a fresh machine" in line for line in lines), 1)

    def test_a_program_that_was_not_built_is_a_failure_where_there_is_a_corpus(self):
        (self.folder / "corpus/weights").mkdir(parents=True)
        code, lines = self.ci(3, "dev: this is not a fresh machine", MACAW_CORPUS=str(self.folder / "corpus"))
        self.assertEqual((code, lines[-1]), (1, "7 passed, 2 failed"))
        self.assertEqual([line for line in lines if line.endswith("is not there")],
                         [f"ci: build/release/{program} is not there" for program in ("macaw", "macaw-dev")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
