#!/usr/bin/python3
"""check_includes.py on made-up trees: what it must refuse, it refuses, and says why."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import check_includes

TABLE = "| room | what it does | includes |\n|---|---|---|\n"


def judged(rows, files, most=40):
    """Exit code and output for a tree of files under a table of rooms."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {"docs/ARCHITECTURE.md": TABLE + rows, **files}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = check_includes.main(root, most)
        return code, out.getvalue()


class CheckIncludes(unittest.TestCase):
    def test_a_tree_that_keeps_to_the_table_passes_and_its_arrows_are_printed(self):
        code, text = judged("| `a` | | `b` |\n| `b` | | |\n", {"a/x.cpp": '#include "b/y.hpp"\n', "b/y.hpp": ""})
        self.assertEqual(code, 0, text)
        self.assertIn("a -> b\n", text)
        self.assertIn("2 files, 2 rooms, 1 arrows, no circle", text)

    def test_a_circle_fails_although_the_table_allows_every_arrow(self):
        rows = "| `a` | | `b` |\n| `b` | | `c` |\n| `c` | | `a` |\n"
        files = {"a/x.hpp": '#include "b/y.hpp"\n', "b/y.hpp": '#include "c/z.hpp"\n', "c/z.hpp": '#include "a/x.hpp"\n'}
        code, text = judged(rows, files)
        self.assertEqual(code, 1)
        self.assertIn("circle: a -> b -> c -> a", text)
        self.assertNotIn("no circle", text)

    def test_more_arrows_than_the_limit_fail(self):
        rows = "| `a` | | `b`, `c` |\n| `b` | | |\n| `c` | | |\n"
        files = {"a/x.cpp": '#include "b/y.hpp"\n#include "c/z.hpp"\n', "b/y.hpp": "", "c/z.hpp": ""}
        self.assertEqual(judged(rows, files, most=2)[0], 0)
        code, text = judged(rows, files, most=1)
        self.assertEqual(code, 1)
        self.assertIn("2 arrows between rooms, more than 1", text)

    def test_an_include_that_the_table_does_not_allow_is_named(self):
        code, text = judged("| `a` | | |\n| `b` | | |\n", {"a/x.cpp": '\n#include "b/y.hpp"\n', "b/y.hpp": ""})
        self.assertEqual(code, 1)
        self.assertIn("a/x.cpp:2: a must not include b (b/y.hpp)", text)

    def test_an_arrow_of_the_table_that_nothing_needs_fails(self):
        code, text = judged("| `a` | | `b` |\n| `b` | | |\n", {"a/x.cpp": "", "b/y.hpp": ""})
        self.assertEqual(code, 1)
        self.assertIn("a does not include b", text)

    def test_reference_and_sim_never_include_each_other_whatever_the_table_says(self):
        for here, there in (("reference", "sim/isa"), ("sim/isa", "reference")):
            rows = f"| `{here}` | | `{there}` |\n| `{there}` | | |\n"
            code, text = judged(rows, {f"{here}/x.cpp": f'#include "{there}/y.hpp"\n', f"{there}/y.hpp": ""})
            self.assertEqual(code, 1)
            self.assertIn("reference/ and sim/ never include each other", text)

    def test_a_file_outside_all_rooms_fails(self):
        code, text = judged("| `a/b` | | |\n", {"a/x.cpp": '#include "a/b/y.hpp"\n', "a/b/y.hpp": ""})
        self.assertEqual(code, 1)
        self.assertIn("a/x.cpp: no room of docs/ARCHITECTURE.md holds it", text)

    def test_every_room_may_include_the_installed_headers(self):
        files = {"a/x.cpp": "#include <macaw/y.hpp>\n", "include/macaw/y.hpp": ""}
        code, text = judged("| `a` | | |\n| `include/macaw` | | |\n", files)
        self.assertEqual(code, 0, text)

    def test_the_installed_headers_include_no_room(self):
        files = {"include/macaw/y.hpp": '#include "a/x.hpp"\n', "a/x.hpp": ""}
        code, text = judged("| `a` | | |\n| `include/macaw` | | |\n", files)
        self.assertEqual(code, 1)
        self.assertIn("include/macaw must not include a", text)


if __name__ == "__main__":
    unittest.main()
