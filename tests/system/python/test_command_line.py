#!/usr/bin/python3
"""Tests the program with sets of inputs, names of files, findings, steps and cases, where one more or one fewer makes a
difference: networks are streams of copies that are written out here."""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

import numpy

MACAW = os.environ["MACAW"]
TRACE = pathlib.Path("traces/tiny_cnn")
ARTIFACT = TRACE / "ethos-u55-128" / "tiny_cnn.npz"
UNWRITTEN, SCRATCH = 1024, 8192  # where nothing writes, and bytes in all


def stream(copies):
    """Commands of U55 that copy 16 bytes of region 1 each from one place to another."""
    words = [0x0130 | 1 << 16, 0x0131 | 1 << 16, 0x4032, 16]
    for source, target in copies:
        words += [0x4030, source, 0x4031, target, 0x0010, 0x0011]
    return words + [0xffff0000]


def network(file, copies, inputs=(0,), outputs=(512,), variables=()):
    """Vela's npz of such a stream; tensors are 16 bytes at the places that are given."""
    own = numpy.load(ARTIFACT)
    words = stream(copies)
    header = numpy.frombuffer(own["cmd_data"].tobytes()[:28], "<u4")
    arrays = {name: own[name] for name in own.files if name.startswith("scratch_fast") or name == "weight_region"}
    for kind, places in (("input", inputs), ("output", outputs), ("variable", variables)):
        arrays |= {f"{kind}_elem_size": numpy.ones(len(places), int), f"{kind}_offset": numpy.array(places, int),
                   f"{kind}_region": numpy.ones(len(places), int), f"{kind}_shape": numpy.array([[1, 16]] * len(places), int)}
    numpy.savez(file, cmd_data=numpy.bytes_(numpy.array([*header, len(words) << 16 | 2, *words], "<u4").tobytes()),
                weight_data=numpy.bytes_(b"\1" * 16), scratch_region=1, scratch_shape=numpy.array([SCRATCH]),
                scratch_size=SCRATCH, **arrays)
    return file


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, program=MACAW):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def good(self, *arguments):
        code, text = self.run_program(*arguments)
        self.assertEqual(code, 0, text)
        return text

    def refused(self, code, words, *arguments):
        got, text = self.run_program(*arguments)
        self.assertEqual(got, code, text)
        self.assertIn(words, text)

    def save(self, name, array):
        numpy.save(self.folder / name, array)
        return self.folder / name

    def functional(self, artifact, *arguments):
        """The outputs."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        self.good("sim", artifact, "--mode", "functional", "--findings", "off", "--output-dir", out, *arguments)
        return [numpy.load(file) for file in sorted(out.glob("*.npy"))]


class Sets(Program):
    def setUp(self):
        super().setUp()
        self.copy = network(self.folder / "copy.npz", [(0, 512)])

    def rank(self, scores, label):
        """Whether the label is first, and among the first five."""
        text = self.good("sim", self.copy, "--mode", "functional", "--inputs", self.save("sets.npy", numpy.int8([[scores]])),
                         "--labels", self.save("labels.npy", numpy.array([label])))
        return "top-1 100.00 %" in text, "top-5 100.00 %" in text

    def test_a_class_of_the_same_score_counts_if_it_is_before(self):
        scores = [7] * 6 + [9] + [0] * 9
        places = [6, 0, 1, 2, 3, 4, 5]  # of classes, the best first
        for place, label in enumerate(places):
            self.assertEqual(self.rank(scores, label), (place < 1, place < 5), label)
        self.assertEqual(self.rank(range(16), 15), (True, True))
        for label in (-1, 16):
            self.refused(3, f"label {label} of run 0 is none of 16 classes", "sim", self.copy, "--mode", "functional", "--inputs",
                         self.folder / "sets.npy", "--labels", self.save("labels.npy", numpy.array([label])))

    def test_the_first_set_that_is_wrong_is_told(self):
        sets = self.folder / "sets"
        sets.mkdir()
        for i in range(40):
            numpy.save(sets / f"{i:02}.npy", numpy.zeros((1, 16 if i < 7 else 3), numpy.int8))
        for threads in (1, 2, 4):
            self.refused(3, "set 7: ", "sim", self.copy, "--mode", "functional", "--inputs", sets, "--threads", threads)

    def test_inputs_have_as_many_sets_as_each_other(self):
        two = network(self.folder / "two.npz", [(0, 512), (16, 528)], inputs=(0, 16), outputs=(512, 528))
        for first, second in ((3, 4), (4, 3)):
            sets = self.folder / "two_sets.npz"
            numpy.savez(sets, **{"input_0": numpy.zeros((first, 1, 16), numpy.int8),
                                 "input_1": numpy.zeros((second, 1, 16), numpy.int8)})
            self.refused(3, "sets of input", "sim", two, "--mode", "functional", "--inputs", sets)

    def test_labels_are_as_many_as_sets(self):
        sets = self.save("sets.npy", numpy.zeros((2, 1, 16), numpy.int8))
        for labels in (0, 1, 3):
            self.refused(3, f"{labels} labels for 2 sets", "sim", self.copy, "--mode", "functional", "--inputs", sets, "--labels",
                         self.save("labels.npy", numpy.zeros(labels, int)))

    def test_an_array_has_sets_and_the_name_of_its_input_or_none_beside_it(self):
        def run(*arrays, sets=1):
            numpy.savez(self.folder / "sets.npz", **{name: numpy.zeros((sets, 1, 16), numpy.int8) for name in arrays})
            return self.run_program("sim", self.copy, "--mode", "functional", "--inputs", self.folder / "sets.npz")
        for arrays, problem in ((["x"], None), (["input_0"], None), (["x", "input_0"], None), (["input_0", "x", "y"], None),
                                (["x", "y"], "no array for input 'input_0'"), (["input", "input_1"], "no array for input")):
            code, text = run(*arrays)
            self.assertEqual(code, 3 if problem else 0, text)
            self.assertIn(problem or "", text)
        code, text = run("input_0", sets=0)
        self.assertEqual(code, 3, text)
        self.assertIn("has no sets along its first axis", text)

    def test_a_file_has_the_whole_name_of_its_input_or_that_and_a_suffix(self):
        graph, values = self.folder / "and.mlir", {"a.b": numpy.int8([1, 2, 7, -1]), "a.c": numpy.int8([3, 2, 12, -7])}
        graph.write_text("func.func @main(%a.b: tensor<4xi8>, %a.c: tensor<4xi8>) -> tensor<4xi8> {\n  %0 = tosa.bitwise_and %a.b, %a.c : "
                         "(tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>\n  return %0 : tensor<4xi8>\n}\n")
        for suffix in ("", ".raw", ".npy"):
            folder = self.folder / ("sets" + suffix) / "one"
            folder.mkdir(parents=True)
            (folder / "a").write_bytes(b"of no input")
            for name, value in values.items():
                if suffix == ".npy":
                    numpy.save(folder / (name + suffix), value)
                else:
                    (folder / (name + suffix)).write_bytes(value.tobytes())
            out = self.folder / ("out" + suffix)
            self.good("tosa", graph, "--inputs", folder.parent, "--output-dir", out)
            self.assertEqual(numpy.load(next(out.rglob("*.npy"))).ravel().tolist(), (values["a.b"] & values["a.c"]).tolist())

    def test_raw_files_hold_elements_or_pixels_and_need_names_if_there_are_more(self):
        folder = self.folder / "sets" / "a"
        folder.mkdir(parents=True)
        graph, sets = TRACE / "tiny_cnn.tosa", ("--inputs", folder.parent, "--output-dir")
        image = numpy.random.default_rng(1).integers(0, 256, 3072, numpy.uint8)
        (folder / "x.raw").write_bytes(image.tobytes())
        pixels = ("--raw", "uint8")
        text = self.good("tosa", graph, *sets, self.folder / "raw", *pixels)
        self.assertIn("raw files hold uint8; input 'image' gets their values minus 128", text)
        signed = self.save("signed.npy", (image ^ 0x80).view(numpy.int8).reshape(1, 32, 32, 3))
        self.good("tosa", graph, "--input", signed, "--output-dir", self.folder / "npy")
        raw, npy = (next((self.folder / name).glob("*.npy")).read_bytes() for name in ("raw", "npy"))
        self.assertEqual(raw[-10:], npy[-10:])
        (folder / "x.raw").write_bytes((image ^ 0x80).tobytes())
        text = self.good("tosa", graph, *sets, self.folder / "own")
        self.assertIn("raw files hold int8, as input 'image'; if they hold uint8, add --raw uint8", text)
        self.good("tosa", graph, *sets, self.folder / "int8", "--raw", "int8")
        for name in ("own", "int8"):
            self.assertEqual(next((self.folder / name).glob("*.npy")).read_bytes()[-10:], npy[-10:])
        (folder / "y.raw").write_bytes(image.tobytes())
        self.refused(3, "no file for input 'image'", "tosa", graph, *sets, self.folder / "many")
        for name in ("image.raw", "image"):
            (folder / name).write_bytes(image.tobytes())
            self.good("tosa", graph, *sets, self.folder / f"named {name}")
            (folder / name).unlink()

    def test_labels_come_as_csv_and_may_be_in_the_folder(self):
        graph, folder = TRACE / "tiny_cnn.tosa", self.folder / "sets"
        folder.mkdir()
        images = numpy.random.default_rng(1).integers(-128, 128, (4, 1, 32, 32, 3)).astype(numpy.int8)
        for k, image in enumerate(images):
            (folder / f"{'dcab'[k]}.bin").write_bytes(image.tobytes())
        self.good("tosa", graph, "--inputs", folder, "--output-dir", self.folder / "out")
        best = numpy.load(next((self.folder / "out").glob("*.npy"))).reshape(4, -1).argmax(1)
        by_name = "".join(f"{name}.bin, 10, {best[k]}\r\n" for k, name in reversed(list(enumerate("abcd"))))
        texts = {"order.csv": "".join(f"{label}\n" for label in best), "names.csv": by_name, "header.csv": "file,classes,class\n" + by_name}
        for name, text in texts.items():
            (folder / name).write_text(text)
        for name in texts:
            self.assertIn("top-1 100.00 % (4)", self.good("tosa", graph, "--inputs", folder, "--labels", folder / name))
        numpy.save(folder / "labels.npy", best)
        self.assertIn("top-1 100.00 % (4)", self.good("tosa", graph, "--inputs", folder, "--labels", folder / "labels.npy"))
        (folder / "labels.npy").unlink()
        for text, words in ((by_name[:-14], "there is not a line for"), (by_name + by_name, "has two classes"),
                            (by_name + "a,b\n", "line 5: expected the class"), ("1\n2\n", "2 labels for 4 sets")):
            (self.folder / "wrong.csv").write_text(text)
            self.refused(3, words, "tosa", graph, "--inputs", folder, "--labels", self.folder / "wrong.csv")


class Steps(Program):
    def test_each_step_has_the_variables_of_the_one_before(self):
        """A row of three variables, through which the input goes a place each step."""
        row = network(self.folder / "row.npz", [(64, 512), (48, 64), (32, 48), (0, 32)], variables=(32, 48, 64))
        values = self.save("x.npy", numpy.arange(1, 17, dtype=numpy.int8).reshape(1, 16))
        for steps in range(1, 7):
            (out,) = self.functional(row, "--input", values, "--steps", steps)
            self.assertEqual(out.any(), steps >= 4, steps)

    def test_steps_are_of_runs_with_values(self):
        row = network(self.folder / "row.npz", [(64, 512), (0, 64)], variables=(64,))
        self.refused(2, "'--mode timing' and '--steps' cannot be used together", "sim", row, "--mode", "timing", "--steps", 2)
        self.good("sim", row, "--mode", "timing", "--steps", 1)

    def test_findings_are_told_once(self):
        strange = network(self.folder / "strange.npz", [(UNWRITTEN, 512)])
        values = self.save("x.npy", numpy.zeros((1, 16), numpy.int8))
        for steps in (1, 3):
            text = self.good("sim", strange, "--input", values, "--steps", steps)
            self.assertEqual(text.count("macaw: finding: "), 1, text)


class Findings(Program):
    def test_twenty_are_shown_and_the_others_counted(self):
        values = self.save("x.npy", numpy.zeros((1, 16), numpy.int8))
        for count in (1, 2, 19, 20, 21, 22, 440):
            artifact = network(self.folder / "net.npz", [(UNWRITTEN + 16 * i, 512) for i in range(count)])
            text = self.good("sim", artifact, "--mode", "functional", "--input", values)
            self.assertEqual(text.count("nothing has written"), min(count, 20), text)
            self.assertEqual(f"{count - 20} more findings" in text, count > 20)
            code, text = self.run_program("sim", artifact, "--mode", "functional", "--input", values, "--findings", "error")
            self.assertEqual(code, 4, text)
            self.assertEqual(f"(and {count - 1} more)" in text, count > 1, text)

    def test_more_than_are_kept_are_counted(self):
        values = self.save("x.npy", numpy.zeros((1, 16), numpy.int8))
        for count in (999, 1000, 1001, 1003):
            places = [(UNWRITTEN + 16 * (i % 400), 512) for i in range(count)]
            text = self.good("sim", network(self.folder / "net.npz", places), "--mode", "functional", "--input", values)
            self.assertIn(f"macaw: finding: {count - 20} more findings\n", text)


class Calls(Program):
    def test_a_name_may_have_an_equals_sign_of_its_own(self):
        copy = network(self.folder / "copy.npz", [(0, 512)])
        values = self.save("x.npy", numpy.arange(16, dtype=numpy.int8).reshape(1, 16))
        self.refused(3, "'a=b'", "sim", copy, "--input", f"a=b={values}")
        strange = self.save("y=z.npy", numpy.arange(16, dtype=numpy.int8).reshape(1, 16))
        self.assertEqual(self.functional(copy, "--input", strange)[0].tolist(), [list(range(16))])

    def test_clocks(self):
        for clock in ("0", "-1", "1e400", "nan", "5THz", "MHz"):
            self.refused(2, "a frequency above 0", "sim", ARTIFACT, "--mode", "timing", f"--clock={clock}")
        hertz = [json.loads(self.good("sim", ARTIFACT, "--mode", "timing", "--json", "--clock", clock))["clock_hz"]
                 for clock in ("2e6", "2000kHz", "2 MHz", "0.002GHz", "2000000Hz")]
        self.assertEqual(hertz, [2e6] * 5)

    def test_a_call_that_is_advised_has_the_options_of_the_first(self):
        options = ("--timing-adapter", "off", "--clock", "2MHz", "--traffic", "ext=0.25", "-C", "axi0.read_latency=9")
        report = json.loads(self.good("sim", ARTIFACT, "--mode", "timing", "--advise", "--json", *options))
        for advice in report["advice"]:
            words = shlex.split(advice["command"])
            for option, value in zip(options[::2], options[1::2]):
                self.assertIn((option, value), list(zip(words, words[1:])))

    def test_options_of_the_reference_model_stand_beside_others(self):
        run = ("tosa", TRACE / "tiny_cnn.tosa", "--input", TRACE / "input_0.npy", "--force", "--output-dir", self.folder)
        for shown in (("tosa", "--help"), ("tosa", "--force", "-h"), ("man",), ("completion", "bash")):
            self.assertRegex(self.good(*shown).replace("\\", ""), "(?s)--force.*--initialize_variable_tensor_from_numpy", shown)
        for options, outputs in ((("--output_tensors", "0"), 0), (("--output_tensors=0",), 0), (("-d", "x"), 1), (("-lx", "--json"), 1), ((), 1)):
            self.good(*run, *options)
            files = list(self.folder.glob("*.npy"))
            self.assertEqual(len(files), outputs, options)
            for file in files:
                file.unlink()
        self.refused(2, "unknown option '--output_tensor'; did you mean '--output_tensors'?", *run, "--output_tensor", "0")

    def test_numbers_in_hexadecimal_digits_have_no_sign(self):
        for value in ("0x-1", "0x+1", "-0x1", "0x"):
            self.refused(2, "is not an integer", "disasm", ARTIFACT, "--stream", value)
        self.good("disasm", ARTIFACT, "--stream", "0x0")

    def test_text_and_words_of_a_stream_say_the_same(self):
        text, words, odd = self.folder / "net.s", self.folder / "net.bin", self.folder / "odd.bin"
        self.good("disasm", ARTIFACT, "-o", text)
        self.good("disasm", "--assemble", text, "-o", words)
        odd.write_bytes(words.read_bytes()[:-1])
        plain = "disasm", "--words", words, "-a", "ethos-u55-128", "--json"
        commands = [stream["commands"] for stream in json.loads(self.good(*plain))["streams"]]
        self.assertEqual(commands, [stream["commands"] for stream in json.loads(self.good("disasm", ARTIFACT, "--json"))["streams"]])
        self.refused(3, "not a whole number of words", "disasm", "--words", odd, "-a", "ethos-u55-128")

    def test_lists_name_the_families_that_have_a_thing(self):
        families = {row["name"]: row["npu"] for row in json.loads(self.good("list", "commands", "--json"))}
        self.assertEqual([families[name] for name in ("NPU_OP_STOP", "NPU_OP_RESIZE", "NPU_SET_PARALLEL_MODE")],
                         [["U55", "U65", "U85"], ["U85"], ["U65"]])

    def test_reports_of_one_name_have_those_of_their_folders(self):
        for folder in ("a/run", "b/run", "c"):
            self.good("sim", ARTIFACT, "--mode", "timing", "--output-dir", self.folder / folder)
        reports = {folder: self.folder / folder / "report.json" for folder in ("a/run", "b/run", "c")}
        text = self.good("report", reports["a/run"], reports["c"])
        self.assertNotIn(str(self.folder), text)
        text = self.good("report", reports["a/run"], reports["b/run"])
        for folder in ("a/run", "b/run"):
            self.assertIn(str(reports[folder]), text)

    def test_intermediates_are_written_and_not_listed(self):
        values = TRACE / "input_0.npy"
        text = self.good("tosa", TRACE / "tiny_cnn.tosa", "--input", values, "--output-dir", self.folder / "out",
                         "--dump_intermediates", 1)
        self.assertEqual(text.splitlines(), [str(self.folder / "out" / "logits.npy")])
        self.assertGreater(len(list((self.folder / "out").glob("intermediate_*.npy"))), 5)

    def test_no_goldens_are_not_good(self):
        (self.folder / "golden.toml").write_text(f'[[network]]\nname = "net"\nartifact = "{ARTIFACT.resolve()}"\n')
        (self.folder / "golden.json").write_text(json.dumps({"schema_version": 1, "reasons": [], "runs": {}}))
        self.assertNotEqual(self.run_program("golden", "check", self.folder)[0], 0)

    def test_a_result_of_another_type_is_wrong_and_no_wrong_call(self):
        compliance = {"version": "0.1", "tensors": {"y": {"mode": "EXACT", "data_type": "INT8"}}}
        description = {"tosa_file": "x.tosa", "ifm_name": [], "ifm_file": [], "ofm_name": ["y"], "ofm_file": ["y.npy"],
                       "meta": {"compliance": compliance}}
        (self.folder / "desc.json").write_text(json.dumps(description))
        reference = self.save("reference.npy", numpy.zeros(4, numpy.int8))
        for array, code in ((numpy.zeros(4, numpy.int8), 0), (numpy.ones(4, numpy.int8), 2), (numpy.zeros(4, numpy.float32), 2)):
            done = self.run_program("verify", "--test_desc", self.folder / "desc.json", "--imp_result_file",
                                    self.save("result.npy", array), "--ref_result_file", reference)
            self.assertEqual(done[0], code, done)


class Check(Program):
    def setUp(self):
        super().setUp()
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            shutil.copy(TRACE / "tiny_cnn.tosa", self.folder / name / "net.tosa")
            shutil.copy(ARTIFACT, self.folder / name / "net_vela.npz")
            shutil.copy(TRACE / "input_0.npy", self.folder / name / "in_0_0.npy")
            shutil.copy(TRACE / "ethos-u55-128" / "output_0.npy", self.folder / name / "exp_0_output_0.npy")

    def passed(self, *filters):
        words = [word for text in filters for word in ("--filter", text)]
        return self.run_program("check", self.folder, *words, program=os.environ["MACAW_DEV"])

    def test_filters(self):
        self.assertEqual(self.passed()[1], "4 passed, 0 failed\n")
        for filters, count in ((["one"], 2), (["format=compiled"], 2), (["format!=compiled"], 2), (["one", "format!=compiled"], 1),
                               (["no_such_key!=x"], 4)):
            self.assertEqual(self.passed(*filters), (0, f"{count} passed, 0 failed\n"), filters)
        for filters in (["three"], ["no_such_key=x"], ["format=compiled", "format!=compiled"]):
            code, text = self.passed(*filters)
            self.assertEqual(code, 1, text)
            self.assertIn("nothing in", text)

    def test_answers_have_as_many_elements_and_bytes(self):
        answer = self.folder / "one" / "exp_0_output_0.npy"
        right = numpy.load(answer)
        for wrong in (right.ravel()[:-1], numpy.append(right, right), right.astype(numpy.int16),
                      right.view(numpy.int16).copy()):
            numpy.save(answer, wrong)
            code, text = self.passed("one")
            self.assertEqual(code, 1, text)
            self.assertIn("10 elements of 1 bytes, expected", text)
        numpy.save(answer, right.ravel())
        self.assertEqual(self.passed("one")[0], 0)
        for places in ([0], [9], [3, 7], [1, 2, 8], range(10)):
            wrong = right.copy().ravel()
            wrong[list(places)] ^= 1
            numpy.save(answer, wrong)
            text = self.passed("one")[1]
            first = places[0]
            self.assertIn(f"{len(places)} of 10 elements differ, the first at {first}: {right.ravel()[first]}, expected {wrong[first]}",
                          text)


class FastScratch(unittest.TestCase):
    """Feature maps beside an arena in slower memory: `macaw compile` with the memories of `macaw sim`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.macaw("model", "ds_cnn", "--size", "tiny", "-o", "net.tosa", "--inputs", ".")
        self.input = next(self.folder.glob("*input_0.npy"))
        (self.folder / "vela.ini").write_text("""[Memory_Mode.Slow]
const_mem_area=Axi1
arena_mem_area=Axi1
cache_mem_area=Axi0
arena_cache_size=1000
""")

    def macaw(self, *words, code=0):
        done = subprocess.run([MACAW, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def compile(self, accelerator, *options):
        """The size of the fast scratch, the report of a run, and the output."""
        self.macaw("compile", "net.tosa", "-a", accelerator, "-o", "net.npz", "--force", *options)
        with numpy.load(self.folder / "net.npz") as network:
            size = int(network["scratch_fast_size"])
            self.assertEqual(network["scratch_fast_shape"].tolist(), [size])
            self.assertEqual(int(network["scratch_fast_region"]), 2 if size else 0)
        report = json.loads(self.macaw("sim", "net.npz", "--input", self.input, "--output-dir", "out", "--force", "--json"))
        return size, report, numpy.load(next((self.folder / "out").glob("*.npy")))

    def test_the_fast_scratch_is_never_exceeded_and_outputs_are_equal(self):
        self.macaw("tosa", "net.tosa", "--input", self.input, "--output-dir", "expected")
        expected = numpy.load(next((self.folder / "expected").glob("*.npy")))
        for accelerator in ("ethos-u55-128", "ethos-u65-512", "ethos-u85-256"):
            cycles = {}
            for limit, options in ((0, ["--arena-cache-size", "0"]), (15, ["--arena-cache-size", "15"]),
                                   (512, ["--arena-cache-size", "512"]), (1000, ["--memory-mode", "Slow", "--config", "vela.ini"]),
                                   (1024, ["--memory-mode", "Dedicated_Sram_1KB"]), (384 << 10, [])):
                with self.subTest(accelerator=accelerator, options=options):
                    if limit != 1000:
                        options = ["--memory-mode", "Dedicated_Sram", *options] if "--memory-mode" not in options else options
                    size, report, output = self.compile(accelerator, *options)
                    self.assertLessEqual(size, limit)
                    self.assertEqual(size > 0, limit >= 512)
                    self.assertTrue(numpy.array_equal(output, expected))
                    cycles[limit] = report["cycles"]
            if accelerator != "ethos-u55-128":  # whose default mode has the arena in SRAM
                self.assertLess(cycles[384 << 10], cycles[0])

    def test_as_much_is_proved_of_a_network_in_fast_scratch(self):
        proofs = []
        for options in ([], ["--arena-cache-size", "0"]):
            self.assertEqual(self.compile("ethos-u85-256", *options)[0] > 0, not options)
            proofs.append(self.macaw("prove", "net.tosa", "net.npz"))
        self.assertIn("proved: output", proofs[0])
        self.assertEqual(proofs[0], proofs[1])

    def test_wrong_memories_are_usage_errors(self):
        compile = ["compile", "net.tosa", "-a", "ethos-u65-256", "-o", "no.npz"]
        for code, options, text in (
                (2, ["--memory-mode", "Sram_Only", "--arena-cache-size", "1K"], "--arena-cache-size requires a memory mode"),
                (2, ["--memory-mode", "Dedicated"], "has no memory mode 'Dedicated'"), (2, ["--system", "corstone"], "unknown system"),
                (2, ["--arena-cache-size", "-1"], "--arena-cache-size")):
            with self.subTest(options=options):
                self.assertIn(text, self.macaw(*compile, *options, code=code))
        self.assertFalse((self.folder / "no.npz").exists())


if __name__ == "__main__":
    unittest.main()
