#!/usr/bin/python3
"""Values of options: whole numbers in their range, texts that are not empty."""
import json
import os
import re
import subprocess
import tempfile
import unittest

MACAW = os.environ["MACAW"]
SIM = ["sim", "traces/tiny_cnn/ethos-u55-128/tiny_cnn.npz"]
GREATEST = 2 ** 64 - 1


def macaw(*arguments):
    done = subprocess.run([MACAW, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stderr, done.stdout


class Options(unittest.TestCase):
    def refused(self, option, value, reason):
        code, text, out = macaw(*SIM, option, value)
        self.assertEqual((code, out), (2, ""), (option, value, text))
        self.assertIn(reason, text)
        self.assertIn(option, text)

    def test_numbers_are_whole_and_fit(self):
        for value in (-1, GREATEST + 1, "1.5", "1e3", "", " 1", "1 ", "0x", "0x-1", "x"):
            self.refused("--random-inputs", value, f"'{value}' is not an integer between 0 and {GREATEST}")
        for value in (-1, 2 ** 32):
            self.refused("--steps", value, f"'{value}' is not an integer between 0 and {2 ** 32 - 1}")
        for option in ("--steps", "--max-work", "--max-cycles"):
            self.refused(option, 0, "must be above 0")
        for value in (-1, 257):
            self.refused("--threads", value, f"'{value}' is not an integer between 0 and 256")
        for value in (-1, "x"):
            self.assertIn(f"'{value}' is not an integer between 0 and", macaw("disasm", SIM[1], "--stream", value)[1])

    def test_sizes_are_whole_and_fit(self):
        for option in ("--max-memory", "--sram-size"):
            for value in (-1, "-1G", GREATEST + 1, "G", "", "512M ", " 512M"):
                self.refused(option, value, f"'{value}' is not a size between 0 and {GREATEST} bytes")
            self.refused(option, f"{GREATEST}K", "overflow")
            self.refused(option, "1X", "unit")
        if not os.environ.get("MACAW_SANITIZE"):  # sanitizers take memory of their own
            # 0 is not no limit; what meets it first depends on the room that is left in the heap.
            self.assertRegex(macaw(*SIM, "--max-memory", 0)[1], "cannot read into the 1 bytes of memory|--max-memory allows 0 bytes")

    def test_numbers_are_decimal_or_hexadecimal(self):
        def outputs(seed):
            return macaw(*SIM, "--mode", "functional", "--random-inputs", seed, "--json")[2]
        self.assertEqual(outputs("010"), outputs("10"))
        self.assertEqual(outputs("0x10"), outputs("16"))
        self.assertNotEqual(outputs("10"), outputs("16"))
        self.assertEqual(macaw(*SIM, "--random-inputs", GREATEST)[0], 0)

    def test_a_clock_is_a_number_and_perhaps_a_unit(self):
        def told(clock):
            code, text, out = macaw(*SIM, "--mode", "timing", "--clock", clock, "--json")
            return json.loads(out)["clock_hz"] if code == 0 else code
        for clock in ("500e6", "5e8Hz", "500000kHz", "500MHz", "500 MHz", "0.5GHz"):
            self.assertEqual(told(clock), 500e6, clock)
        for clock in ("500e6 ", " 500e6", "500  MHz", "500MHz ", "500mhz", "500Mz", "MHz", "0", "-1", "nan", "inf", "1e400"):
            self.assertEqual(told(clock), 2, clock)

    def test_a_text_is_not_empty(self):
        for option in ("--html", "--output-dir", "--system", "--vcd", "--clock"):
            self.refused(option, "", "the text is empty")
        self.assertEqual(macaw("sim", "")[:2], (2, "macaw sim: ARTIFACT: the text is empty\nSee 'macaw sim --help'.\n"))

    def test_a_file_in_a_list_has_a_name(self):
        for text in ("", "image="):
            self.assertEqual(macaw(*SIM, "--input", text)[:2], (2, "macaw: the name of a file is empty\n"))

    def test_a_value_of_many_bytes_is_shown_in_part(self):
        for option in ("--steps", "--findings", "--system", "--input"):
            for value in ("x" * 5000, "x " * 2500):
                code, text, _ = macaw(*SIM, "--mode", "timing", option, value)
                self.assertIn(code, (2, 3), option)
                self.assertIn(" bytes ...]", text, option)
                self.assertLess(len(text), 2600, option)

    def test_words_that_nothing_takes_are_told_in_their_order(self):
        for words in (["a", "b", "c"], ["--", "a", "b", "c"], ["a", "--", "b", "c"]):
            self.assertEqual(macaw(*SIM, *words)[:2], (2, "macaw sim: unexpected arguments 'a', 'b', 'c'\nSee 'macaw sim --help'.\n"))

    def test_a_wrong_name_is_answered_with_the_nearest(self):
        for words, answer in ((["smi"], "macaw: unknown command 'smi'; did you mean 'sim'?\nSee 'macaw --help'.\n"),
                              (["help", "smi"], "macaw: unknown command 'smi'; did you mean 'sim'?\nSee 'macaw --help'.\n"),
                              (["golden", "rekord"], "macaw golden: unknown command 'rekord'; did you mean 'record'?\nSee 'macaw golden --help'.\n"),
                              ([*SIM, "--outputdir", "x"], "macaw sim: unknown option '--outputdir'; did you mean '--output-dir'?\nSee 'macaw sim --help'.\n"),
                              (["prove", "--inputz=3"], "macaw prove: unknown option '--inputz'; did you mean '--inputs'?\nSee 'macaw prove --help'.\n"),
                              ([*SIM, "--mode", "time"], "macaw sim: --mode: unknown value 'time'; expected one of functional, timed, timing\nSee 'macaw sim --help'.\n")):
            self.assertEqual(macaw(*words), (2, answer, ""))

    def test_what_is_missing_is_named_after_what_is_wrong(self):
        for words, answer in ((["sim"], "missing argument ARTIFACT"), (["prove", "a.tosa"], "missing argument ARTIFACT"),
                              (["compile", "a.tosa"], "missing option '--accelerator-config ACCELERATOR', '--output FILE'"),
                              (["compile", "a.tosa", "-a", "ethos-u55-12"], "--accelerator-config: unknown accelerator 'ethos-u55-12'; did you mean "),
                              (["sim", "--mode", "x"], "--mode: unknown value 'x'"), (["prove", "--no-such"], "unknown option '--no-such'"),
                              ([*SIM, "--random-inputs", 1, "--steps", 2, "--dump-tensors", "x"], "'--steps' and '--dump-tensors' cannot be used together"),
                              ([*SIM, "--mode", "functional", "--html", "x"], "'--mode functional' and '--html' cannot be used together"),
                              ([*SIM, "--npu-only", "--before", 3], "'--npu-only' and '--before' cannot be used together"),
                              ([*SIM, "--sequence", 2, "--inputs", "x"], "'--inputs' and '--sequence' cannot be used together"),
                              ([*SIM, "--range", "0=0:1"], "--range requires --random-inputs"),
                              ([*SIM, "--random-inputs", 1, "--range", "0=0:300"], "the input is INT8, which has values from -128 to 255"),
                              ([*SIM, "--random-inputs", 1, "--range", "0=0:4294967296"], "from 0 to 4294967295"),
                              (["compare", "x.tosa", "x.npz", "--range", "x=0:1", "--input", "x.npy"], "'--range' and '--input' cannot be used together"),
                              (["golden"], "missing subcommand; expected one of: record, update, check"),
                              (["report", "x.json", "--html"], "option '--html' needs a value")):
            code, text, out = macaw(*words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(answer, text)

    def test_help_is_that_of_the_command_and_fits_the_terminal(self):
        for words in ([], ["sim"], ["golden", "check"]):
            self.assertEqual(macaw("help", *words), macaw(*words, "--help"))
        for command in re.findall(r"^  (\w+)  ", macaw("--help")[2], re.M):
            for columns in (80, 132):
                text = subprocess.run([MACAW, command, "--help"], capture_output=True, text=True, env={**os.environ, "COLUMNS": str(columns)}).stdout
                body = text[:text.rindex("\n\n")]
                self.assertLessEqual(max(map(len, body.splitlines())), columns, command)

    def test_help_shows_the_form_and_the_range_of_values(self):
        text = " ".join(macaw("sim", "--help")[2].split())
        for words in ("--range IN=LEAST:MOST ", "--scale PORT=SCALE[:ZERO_POINT] ", "--inputs SETS ",
                      "-j, --threads N number of threads; 0: all cores (default: 1) (0 to 256)", "(above 0)"):
            self.assertIn(words, text)
        self.assertIn("--inputs N|DIR ", " ".join(macaw("compare", "--help")[2].split()))
        self.assertIn("(0 to 256)", macaw("man")[2])

    def test_tables_fit_the_terminal_and_json_has_everything(self):
        for what in ("accelerators", "commands", "events", "ops", "params", "systems"):
            self.assertLessEqual(max(map(len, macaw("list", what)[2].splitlines())), 80, what)
        self.assertLessEqual(max(map(len, macaw(*SIM, "--mode", "timing", "--sram-size", "1K")[2].splitlines())), 100)

    def test_a_wrong_system_comes_before_missing_inputs_which_are_named_with_a_command(self):
        self.assertIn("unknown system 'corstone-301'", macaw(*SIM, "--system", "corstone-301")[1])
        code, text, _ = macaw(*SIM)
        self.assertEqual(code, 3)
        self.assertIn(f"1-byte [1, 32, 32, 3]; for random inputs run 'macaw sim {SIM[1]} --random-inputs 1'", text)

    def test_networks_of_other_frameworks_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, word in (("net.onnx", "ONNX"), ("net.pt", "PyTorch"), ("net.keras", "Keras")):
                file = os.path.join(folder, name)
                with open(file, "wb") as out:
                    out.write(b"\x08\x07 something")
                for call in (["sim", file], ["tosa", file]):
                    code, text, _ = macaw(*call)
                    self.assertEqual(code, 3, (call, text))
                    self.assertIn(word, text)

    def test_short_options_are_the_same_everywhere(self):
        meaning = {"-a": "--accelerator-config", "-i": "--input", "-o": "--output", "-j": ("--jobs", "--threads")}
        count = 0
        for command in re.findall(r"^  (\w+)  ", macaw("--help")[2], re.M):
            if command == "fvp":  # has Arm's short options
                continue
            for short, long in re.findall(r"^  (-[aioj]), (--[\w-]+)", macaw(command, "--help")[2], re.M):
                self.assertTrue(long.startswith(meaning[short]), (command, short, long))
                count += 1
        self.assertGreater(count, 20)


if __name__ == "__main__":
    unittest.main()
