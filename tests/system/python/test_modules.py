#!/usr/bin/python3
"""macaw and tosa_reference_model from Python, on the bundled network and on graphs of the program's own writing."""
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import numpy as np

import macaw
import tosa_reference_model

TRACE = pathlib.Path("traces/tiny_cnn")
GRAPH = TRACE / "tiny_cnn.tosa"
ARTIFACT = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
X = np.load(TRACE / "input_0.npy")
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")) / "tosa"
Y = np.load(TRACE / "ethos-u55-128" / "output_0.npy")


class Tosa(unittest.TestCase):
    def test_outputs(self):
        result = macaw.tosa.run(GRAPH.read_bytes(), [X])
        self.assertEqual(result.status, "VALID")
        self.assertEqual(result.outputs[0].dtype, np.int8)
        np.testing.assert_array_equal(result.outputs[0].ravel(), Y.ravel())
        np.testing.assert_array_equal(result[result.names[0]], result.outputs[0])
        self.assertEqual(result.types, ["INT8"])
        with self.assertRaises(KeyError):
            result["no such output"]

    def test_inputs_by_name_and_graph_by_path(self):
        by_list = macaw.tosa.run(GRAPH, [X], threads=1)
        by_name = macaw.tosa.run(str(GRAPH), {"image": X}, threads=2)
        np.testing.assert_array_equal(by_list.outputs[0], by_name.outputs[0])
        with self.assertRaises(macaw.Error) as caught:
            macaw.tosa.run(GRAPH, {"picture": X})
        self.assertEqual(caught.exception.code, "mismatch")

    def test_any_layout_of_an_array(self):
        backwards = np.ascontiguousarray(X[:, ::-1])[:, ::-1]
        self.assertFalse(backwards.flags.c_contiguous)
        np.testing.assert_array_equal(macaw.tosa.run(GRAPH, [backwards]).outputs[0],
                                      macaw.tosa.run(GRAPH, [X]).outputs[0])

    def test_intermediates(self):
        result = macaw.tosa.run(GRAPH, [X], intermediates=True)
        self.assertIn(result.names[0], result.intermediates)
        np.testing.assert_array_equal(result.intermediates[result.names[0]], result.outputs[0])

    def test_a_graph_that_is_run_again(self):
        network = macaw.tosa.load(GRAPH)
        self.assertEqual(network.inputs, [("image", X.shape)])
        np.testing.assert_array_equal(network.run(X)[0].ravel(), Y.ravel())
        sets = np.random.default_rng(2).integers(-128, 128, (5, *X.shape[1:]), dtype=np.int8)
        expected = np.concatenate([macaw.tosa.run(GRAPH, [x]).outputs[0] for x in sets])
        for threads in (1, 3):
            np.testing.assert_array_equal(network.run(sets, threads=threads)[0], expected)
        with self.assertRaises(macaw.tosa.VerdictError):
            macaw.tosa.load(GRAPH, profiles="PRO-FP").run(X)

    def test_profiles_and_extensions(self):
        for profiles, extensions in (("PRO-INT", ()), (["PRO-INT", "PRO-FP"], ["EXT-BF16"]), ("pro-int", "INT16,INT4")):
            self.assertEqual(macaw.tosa.run(GRAPH, [X], profiles=profiles, extensions=extensions).status, "VALID")
        with self.assertRaises(macaw.tosa.VerdictError) as caught:
            macaw.tosa.run(GRAPH, [X], profiles="PRO-FP")
        self.assertEqual(caught.exception.findings[0]["rule"], "CONV2D.profile")
        for profiles, extensions in (("PRO-FAST", ()), ("EXT-BF16", ()), ("PRO-INT", "PRO-FP"), ((), "EXT-BF16")):
            with self.assertRaises(macaw.Error) as caught:
                macaw.tosa.run(GRAPH, [X], profiles=profiles, extensions=extensions)
            self.assertEqual(caught.exception.code, "usage")

    def test_custom_operators(self):
        macaw.tosa.load_custom_ops(os.environ["MACAW_CUSTOM_OP_EXAMPLE"])
        with self.assertRaises(macaw.Error) as caught:
            macaw.tosa.load_custom_ops(GRAPH)
        self.assertEqual(caught.exception.code, "invalid_file")

    def test_a_subinterpreter_is_refused_at_once(self):
        script = """
import _xxsubinterpreters as interpreters
if {before}: import macaw
for _ in range(2):
    other = interpreters.create()
    try:
        interpreters.run_string(other, "import macaw")
    except Exception as error:
        print(error)
    interpreters.destroy(other)
import macaw
print(macaw.sim.run({artifact!r}, [], mode="timing").report["cycles"] > 0)
"""
        for before in (False, True):
            done = subprocess.run([sys.executable, "-c", script.format(before=before, artifact=str(ARTIFACT))], capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("main interpreter only"), 2, done.stdout)
            self.assertTrue(done.stdout.endswith("True\n"), done.stdout)

    def test_wrong_calls(self):
        for inputs in ([], [X, X], [X[:1, :1]], [X.astype(np.float32)], [X.astype(np.int16)]):
            with self.assertRaises(macaw.Error) as caught:
                macaw.tosa.run(GRAPH, inputs)
            self.assertEqual(caught.exception.code, "mismatch")
        for wrong, flag in ((X.view(np.uint8), "reinterpret"), (X.reshape(1, 3, 32, 32), "reshape")):
            for run in (lambda **more: macaw.tosa.run(GRAPH, [wrong], **more).outputs[0],
                        lambda **more: macaw.compare(GRAPH, ARTIFACT, [wrong], **more).equal):
                with self.assertRaisesRegex(macaw.Error, "expected") as caught:
                    run()
                self.assertEqual(caught.exception.code, "mismatch")
                run(**{flag: True})
        flags = np.ones(X.shape, bool)  # a raw npz states no types, but the NPU has no flags
        for run in (lambda **more: macaw.sim.run(ARTIFACT, [flags], mode="functional", **more), macaw.sim.load(ARTIFACT).run):
            with self.assertRaisesRegex(macaw.Error, "is BOOL, expected INT8") as caught:
                run() if run.__name__ == "<lambda>" else run([flags])
            self.assertEqual(caught.exception.code, "mismatch")
        macaw.sim.run(ARTIFACT, [flags], mode="functional", reinterpret=True)
        macaw.sim.run(ARTIFACT, [X.view(np.uint8)], mode="functional")
        for nonsense in ([None], [[[1, 2], [3]]], ["text"], [{}]):
            with self.assertRaises(macaw.Error) as caught:
                macaw.tosa.run(GRAPH, nonsense)
            self.assertIn(caught.exception.code, ("mismatch", "unsupported"))
            with self.assertRaises(macaw.Error):
                macaw.sim.run(ARTIFACT, nonsense, mode="functional")
        for inputs in (5, None, "text", b"bytes", {0: X}, {"\ud800": X}):
            for run in (lambda inputs: macaw.tosa.run(GRAPH, inputs), lambda inputs: macaw.sim.run(ARTIFACT, inputs),
                        macaw.tosa.load(GRAPH).run, macaw.sim.load(ARTIFACT).run):
                with self.assertRaisesRegex(TypeError, "must be"):
                    run(inputs)
        with self.assertRaisesRegex(TypeError, "must be text"):
            macaw.tosa.run(GRAPH, [X], variables={0: X})
        with self.assertRaises(ValueError):
            macaw.tosa.run(GRAPH, [X], threads=-1)
        with self.assertRaises(macaw.Error) as caught:
            macaw.tosa.run(b"no graph at all, but some bytes", [X])
        self.assertEqual(caught.exception.code, "invalid_file")
        with self.assertRaises(macaw.Error) as caught:
            macaw.tosa.run("no/such/file.tosa", [X])
        self.assertEqual(caught.exception.code, "io")
        with self.assertRaises(ValueError):
            macaw.tosa.run(GRAPH, [X], level="9K")
        with self.assertRaises(ValueError):
            macaw.tosa.run(GRAPH, [X], bounds=True)


