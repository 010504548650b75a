#!/usr/bin/python3
"""Tests the findings of check_generations.py and its exceptions."""
import pathlib
import unittest

import check_generations

SIM = pathlib.PurePath("sim/timed/dma.cpp")


def problems(*sources):
    return check_generations.check((pathlib.PurePath(path), text) for path, text in sources)[0]


class Generations(unittest.TestCase):
    def test_every_form_of_a_test_is_counted(self):
        for line in ("if (op.family == Family::kU85) run();", "return npu::Family::kU65 != op.family;",
                     "x = family == kU85 ? 1 : 2;", "case Family::kU55: return 0;", "if (lowering.u85()) run();",
                     "const bool u85 = true;", 'if (fit.scope == "U85") run();', 'name.starts_with("ethos-u85");'):
            self.assertEqual(problems((SIM, line)), [f"{SIM}:1: a test of the family without a reason"], line)

    def test_data_and_comments_are_not(self):
        for line in ("MACAW_COMMAND(kU85, cmd0, 1)", "// on U85 only", "auto ref = field_of(Family::kU85, name);"):
            self.assertEqual(problems((SIM, line)), [])

    def test_a_reason_stands_beside_or_above(self):
        self.assertEqual(problems((SIM, "// U65 has more.\nif (f == Family::kU65) run();")), [])
        self.assertEqual(problems((SIM, "if (f == Family::kU65) run();  // U65 has more")), [])

    def test_there_are_few(self):
        line = "if (f == Family::kU65) run();  // reason\n"
        self.assertEqual(problems((SIM, line * check_generations.MOST_TESTS)), [])
        self.assertEqual(len(problems((SIM, line * (check_generations.MOST_TESTS + 1)))), 1)

    def test_generations_are_chosen_without_a_default(self):
        switch = "switch (family) { case Family::kU55: return a; %s}"
        self.assertEqual(problems(("sim/isa/generation.cpp", switch % "")), [])
        self.assertEqual(len(problems(("sim/isa/generation.cpp", switch % "default: return b; "))), 1)

    def test_a_room_has_both_generations(self):
        u85 = ("sim/isa/u85/generation.cpp", "if (f == Family::kU85) run();")
        self.assertEqual(problems(u85), ["sim/isa: has u85 alone"])
        self.assertEqual(problems(u85, ("sim/isa/u55_u65/generation.cpp", "")), [])


if __name__ == "__main__":
    unittest.main()
