"""LIBRARY...: the SONAME of each shared library and the symbols that it exports are those of exports.txt, and every function of its
header is among them."""
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = [pathlib.Path(name) for name in sys.argv[1:]]
HEADERS = HERE.parents[3] / "include/macaw"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def expected():
    """By SONAME."""
    exports = {}
    for line in (HERE / "exports.txt").read_text().splitlines():
        if line.startswith("["):
            names = exports.setdefault(line[1:-1], set())
        elif not line.startswith("#"):
            names.add(line)
    return exports


class Exports(unittest.TestCase):
    def test_symbols_and_soname(self):
        by_soname = expected()
        self.assertEqual(len(LIBRARIES), len(by_soname))
        for library in LIBRARIES:
            with self.subTest(library.name):
                soname = re.search(r"\(SONAME\).*\[(.*)\]", output("readelf", "-dW", library))[1]
                self.assertIn(soname, by_soname)
                symbols = {line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()}
                versions = {symbol.partition("@@")[2] for symbol in by_soname[soname]}
                self.assertEqual(symbols - versions, by_soname[soname])  # a version is a symbol as well

    def test_headers_declare_what_is_exported(self):
        for soname, names in expected().items():
            prefix = soname.removeprefix("lib").partition(".")[0]
            header = (HEADERS / f"{prefix.removeprefix('macaw_')}.h").read_text()
            declared = set(re.findall(rf"\b({prefix}_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
            self.assertEqual(declared, {name.partition("@@")[0] for name in names if name.startswith(prefix)})
            abi = re.search(r"_ABI (\d+)u", header)[1]
            self.assertTrue(soname.endswith(f".so.{abi}"), soname)
            self.assertEqual({name.rpartition("_")[2] for name in names}, {abi})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