class Sim(unittest.TestCase):
    def test_modes(self):
        for mode in ("functional", "timed"):
            result = macaw.sim.run(ARTIFACT, [X], mode=mode)
            np.testing.assert_array_equal(result.outputs[0].ravel(), Y.ravel())
            np.testing.assert_array_equal(result[result.names[0]], result.outputs[0])
            self.assertEqual(result.report["accelerator"], "ethos-u55-128")
        self.assertGreater(result.report["cycles"], 0)
        self.assertEqual(result.report["pmu"]["ETHOSU_PMU_NPU_ACTIVE"], result.report["cycles"])
        self.assertEqual(sum(layer["exclusive"] for layer in result.layers), result.report["cycles"])
        moved = sum(count for layer in result.layers for key, count in layer.items() if key.startswith("bytes_"))
        self.assertEqual(moved, sum(m["bytes"] for o in result.report["operations"] for m in o["memory"]))
        timing = macaw.sim.run(ARTIFACT.read_bytes(), [X], mode="timing")
        self.assertEqual(timing.report["cycles"], result.report["cycles"])
        self.assertEqual(timing.outputs, [])

    def test_a_network_that_is_run_again(self):
        network = macaw.sim.load(ARTIFACT)
        np.testing.assert_array_equal(network.run(X)[0].ravel(), Y.ravel())
        np.testing.assert_array_equal(network.run([X], threads=2)[0].ravel(), Y.ravel())
        sets = np.random.default_rng(2).integers(-128, 128, (5, *X.shape[1:]), dtype=np.int8)
        expected = np.concatenate([macaw.sim.run(ARTIFACT, [x], mode="functional").outputs[0] for x in sets])
        for batch in (sets, sets[:, np.newaxis]):
            for threads in (1, 3):
                np.testing.assert_array_equal(network.run(batch, threads=threads)[0], expected)
        np.testing.assert_array_equal(network.run(sets[:1])[0], expected[:1])
        for wrong in ([], [X, X], X[:1, :1], sets[:, :1]):
            with self.assertRaises(macaw.Error) as caught:
                network.run(wrong)
            self.assertEqual(caught.exception.code, "mismatch")
        with self.assertRaises(ValueError):
            network.run(X, threads=-1)

    def test_a_signal_ends_a_run_that_would_last_for_days(self):
        def stop(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, stop)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        for mode in ("functional", "timed"):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with self.assertRaises(KeyboardInterrupt):
                macaw.sim.run(ARTIFACT, [X], mode=mode, steps=2**31)

    def test_threads_have_simulations_of_their_own(self):
        artifacts = [ARTIFACT, TRACE / "ethos-u85-256/tiny_cnn.npz"] * 2
        alone = [macaw.sim.run(artifact, [X]) for artifact in artifacts[:2]] * 2
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda artifact: macaw.sim.run(artifact, [X]), artifacts))
        for one, other in zip(alone, together):
            self.assertEqual(one.report, other.report)
            np.testing.assert_array_equal(one.outputs[0], other.outputs[0])

    def test_same_report_as_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["MACAW"], "sim", ARTIFACT, "--input", TRACE / "input_0.npy", "--output-dir", folder],
                           check=True, capture_output=True)
            written = json.loads((pathlib.Path(folder) / "report.json").read_text())
        self.assertEqual(written["origin"].pop("command"), "macaw sim tiny_cnn.npz --mode timed")
        self.assertEqual(written.pop("origin")["artifact_bytes"], ARTIFACT.stat().st_size)  # the module names no call
        self.assertEqual(macaw.sim.run(ARTIFACT, [X]).report, written)

    def test_clock(self):
        of_the_system, own = (macaw.sim.run(ARTIFACT, [X], **more).report for more in ({}, {"clock": 250e6}))
        self.assertEqual((own["clock_hz"], own["cycles"]), (250e6, of_the_system["cycles"]))
        self.assertEqual(own["milliseconds"], 2 * of_the_system["milliseconds"])

    def test_wrong_calls(self):
        for change, code in (({"accelerator": "ethos-u65-256"}, "mismatch"), ({"accelerator": "ethos-u99"}, "usage"),
                             ({"method": "forward"}, "usage"), ({"system": "no-such-system"}, "usage"), ({"params": {"no_such": 1}}, "usage"),
                             ({"clock": 1e13}, "usage"), ({"clock": 0}, "usage"), ({"clock": float("nan")}, "usage")):
            with self.assertRaises(macaw.Error) as caught:
                macaw.sim.run(ARTIFACT, [X], **change)
            self.assertEqual(caught.exception.code, code)
        with self.assertRaises(macaw.Error):
            macaw.sim.run(b"not an artifact", [X])
        with self.assertRaises(macaw.Error):
            macaw.sim.run(ARTIFACT, [])
        with self.assertRaises(ValueError):
            macaw.sim.run(ARTIFACT, [X], mode="fast")


