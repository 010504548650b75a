#!/usr/bin/python3
"""docs/OPERATORS.md is what `macaw list ops --markdown` prints."""
import os
import pathlib
import subprocess
import unittest


class OperatorTable(unittest.TestCase):
    def test_file_is_current(self):
        printed = subprocess.run([os.environ["MACAW"], "list", "ops", "--markdown"], check=True, capture_output=True)
        self.assertEqual(printed.stdout.decode(), pathlib.Path("docs/OPERATORS.md").read_text(),
                         "write it again: macaw list ops --markdown > docs/OPERATORS.md")


if __name__ == "__main__":
    unittest.main()
