#!/usr/bin/python3
"""check_joined.py on made-up sources: the names that clash it finds, those that do not it lets pass."""
import unittest

import check_joined


def unnamed(body, space="a"):
    return f"namespace {space} {{\nnamespace {{\n\n{body}\n\n}}  // namespace\n}}  // namespace {space}\n"


def judged(one, other):
    return check_joined.clashes([("room", "one.cpp", one), ("room", "other.cpp", other)])


class CheckJoined(unittest.TestCase):
    def test_names_of_both_sources_clash(self):
        for one, other in [
            ("struct Row {\n  int i;\n};", "class Row {\n};"),
            ("constexpr int kLimit = 1, kOther = 2;", "const char* const kLimit[] = {"),
            ("constexpr int kFirst = of(1, 2), kLimit = 1;", "constexpr int kLimit = 1;"),
            ("int of(int a, const std::string& b) {\n}", "int of(int x,\n       const std::string& y) {\n}"),
            ("using A = std::vector<int>;\n\nint of(A a) {\n}", "int of(std::vector<int> b) {\n}"),
            ("namespace fb = v1;", "namespace fb = v2;"),
            ("int of(const Row& a, int b) {\n}", "int of(const Row& a, std::uint64_t b) {\n}"),
            ("void kLimit(int) {\n}", "constexpr int kLimit = 1;"),
        ]:
            self.assertEqual(len(judged(unnamed(one), unnamed(other))), 1, (one, other))

    def test_overloads_equal_aliases_and_names_of_other_namespaces_pass(self):
        for one, other in [
            ("int of(int a) {\n}", "int of(const std::string& a) {\n}"),
            ("int of(int a) {\n}", "int of(int a, double b) {\n}"),
            ("using Json = nlohmann::json;", "using Json = nlohmann::json;"),
            ("struct Row {\n  int of;\n};", "int of(int a) {\n}"),
        ]:
            self.assertEqual(judged(unnamed(one), unnamed(other)), [])
        self.assertEqual(judged(unnamed("struct Row {\n};"), unnamed("struct Row {\n};", "b")), [])
        self.assertEqual(judged(unnamed("struct Row {\n};"), "namespace a {\nstruct Row {\n};\n}  // namespace a\n"), [])

    def test_a_header_has_the_name_in_the_namespace_around(self):
        source = [("room", "sim/a/one.cpp", unnamed("class Row {\n};"))]
        header = "namespace a {\n\nstruct Row {\n};\n\n}  // namespace a\n"
        self.assertEqual(len(check_joined.clashes(source, [("sim/b/row.hpp", header)])), 1)
        self.assertEqual(check_joined.clashes(source, [("compiler/row.hpp", header)]), [])
        self.assertEqual(check_joined.clashes(source, [("sim/b/row.hpp", header.replace("{\n};", "x;").replace("struct Row x", "struct Row"))]), [])

    def test_targets_are_told_apart(self):
        one = unnamed("struct Row {\n};")
        self.assertEqual(check_joined.clashes([("a", "one.cpp", one), ("b", "other.cpp", one)]), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
