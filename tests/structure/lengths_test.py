#!/usr/bin/python3
"""check_lengths.py on made-up functions: the long one is found unless it says why; code outside functions is left alone."""
import unittest

import check_lengths

BODY = "  x();\n" * 60


class CheckLengths(unittest.TestCase):
    def test_a_long_function_is_found_by_its_first_line(self):
        text = f"int a;\n\nvoid f(int a,\n       int b) {{\n{BODY}}}\n"
        self.assertEqual(check_lengths.long_functions(text), [(3, 63, "void f(int a,")])

    def test_a_member_is_found(self):
        inner = BODY.replace("  x", "    x")
        self.assertEqual(len(check_lengths.long_functions(f"class A {{\n  int f() const {{\n{inner}  }}\n}};\n")), 1)

    def test_a_reason_and_60_lines_pass(self):
        self.assertEqual(check_lengths.long_functions(f"// Long: a case for each mode.\nvoid f() {{\n{BODY}}}\n"), [])
        self.assertEqual(check_lengths.long_functions("void f() {\n" + "  x();\n" * 58 + "}\n"), [])

    def test_tables_classes_and_test_cases_pass(self):
        for head, end in [("constexpr Row kRows[] = {", "};"), ("class A {", "};"), ('TEST_CASE("a") {', "}"), ("constexpr auto kRows = make([](int) {", "});")]:
            self.assertEqual(check_lengths.long_functions(f"{head}\n{BODY}{end}\n"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