class Arguments(unittest.TestCase):
    def test_names_of_files_are_those_of_the_system(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        strange = folder / os.fsdecode(b"gr\xfcn.npz")
        strange.write_bytes(ARTIFACT.read_bytes())
        self.assertEqual(macaw.sim.run(strange, [X], mode="functional").names, ["output_0"])
        for name in (f"{ARTIFACT}\0.npz", "\ud800.npz", folder / os.fsdecode(b"\xff")):
            for run in (lambda: macaw.sim.run(name, [X]), lambda: macaw.sim.load(name), lambda: macaw.tosa.run(name, [X]),
                        lambda: macaw.tosa.load_custom_ops(name), lambda: macaw.tflite.load(name),
                        lambda: macaw.sim.run(ARTIFACT, [X], system=name), lambda: macaw.compare(GRAPH, name)):
                with self.assertRaises(macaw.Error) as caught:
                    run()
                self.assertIn(caught.exception.code, ("io", "usage", "invalid_file"))

    def test_what_is_no_argument_of_its_kind_is_named_and_not_shown_whole(self):
        network, artifact = macaw.sim.load(ARTIFACT), ARTIFACT.read_bytes()
        for run, error, words in ((lambda: macaw.sim.run(artifact, [X], accelerator=None), TypeError, "accelerator must be text"),
                                  (lambda: macaw.sim.load(artifact, method=3), TypeError, "method must be text"),
                                  (lambda: macaw.sim.run(artifact, [X], steps=1.5), TypeError, "steps must be a whole number"),
                                  (lambda: macaw.sim.run(artifact, [X], steps=2**32), ValueError, "steps must be 1 to"),
                                  (lambda: macaw.sim.run(artifact, [X], params={1: 2}), TypeError, "params must be text"),
                                  (lambda: macaw.compare(GRAPH, artifact, seed=-1), ValueError, "seed must be 0 to"),
                                  (lambda: macaw.tosa.run(GRAPH, [X], profiles=[1]), TypeError, "profile must be text"),
                                  (lambda: macaw.tosa.run(GRAPH, [X], max_work=0), ValueError, "max_work must be 1 to"),
                                  (lambda: network.run(X, threads="2"), TypeError, "threads must be a whole number")):
            with self.assertRaisesRegex(error, words) as caught:
                run()
            self.assertLess(len(str(caught.exception)), 200)

    def test_an_array_of_another_library_is_taken(self):
        class Other:
            def __array__(self, *_, **__):
                return X
        network = macaw.sim.load(ARTIFACT)
        for array in (Other(), memoryview(X)):
            np.testing.assert_array_equal(network.run(array)[0].ravel(), Y.ravel())


class Shown(unittest.TestCase):
    def test_results_are_shown_in_a_few_lines(self):
        for result, parts in ((macaw.sim.run(ARTIFACT, [X]), ("ethos-u55-128", "cycles", "7 layers", "int8 [1, 10]")),
                              (macaw.sim.run(ARTIFACT, [X], mode="functional"), ("mode functional", "int8 [1, 10]")),
                              (macaw.tosa.run(GRAPH, [X]), ("VALID", "int8 [1, 10]"))):
            text = repr(result)
            self.assertLessEqual(len(text.splitlines()), 5, text)
            self.assertLess(len(text), 600)
            for part in parts:
                self.assertIn(part, text)


    def test_a_notebook_shows_tables(self):
        result = macaw.sim.run(ARTIFACT, [X])
        page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
        facts, layers = page.findall("table")
        shown = {row[0].text: row[1].text for row in facts}
        self.assertEqual(shown["predicted cycles"], f"{result.report['cycles']:,}")
        longest = sorted(result.report["layers"], key=lambda layer: -layer["exclusive"])
        self.assertEqual([[row[0].text, row[2].text] for row in layers[1:]], [[layer["name"], f"{layer['exclusive']:,}"] for layer in longest])
        result.report["network"] = "<b>&"
        self.assertIn("&lt;b&gt;&amp;", result._repr_html_())
        self.assertNotIn("cycles", macaw.sim.run(ARTIFACT, [X], mode="functional")._repr_html_())
        weights = [layer for layer in result.layers if "weights_encoded" in layer]
        self.assertEqual([layer["weights_count"] for layer in weights], [layer["weights"]["count"] for layer in result.report["layers"] if layer["weights"]])
        table = macaw.compare(GRAPH, ARTIFACT, [X])._repr_html_()
        self.assertIn("no difference found", table)
        self.assertIn("<td>logits</td><td>10</td><td>0</td>", table)


class Compare(unittest.TestCase):
    def test_equal(self):
        for inputs in ([X], {"image": X}, None):
            result = macaw.compare(GRAPH, ARTIFACT, inputs)
            self.assertTrue(result)
            self.assertEqual([(o["name"], o["different"]) for o in result.outputs], [("logits", 0)])
            self.assertIsNone(result.first_wrong)
            self.assertTrue(result.recognised)
            self.assertEqual(result.constants["weights"]["compared"], result.constants["weights"]["operators"])
        self.assertIn("recognised by", str(macaw.compare(GRAPH.read_bytes(), ARTIFACT.read_bytes(), [X], matches=True)))

    def test_first_wrong_operator(self):
        arrays = dict(np.load(ARTIFACT))
        data = bytearray(arrays["weight_data"].tobytes())
        data[0] ^= 0x55  # the bias of the first convolution's first channel
        arrays["weight_data"] = np.array(bytes(data))
        changed = io.BytesIO()
        np.savez(changed, **arrays)
        result = macaw.compare(GRAPH, changed.getvalue(), [X])
        self.assertFalse(result)
        self.assertGreater(result.outputs[0]["different"], 0)
        self.assertEqual((result.first_wrong["kind"], result.first_wrong["tensor"]), ("CONV2D", "clamp_11"))
        self.assertEqual([(d["what"], d["channel"]) for d in result.constants["differences"]], [("bias", 0)])
        self.assertIn("first wrong: operator 4 (CONV2D)", str(result))

    def test_wrong_calls(self):
        for inputs, code in (([], "mismatch"), ([X[:, :1]], "mismatch"), ({"picture": X}, "mismatch")):
            with self.assertRaises(macaw.Error) as caught:
                macaw.compare(GRAPH, ARTIFACT, inputs)
            self.assertEqual(caught.exception.code, code)
        with self.assertRaises(macaw.Error) as caught:
            macaw.compare(GRAPH, ARTIFACT, [X], accelerator="ethos-u65-256")
        self.assertEqual(caught.exception.code, "mismatch")
        with self.assertRaises(macaw.Error):
            macaw.compare(b"no graph", ARTIFACT, [X])


class ReferenceModel(unittest.TestCase):
    def setUp(self):
        self.log = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "log.txt")

    def test_as_executorch_calls_it(self):
        outputs, status = tosa_reference_model.run(GRAPH.read_bytes(), [X], verbosity="LOW",
                                                   initialize_variable_tensor_from_numpy=True, debug_mode=None)
        self.assertEqual(status, tosa_reference_model.GraphStatus.TOSA_VALID)
        np.testing.assert_array_equal(outputs[0].ravel(), Y.ravel())

    def test_as_its_example_calls_it(self):
        # A bytearray, a transposed view, inputs of another shape with as many bytes.
        outputs, status = tosa_reference_model.run(bytearray(GRAPH.read_bytes()), [X.reshape(-1)], verbosity="HIGH",
                                                   debug_filename=self.log, debug_mode="ALL", dump_intermediates=1,
                                                   tosa_level="EIGHTK")
        self.assertEqual(int(status), 0)
        self.assertRegex(pathlib.Path(self.log).read_text(), r"^TOSA_VALID\nlogits: INT8 \[")
        np.testing.assert_array_equal(outputs[0].ravel(), Y.ravel())

    def test_errors_are_value_errors(self):
        for graph, inputs, options in ((b"", [X], {}), (GRAPH.read_bytes(), [], {}), (GRAPH.read_bytes(), [X[:, :1]], {}),
                                       (GRAPH.read_bytes(), [X], {"tosa_level": "16K"})):
            with self.assertRaises(ValueError):
                tosa_reference_model.run(graph, inputs, **options)


