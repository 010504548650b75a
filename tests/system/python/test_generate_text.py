#!/usr/bin/python3
"""examples/generate_text.py: text in, text out, with a tokenizer of llama2.c."""
import contextlib
import io
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy

import macaw

EXAMPLE = pathlib.Path("examples/generate_text.py").resolve()
sys.path.insert(0, str(EXAMPLE.parent))
import generate_text  # noqa: E402

WIDTH, INSIDE, LAYERS, HEADS, VOCABULARY, CONTEXT = 32, 48, 1, 4, 300, 40
BYTES = [(b"<unk>", 0), (b"\n<s>\n", 0), (b"\n</s>\n", 0)] + [(b"<0x%02X>" % byte, 0) for byte in range(256)]
PIECES = [(b" ", -1), (b"a", -2), (b"b", -3), (b"c", -4), (b"bc", -5), (b"ab", -6), (b"abc", -7), (b" a", -8), ("\u00e9".encode(), -9),
          (b"\xe9\x9f", -10)]


def tokenizer(pieces):
    return struct.pack("<i", max(len(piece) for piece, _ in pieces)) + b"".join(
        struct.pack("<fi", score, len(piece)) + piece for piece, score in pieces)


def checkpoint():
    """A file of llama2.c with drawn weights and a classifier of its own."""
    rng = numpy.random.default_rng(3)
    shapes = [(VOCABULARY, WIDTH), (LAYERS, WIDTH), *[(LAYERS, WIDTH, WIDTH)] * 4, (LAYERS, WIDTH), (LAYERS, INSIDE, WIDTH), (LAYERS, WIDTH, INSIDE),
              (LAYERS, INSIDE, WIDTH), (WIDTH,), (CONTEXT, WIDTH // HEADS), (VOCABULARY, WIDTH)]
    return struct.pack("<7i", WIDTH, INSIDE, LAYERS, HEADS, HEADS, -VOCABULARY, CONTEXT) + b"".join(
        rng.normal(0, 1 if len(shape) < 3 else WIDTH ** -0.5, shape).astype(numpy.float32).tobytes() for shape in shapes)


class GenerateText(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.write("tok.bin", tokenizer(BYTES + PIECES + [(b"w%d " % i, -20 - i) for i in range(VOCABULARY - len(BYTES + PIECES))]))
        cls.write("weights.bin", checkpoint())
        for form in ("cache", "variable"):
            for command in (("model", "llama_decoder", "--weights", "weights.bin", "--form", form, "--activations", "int16", "-o", f"{form}.tosa"),
                            ("compile", f"{form}.tosa", "-a", "ethos-u85-256", "-o", f"{form}.npz")):
                subprocess.run([os.environ["MACAW"], *command], cwd=cls.folder, check=True, capture_output=True)

        cls.before = pathlib.Path.cwd()
        os.chdir(cls.folder)

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.temporary.cleanup()

    @classmethod
    def write(cls, name, content):
        (cls.folder / name).write_bytes(content)
        return cls.folder / name

    def generate(self, *words, code=0):
        """Returns what the program prints, or its message where it ends with `code`."""
        printed, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said), \
                unittest.mock.patch("sys.argv", ["generate_text", *map(str, words)]):
            try:
                generate_text.main()
                status = 0
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1
                said.write(f"{end.code}\n" if status == 1 else "")
        self.assertEqual(status, code, said.getvalue())
        return said.getvalue() if code else printed.getvalue()

    def test_it_is_a_program(self):
        call = [sys.executable, "-B", EXAMPLE, "cache.npz", "tok.bin", "--prompt", "abc", "--tokens", "3"]
        done = subprocess.run(call, cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(done.stdout.decode(), self.generate(*call[3:]))
        self.assertTrue(done.stdout.startswith(b"abc"))
        done = subprocess.run([*call[:4], "absent.bin"], cwd=self.folder, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr, rb"^generate_text: .*absent.bin'\n$")

    def test_pairs_are_joined_by_their_score(self):
        known = generate_text.Tokenizer(str(self.folder / "tok.bin"))
        space, a, b, c, bc, ab, abc, space_a, accented, _ = range(len(BYTES), len(BYTES) + len(PIECES))
        self.assertEqual(known.encode(""), [])
        self.assertEqual(known.encode("b"), [space, b])
        self.assertEqual(known.encode("cab"), [space, c, ab])
        self.assertEqual(known.encode("abc"), [space, abc])          # bc, the best pair, then abc
        self.assertEqual(known.encode("aab"), [space_a, ab])         # ab before " a"
        self.assertEqual(known.encode("b\u00e9"), [space, b, accented])
        # Bytes of a character that is not a token; the piece b"\xe9\x9f" joins two of them.
        self.assertEqual(known.encode("\u97f3"), [space, len(BYTES) + 9, generate_text.FIRST_BYTE + 0xb3])

    def test_a_text_is_its_tokens(self):
        known = generate_text.Tokenizer(str(self.folder / "tok.bin"))
        draw = random.Random(4)
        for _ in range(50):
            text = "".join(draw.choice("abc  w12\n\u00e9\u97f3\U0001f99c") for _ in range(draw.randrange(1, 60)))
            tokens = known.encode(text)
            joined = b"".join(known.bytes_after(previous, token) for previous, token in zip([generate_text.BEGIN, *tokens], tokens))
            self.assertEqual(joined.decode(), text)

    def test_the_likeliest_tokens_of_every_engine(self):
        known = generate_text.Tokenizer(str(self.folder / "tok.bin"))
        session = macaw.tosa.Session(self.folder / "variable.tosa")
        tokens = known.encode("abc b")
        for position, token in enumerate([generate_text.BEGIN, *(None,) * 15]):
            token = tokens[position - 1] if position else token
            following = int(session.run([numpy.array([[token]], numpy.int32), numpy.array([[position]], numpy.int32)])[1].item())
            if position >= len(tokens):
                tokens.append(following)
        expected = b"".join(map(known.pieces.__getitem__, tokens))[1:].decode(errors="replace") + "\n"
        self.assertGreater(len(set(tokens)), 6)
        self.assertNotIn(generate_text.END, tokens)
        for network in ("cache.tosa", "cache.npz", "variable.tosa", "variable.npz"):
            with self.subTest(network=network):
                self.assertEqual(self.generate(network, "tok.bin", "--prompt", "abc b", "--tokens", len(tokens) - 4), expected)

    def test_drawn_tokens_follow_their_seed(self):
        call = ("variable.npz", "tok.bin", "--prompt", "ab", "--temperature", 1, "--scale", 1e-4, "--tokens", 12)
        first = self.generate(*call)
        self.assertEqual(first, self.generate(*call, "--seed", 1))
        self.assertNotEqual(first, self.generate(*call, "--seed", 2))
        self.assertIn("--temperature requires --scale", self.generate("variable.npz", "tok.bin", "--temperature", 1, code=2))
        self.assertIn("expected 0, or 0.01 to 100", self.generate("variable.npz", "tok.bin", "--temperature", "nan", code=2))
        draw = generate_text.sampler(0.5, 2, 7)
        counts = numpy.bincount([draw(numpy.array([0, 4, 8], numpy.int16)) for _ in range(4000)]) / 4000
        wanted = numpy.exp([0, 1, 2])
        numpy.testing.assert_allclose(counts, wanted / wanted.sum(), atol=0.03)

    def test_files_that_are_not_tokenizers(self):
        whole = (self.folder / "tok.bin").read_bytes()
        score = struct.pack("<f", float("nan"))
        for content, message in (
                (b"", "0 bytes, expected the length"), (whole[:4], "token 3 is not <0x00>"), (whole[:9], "byte 4: token 0 has no score and length"),
                (struct.pack("<i", -1) + whole[4:], "the longest token has -1 bytes"), (struct.pack("<i", 2 ** 31 - 1) + whole[4:], "2147483647 bytes"),
                (whole[:4] + score + whole[8:], "byte 4: the score of token 0 is nan"), (whole[:8] + struct.pack("<i", -5) + whole[12:], "token 0 has -5 bytes"),
                (whole[:8] + struct.pack("<i", 2 ** 30) + whole[12:], "token 0 has 1073741824 bytes, expected 0 to"),
                (whole[:-1], "token 299 has 4 bytes, of which 3 are there"), (whole + b"\0", "token 300 has no score and length"),
                (whole.replace(b"<0x41>", b"<0x42>"), "token 68 is not <0x41>")):
            with self.subTest(message=message):
                self.write("wrong.bin", content)
                said = self.generate("cache.tosa", "wrong.bin", code=1)
                self.assertIn("generate_text: wrong.bin: ", said)
                self.assertIn(message, said)
                self.assertEqual(said.count("\n"), 1)

    def test_what_does_not_fit_together(self):
        self.write("more.bin", tokenizer(BYTES + PIECES))
        self.assertIn("the tokenizer has 269 tokens, the decoder 300", self.generate("cache.npz", "more.bin", code=1))
        self.assertIn("the prompt has 51 tokens, of which the decoder takes 39", self.generate("cache.tosa", "tok.bin", "--prompt", "b" * 50, code=1))
        self.assertIn("more than the 40 tokens", self.generate("cache.tosa", "tok.bin", "--prompt", "b" * 5000, code=1))
        network = EXAMPLE.parent.parent / "traces/tiny_cnn/tiny_cnn.tosa"
        self.assertIn("not a step of a decoder", self.generate(network, "tok.bin", code=1))
        self.assertIn("weights.bin: unknown kind of file", self.generate("weights.bin", "tok.bin", code=1))
        # The context ends the text.
        self.assertTrue(self.generate("cache.npz", "tok.bin", "--tokens", 1000))


if __name__ == "__main__":
    unittest.main()
