#!/usr/bin/python3
"""macaw reduce: planted faults of a compiler become networks of at most three operators, and what its calls promise.

    test_reduce.py            all tests; the planted faults with their figures on standard output
"""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

MACAW, COMPILER = os.environ["MACAW"], os.environ["FAULTY_COMPILER"]
MOST_OPERATORS, MOST_SECONDS, LEAST_OPERATORS = 3, 120, 60
FAULTS = [
    ("depthwise-of-stride-2", "mobilenet_v2"),
    ("clamp", "mobilenet_v2"),
    ("convolution-with-rescale-and-clamp", "mobilenet_v2"),
    ("sum-of-two-tensors", "mobilenet_v2"),
    ("last-channel-of-convolutions", "resnet50"),
    ("average-pool", "resnet50"),
    ("scale-of-one-channel", "resnet50"),
    ("table", "lstm"),
    ("start-of-slices", "lstm"),
    ("product", "gru"),
    ("greatest-value", "bert_tiny"),
]


def run(*arguments, **more):
    return subprocess.run([MACAW, *map(str, arguments)], capture_output=True, text=True, **more)


def check_of(fault):
    return f'"$FAULTY_COMPILER" {fault} {{}} {{}}.npz && "$MACAW" compare {{}} {{}}.npz --inputs 2'


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, name):
        file = self.folder / f"{name}.tosa"
        if not file.exists():
            done = run("model", name, "--size", "tiny", "-o", file)
            self.assertEqual(done.returncode, 0, done.stderr)
        return file

    def reduce(self, network, check, output, *more, **how):
        return run("reduce", network, "--check", check, "-o", self.folder / output, *more, **how)


class PlantedFaults(InFolder):
    def test_at_most_three_operators_are_left(self):
        for fault, model in FAULTS:
            with self.subTest(fault=fault, model=model):
                start = time.monotonic()
                done = self.reduce(self.model(model), check_of(fault), fault, "-j", "2")
                seconds = time.monotonic() - start
                self.assertEqual(done.returncode, 0, done.stderr)
                left, _, before = done.stdout.split()[:3]
                print(f"{fault} in {model}: {done.stdout.splitlines()[0]}; {seconds:.1f} s", flush=True)
                self.assertGreaterEqual(int(before), LEAST_OPERATORS)
                self.assertLessEqual(int(left), MOST_OPERATORS)
                self.assertLess(seconds, MOST_SECONDS)
                # The small network fails in the same way, by the command that README.md names.
                text = (self.folder / fault / "README.md").read_text()
                command = text.split("```sh\n")[1].split("\n```")[0]
                again = subprocess.run(["/bin/sh", "-c", command], cwd=self.folder / fault, capture_output=True)
                self.assertEqual(again.returncode, 1)


class Calls(InFolder):
    CHECK = check_of("average-pool")

    def test_the_result_is_the_same_with_any_number_of_jobs(self):
        network = self.model("tiny_cnn")
        results = []
        for jobs in (1, 2, 5):
            done = self.reduce(network, self.CHECK, f"jobs{jobs}", "-j", jobs)
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append((self.folder / f"jobs{jobs}" / "network.tosa").read_bytes())
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])
        self.assertEqual(sorted(p.name for p in (self.folder / "jobs1").iterdir()),
                         ["README.md", "input_0.npy", "network.tosa"])

    def test_a_tflite_network_stays_one(self):
        corpus = os.environ.get("MACAW_CORPUS")
        if not corpus:
            self.skipTest("MACAW_CORPUS is not set")
        network = pathlib.Path(corpus) / "npu/MyMNISTModel_int8/model.tflite"
        done = self.reduce(network, check_of("last-channel-of-convolutions"), "out", "-j", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(int(done.stdout.split()[0]), MOST_OPERATORS)
        self.assertTrue((self.folder / "out" / "network.tflite").exists())

    def test_nothing_is_written_beside_the_file(self):
        network = self.model("tiny_cnn")
        before = sorted(self.folder.iterdir())
        done = self.reduce(network, self.CHECK, "out", "-j", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), sorted([*before, self.folder / "out"]))

    def test_the_text_has_to_stay(self):
        network = self.model("tiny_cnn")
        # Fails for every network; the text is there while it has a convolution.
        check = f'"$MACAW" tosa --convert {{}}.mlir {{}} >&2; grep -o tosa.conv2d {{}}.mlir; exit 9'
        done = self.reduce(network, check, "out", "--match", "tosa.conv2d")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split()[0], "1")
        done = self.reduce(network, check, "other", "--match", "no such text")
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not contain 'no such text'", done.stderr)

    def test_a_command_that_does_not_fail_or_end_is_an_error(self):
        network = self.model("add")
        for check, message in (("true {}", "its exit code is 0"), ("sleep 60; exit 1; {}", "did not end within 1 s"),
                               ("no-such-program {}", "cannot run the command"), ("false", "does not read the network")):
            with self.subTest(check=check):
                done = self.reduce(network, check, "out", "--timeout", "1")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual(list((self.folder / "out").glob("*")), [])

    def test_names_of_files_do_not_reach_the_shell(self):
        odd = self.folder / "a'; touch marker; '$(touch marker) b.tosa"
        odd.write_bytes(self.model("add").read_bytes())
        done = self.reduce(odd, "test -s {} && exit 7", "out", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.folder / "marker").exists())
        self.assertIn("exit code 7", (self.folder / "out" / "README.md").read_text())

    def test_an_interrupted_search_leaves_the_smallest_network_so_far(self):
        network = self.model("mobilenet_v2")
        process = subprocess.Popen([MACAW, "reduce", network, "--check", "sleep 0.3; test -s {}; exit 1", "-o",
                                    self.folder / "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("interrupted", output)
        self.assertTrue((self.folder / "out" / "network.tosa").exists())
        self.assertEqual(list(pathlib.Path(tempfile.gettempdir()).glob("macaw-reduce-*/0")), [])


class Reproducers(InFolder):
    FAULT = "last-channel-of-convolutions"

    def test_a_wrong_operator_shows_the_difference_alone(self):
        network, compiled = self.model("tiny_cnn"), self.folder / "wrong.npz"
        subprocess.run([COMPILER, self.FAULT, network, compiled], check=True)
        for command, place in (("prove", "prove/0"), ("compare", "compare")):
            with self.subTest(command=command):
                done = run(command, network, compiled, "--reproduce", self.folder / command)
                self.assertEqual(done.returncode, 1, done.stderr)
                alone = self.folder / place
                inputs = [word for file in sorted(alone.glob("input_*.npy")) for word in ("--input", file)]
                self.assertTrue(inputs)
                self.assertTrue((alone / "expected_0.npy").exists())
                self.assertIn("CONV2D", (alone / "README.md").read_text())
                graph = alone / "network.tosa"
                for faulty, code in ((True, 1), (False, 0)):
                    again = alone / "again.npz"
                    if faulty:
                        subprocess.run([COMPILER, self.FAULT, graph, again], check=True)
                    else:
                        self.assertEqual(run("compile", graph, "-a", "ethos-u55-128", "-o", again, "--force").returncode, 0)
                    done = run("compare", graph, again, *inputs)
                    self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                done = run(command, network, compiled, "--reproduce", self.folder / command)
                self.assertEqual(done.returncode, 2, done.stderr)  # the files are there


if __name__ == "__main__":
    unittest.main()