@unittest.skipUnless(CORPUS.is_dir(), f"no corpus at {CORPUS}")
class Corpus(unittest.TestCase):
    """Some vectors of each type."""

    def test_types_and_precise_mode(self):
        for name, dtype in (("abs_0_f32", np.float32), ("abs_0_f16", np.float16), ("abs_0_bf16", np.uint16)):
            folder = CORPUS / name
            d = json.loads((folder / "desc.json").read_text())
            graph = folder / d["tosa_file"]
            inputs = {name: np.load(folder / file) for name, file in zip(d["ifm_name"], d["ifm_file"])}
            result = macaw.tosa.run(graph, inputs)
            self.assertEqual(result.outputs[0].dtype, dtype)
            precise = macaw.tosa.run(graph, inputs, precise=True)
            self.assertEqual(precise.outputs[0].dtype, np.float64)
            outputs, _ = tosa_reference_model.run(graph.read_bytes(), list(inputs.values()))
            self.assertEqual(outputs[0].tobytes(), result.outputs[0].tobytes())
            precise_outputs, _ = tosa_reference_model.run(graph.read_bytes(), list(inputs.values()), precise_mode=1)
            self.assertEqual(precise_outputs[0].dtype, outputs[0].dtype)
            self.assertEqual(precise_outputs[0].tobytes(), outputs[0].tobytes())  # ABS is exact
            if name == "abs_0_bf16":
                self.assertEqual(outputs[0].dtype, np.dtype("V2"))

    def test_custom(self):
        macaw.tosa.load_custom_ops(os.environ["MACAW_CUSTOM_OP_EXAMPLE"])
        folder = CORPUS / "custom_example_f32"
        d = json.loads((folder / "desc.json").read_text())
        inputs = [np.load(folder / file) for file in d["ifm_file"]]
        result = macaw.tosa.run(folder / d["tosa_file"], inputs)
        np.testing.assert_array_equal(result.outputs[0], inputs[0])

    def test_errors_before_and_in_evaluation(self):
        """Arm's binding raises for what its model finds before it evaluates, and else returns the status."""
        for name, is_status in (("pad_ERRORIF_PadSmallerZero_8x8x7_i8_pad-1-1-1-2-1-2", True),
                                ("negate_ERRORIF_InputZeroPointNotZero_4x2_i16", True),
                                (self.first_error("ERRORIF_WrongInputList"), False),
                                (self.first_error("ERRORIF_WrongOutputType"), False)):
            d = json.loads((CORPUS / name / "desc.json").read_text())
            call = ((CORPUS / name / d["tosa_file"]).read_bytes(), [np.load(CORPUS / name / file) for file in d["ifm_file"]])
            if is_status:
                self.assertEqual(tosa_reference_model.run(*call)[1], tosa_reference_model.GraphStatus.TOSA_ERROR, name)
            else:
                with self.assertRaises(ValueError, msg=name):
                    tosa_reference_model.run(*call)

    @staticmethod
    def first_error(kind):
        return sorted(path.name for path in CORPUS.glob(f"*{kind}*"))[0]

    def test_verdicts(self):
        tests = json.loads((CORPUS / "MANIFEST.json").read_text())["tests"]
        for status, code in (("ERROR", "invalid_graph"), ("UNPREDICTABLE", "unpredictable")):
            for test in [t for t in tests if t["expected_status"] == status][:5]:
                d = json.loads((CORPUS / test["name"] / "desc.json").read_text())
                graph = CORPUS / test["name"] / d["tosa_file"]
                inputs = [np.load(CORPUS / test["name"] / file) for file in d["ifm_file"]]
                result = macaw.tosa.run(graph, inputs, check=False)
                self.assertEqual(result.status, status, test["name"])
                if status == "ERROR":
                    self.assertEqual(result.outputs, [])
                with self.assertRaises(macaw.tosa.VerdictError) as caught:
                    macaw.tosa.run(graph, inputs)
                self.assertEqual(caught.exception.code, code)
                self.assertTrue(caught.exception.findings[0]["rule"])
                if status == "ERROR":
                    try:
                        _, graph_status = tosa_reference_model.run(graph.read_bytes(), inputs, tosa_level="EIGHTK")
                        self.assertEqual(graph_status, tosa_reference_model.GraphStatus.TOSA_ERROR)
                    except ValueError:
                        pass
                else:
                    _, graph_status = tosa_reference_model.run(graph.read_bytes(), inputs)
                    self.assertEqual(graph_status, tosa_reference_model.GraphStatus.TOSA_UNPREDICTABLE)


if __name__ == "__main__":
    unittest.main()
