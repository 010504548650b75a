#!/usr/bin/python3
"""Inputs of macaw accuracy: pictures and recordings beside what numpy makes of them, hostile files, and pairs of TOSA graphs."""
import base64
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "accuracy"))
from tflite_patch import Model

CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"))
PAIRS = CORPUS / "outside" / "accuracy"
# 16 x 12 pixels of libjpeg-turbo at quality 95 without subsampling: red is 16 x, green 20 y, blue 128.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCg"
    "oKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAARCAAMABADAREAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF"
    "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmq"
    "KjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
    "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqK"
    "mqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwD4h+E37E/+r/4lHp/BX77nHHu/vnyHhr4m/B7/AGPpn4TfsT/6v/iUen8FflOcce7++f6A"
    "eGvib8Hv9j6k+E/wo8Efu/8AiWence/tX5FnGcY/X3j/AAc8NeIMz9z3+39bn0z8J/hR4I/d/wDEs7DuPf2r8pzjOMfr7x/oB4a8QZn7nv8Ab+tz/9k=")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels, depth=8):
    """A PNG of [height, width, 1 to 4] channels."""
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, depth, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in (pixels if depth == 8 else pixels.astype(">u2")))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def wav(samples, rate=16000, kind=1, bits=None):
    """A WAV of [frames, channels]; int32 values are written with 24 bits. `bits` are stated in place of all of a sample."""
    size = 3 if samples.dtype == np.int32 else samples.itemsize
    data = samples.astype("<i4").tobytes() if size == 3 else samples.tobytes()
    if size == 3:
        data = b"".join(data[i:i + 3] for i in range(0, len(data), 4))
    frame = samples.shape[1] * size
    header = struct.pack("<HHIIHH", kind, samples.shape[1], rate, rate * frame, frame, bits or 8 * size)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<I", 16) + header + b"data" + struct.pack("<I", len(data)) + data


def bilinear(pixels, height, width):
    """Centres of pixels at halves, no antialiasing."""
    def axis(values, count):
        at = np.clip((np.arange(count) + 0.5) * values.shape[0] / count - 0.5, 0, values.shape[0] - 1)
        low = np.floor(at).astype(int)
        share = (at - low).reshape(-1, 1, 1)
        return values[low] * (1 - share) + values[np.minimum(low + 1, values.shape[0] - 1)] * share
    rows = axis(pixels.astype(np.float64), height)
    return axis(rows.transpose(1, 0, 2), width).transpose(1, 0, 2)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def call(self, *arguments, code=0):
        done = subprocess.run([os.environ["MACAW"], *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def measure(self, *arguments):
        file = self.folder / "accuracy.json"
        self.call("accuracy", *arguments, "--json", file, "--force")
        return json.loads(file.read_text())


@unittest.skipUnless(PAIRS.is_dir(), "the corpus is not there")
class Media(Folder):
    """A picture or recording must give the figures of the floats that numpy makes of it."""

    def setUp(self):
        super().setUp()
        self.inputs, self.toml = self.folder / "in", self.folder / "p.toml"
        self.inputs.mkdir()

    def check(self, pair, files, toml, expected):
        for name, content in files.items():
            (self.inputs / name).write_bytes(content)
        self.toml.write_text(toml)
        np.save(self.folder / "x.npy", np.asarray(expected, np.float32))
        pair = [PAIRS / f"{pair}_float.tflite", PAIRS / f"{pair}_int8.tflite"]
        found = self.measure(*pair, "--inputs", self.inputs, "--preprocess", self.toml)
        wanted = self.measure(*pair, "--inputs", self.folder / "x.npy")
        for a, b in zip(found["layers"], wanted["layers"], strict=True):
            self.assertAlmostEqual(a["accumulated"]["sqnr_db"], b["accumulated"]["sqnr_db"], delta=0.05)
            np.testing.assert_allclose(a["float_range"], b["float_range"], rtol=1e-3, atol=1e-3)

    def test_pictures_are_resized_and_scaled(self):
        pixels = np.random.default_rng(1).integers(0, 256, (2, 50, 70, 3), np.uint8)
        wanted = np.stack([bilinear(p, 96, 96) for p in pixels]) / 255
        self.check("vww", {f"{i}.png": png(p) for i, p in enumerate(pixels)},
                   "[picture]\nresize = \"bilinear\"\nscale = 0.00392156862745098\n", wanted[:, None])

    def test_channels_and_crops(self):
        pixels = np.random.default_rng(2).integers(0, 256, (32, 48, 4), np.uint8)
        mean, scale = np.array([120, 110, 100.0]), np.array([1, 0.5, 0.25])
        self.check("resnet8", {"0.PNG": png(pixels)},
                   "[picture]\nfit = \"crop\"\ncolour = \"bgr\"\nmean = [120, 110, 100]\nscale = [1, 0.5, 0.25]\n",
                   (pixels[:, 8:40, 2::-1][None] - mean) * scale)

    def test_grey_becomes_colour_and_nearest_is_exact(self):
        pixels = np.random.default_rng(3).integers(0, 256, (16, 16, 1), np.uint8)
        self.check("resnet8", {"0.png": png(pixels)}, "[picture]\nresize = \"nearest\"\n",
                   pixels.repeat(2, 0).repeat(2, 1).repeat(3, 2)[None, None])

    def test_samples_are_those_of_the_file_whatever_its_gamma(self):
        pixels = np.random.default_rng(7).integers(0, 256, (32, 32, 3), np.uint8)
        stored = png(pixels)
        linear = stored[:33] + chunk(b"gAMA", struct.pack(">I", 100000)) + stored[33:]
        self.check("resnet8", {"0.png": linear}, "[picture]\n", pixels[None, None])

    def test_jpeg(self):
        y, x = np.mgrid[:12, :16]
        pixels = np.stack([16 * x, 20 * y, np.full_like(x, 128)], -1)
        for name in ("0.jpg", "1.JPEG"):
            (self.inputs / name).write_bytes(JPEG)
        self.toml.write_text("[picture]\nresize = \"bilinear\"\n")
        found = self.measure(PAIRS / "resnet8_int8.tflite", "--inputs", self.inputs, "--preprocess", self.toml)
        np.save(self.folder / "x.npy", bilinear(pixels, 32, 32)[None].astype(np.float32))
        wanted = self.measure(PAIRS / "resnet8_int8.tflite", "--inputs", self.folder / "x.npy")
        first, other = found["layers"][0]["float_range"], wanted["layers"][0]["float_range"]
        np.testing.assert_allclose(first, other, atol=0.05 * (other[1] - other[0]))  # the file is lossy

    def test_recordings(self):
        sound = np.random.default_rng(4).integers(-30000, 30000, (500, 2)).astype(np.int16)
        mono = np.zeros(640)
        mono[:500] = sound.astype(np.float64).mean(1) / 32768
        forms = {"0.wav": wav(sound), "1.wav": wav(sound.astype(np.int32) * 256),
                 "2.wav": wav((sound / 32768).astype(np.float32), kind=3), "3.wav": wav(sound, bits=12),
                 "4.wav": wav(sound.astype(np.int32) * 256, bits=20)}
        self.check("ad01", forms, "[sound]\nrate = 16000\nscale = 2\n", np.stack([2 * mono] * 5)[:, None])

    def test_recordings_in_folders_of_sets_are_not_raw_files(self):
        (self.inputs / "0").mkdir()
        (self.inputs / "0" / "0.wav").write_bytes(wav(np.zeros((640, 1), np.int16)))
        self.toml.write_text("[sound]\n")
        arguments = ["accuracy", PAIRS / "ad01_int8.tflite", "--inputs", self.inputs, "--preprocess", self.toml]
        self.assertNotIn("raw files", self.call(*arguments))
        (self.inputs / "0" / "0.wav").unlink()
        (self.inputs / "0" / "0.bin").write_bytes(bytes(640))
        self.assertIn("raw files", self.call(*arguments))

    def test_errors_name_file_and_cause(self):
        arguments = ["accuracy", PAIRS / "resnet8_int8.tflite", "--inputs", self.inputs]
        picture = self.inputs / "0.png"
        picture.write_bytes(png(np.zeros((4, 4, 3), np.uint8)))
        self.assertIn("--preprocess FILE.toml", self.call(*arguments, code=2))
        arguments += ["--preprocess", self.toml]
        for toml, text, code in (("[picture]\n", "set 'resize'", 3), ("[picture]\nresize = \"cubic\"\n", "must be one of", 3),
                                 ("[picture]\nmean = [1, 2]\nresize = \"nearest\"\n", "2 numbers for 3 channels", 3),
                                 ("[picture]\nscale = []\n", "finite number", 3), ("[picture]\nscale = nan\n", "finite number", 3),
                                 ("[picture]\nsize = 3\n", "size", 3), ("picture = 3\n", "must be a table", 3),
                                 ("[picture]\nlayout = \"nchw\"\n", "is the layout", 3), ("[sound]\n", "no table [picture]", 2),
                                 ("[picture]\ncolour = \"grey\"\nresize = \"nearest\"\n", "colour", 3)):
            with self.subTest(toml):
                self.toml.write_text(toml)
                self.assertIn(text, self.call(*arguments, code=code))
        self.toml.write_text("[picture]\nresize = \"nearest\"\n[sound]\n")
        for content, text in ((b"", "although its name says so"), (b"GIF89a", "although its name says so"),
                              (picture.read_bytes()[:50], "PNG"), (JPEG[:300], "JPEG"), (b"\xff\xd8\xff", "JPEG"),
                              (png(np.zeros((4, 4, 3), np.uint16), 16), "16 bits"), (b"RIFF\0\0\0\0WAVE", "no data"),
                              (b"RIFF\0\0\0\0WAVEfmt \xff\xff\xff\xff", "cut short"),
                              (wav(np.zeros((4, 1), np.int16), kind=17), "expected PCM"),
                              (wav(np.zeros((4, 1), np.int64), bits=24), "8 bytes per frame"),
                              (wav(np.zeros((0, 1), np.int16)), "no samples"),
                              (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0))
                               + chunk(b"IDAT", zlib.compress(b"")), "60000 x 60000 pixels")):
            with self.subTest(content[:40]):
                picture.write_bytes(content)
                self.assertIn(text, self.call(*arguments, code=3))

    def test_damaged_files_end_in_an_error_or_a_result(self):
        self.toml.write_text("[picture]\nresize = \"bilinear\"\n[sound]\n")
        generator = np.random.default_rng(5)
        sound, picture = wav(np.arange(40, dtype=np.int16).reshape(-1, 1)), png(generator.integers(0, 256, (9, 7, 3), np.uint8))
        for i in range(40):
            content = bytearray((JPEG, picture, sound)[i % 3])
            for at in generator.integers(0, len(content), 3):
                content[at] = generator.integers(0, 256)
            (self.inputs / "0.png").write_bytes(bytes(content[:generator.integers(len(content) // 2, len(content) + 1)]))
            done = subprocess.run([os.environ["MACAW"], "accuracy", PAIRS / "ad01_int8.tflite" if i % 3 == 2 else PAIRS / "resnet8_int8.tflite",
                                   "--inputs", self.inputs, "--preprocess", self.toml], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 3), done.stderr)


@unittest.skipUnless(PAIRS.is_dir(), "the corpus is not there")
class Graphs(Folder):
    def setUp(self):
        super().setUp()
        reference, quantised = PAIRS / "ad01_float.tflite", PAIRS / "ad01_int8.tflite"
        self.networks = [reference, quantised]
        self.model = Model(quantised.read_bytes())
        self.graphs = [self.folder / "float.tosa", self.folder / "int8.tosa"]
        for network, graph in zip(self.networks, self.graphs):
            self.call("import", network, "-o", graph)
        tensor = self.model.tensors[self.model.inputs[0]]
        codes = np.random.default_rng(6).integers(-128, 128, (20, *tensor.shape), dtype=np.int8)
        np.save(self.folder / "x.npy", codes)
        self.inputs = ["--inputs", self.folder / "x.npy"]
        self.scale = ["--input-scale", f"{float(self.model.scales(tensor)[0])!r},{int(self.model.zero_points(tensor)[0])}"]

    def test_figures_are_those_of_the_networks_that_the_graphs_are_from(self):
        found, wanted = self.measure(*self.graphs, *self.inputs, *self.scale), self.measure(*self.networks, *self.inputs)
        self.assertEqual(found["scales"], "fitted")
        self.assertEqual([l["kind"] for l in found["layers"]], ["CONV2D"] * len(self.model.operators))
        for layer, other, op in zip(found["layers"], wanted["layers"], self.model.operators, strict=True):
            scale = float(self.model.scales(self.model.tensors[op.outputs[0]])[0])
            self.assertAlmostEqual(layer["codes"]["scale"] / scale, 1, delta=0.03)
            for side in ("accumulated", "alone"):  # fitted scales of the operands limit what can be seen beyond 40 dB
                self.assertAlmostEqual(min(layer[side]["sqnr_db"], 40), min(other[side]["sqnr_db"], 40), delta=1.2, msg=(layer["tensor"], side))
        self.assertEqual((found["only_float"], found["only_quantised"]), ([], []))
        lowest = found["output_sqnr_db"]
        self.call("accuracy", *self.graphs, *self.inputs, *self.scale, "--min-sqnr", lowest - 0.1)
        self.call("accuracy", *self.graphs, *self.inputs, *self.scale, "--min-sqnr", lowest + 0.1, code=1)

    def test_imported_floats_are_those_of_the_network(self):
        for name in ("resnet8", "ad01", "vww", "kws"):
            with self.subTest(name):
                network, graph = PAIRS / f"{name}_float.tflite", self.folder / f"{name}.tosa"
                model = Model(network.read_bytes())
                np.save(self.folder / "in.npy", np.random.default_rng(8).uniform(0, 4, (3, *model.tensors[model.inputs[0]].shape)).astype(np.float32))
                self.call("import", network, "-o", graph)
                for command, file in (("tflite", network), ("tosa", graph)):
                    self.call(command, file, "--inputs", self.folder / "in.npy", "--output-dir", self.folder / name / command)
                wanted, found = (np.load(next((self.folder / name / command).glob("*.npy"))) for command in ("tflite", "tosa"))
                np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())

    def test_artifacts_of_the_graph(self):
        self.call("compile", self.graphs[1], "-a", "ethos-u55-128", "-o", self.folder / "net.npz")
        found = self.measure(*self.graphs, self.folder / "net.npz", *self.inputs, *self.scale)
        self.assertEqual(found["npu"][0]["sets_different"], 0)
        self.assertEqual(found["layers"][-1]["npu"][0], {**found["layers"][-1]["npu"][0], "visible": True, "equal": True})

    def test_names_of_files_do_not_matter(self):
        for file, name in zip(self.graphs + self.networks, ("float.txt", "int8.bin", "float.tosa", "int8.mlir")):
            (self.folder / name).write_bytes(file.read_bytes())
        self.call("accuracy", self.folder / "float.txt", self.folder / "int8.bin", *self.inputs, *self.scale)
        self.call("accuracy", self.folder / "float.tosa", self.folder / "int8.mlir", *self.inputs)

    def test_the_first_file_may_be_a_pipe(self):
        for file, rest in ((self.graphs[0], [self.graphs[1], *self.scale]), (self.networks[0], [self.networks[1]])):
            done = subprocess.run([os.environ["MACAW"], "accuracy", "/dev/stdin", *map(str, rest), *map(str, self.inputs)],
                                  input=file.read_bytes(), capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_errors(self):
        self.assertIn("--input-scale", self.call("accuracy", *self.graphs, *self.inputs, code=2))
        self.assertIn("--input-scale", self.call("accuracy", *self.graphs, *self.inputs, "--input-scale", "0,1", code=2))
        self.assertIn("expected -128 to 127 for INT8", self.call("accuracy", *self.graphs, *self.inputs, "--input-scale", "0.1,128", code=2))
        self.assertIn("states its scales", self.call("accuracy", *self.networks, *self.inputs, *self.scale, code=2))
        self.assertIn("states no scales", self.call("accuracy", self.graphs[1], *self.inputs, code=2))
        self.assertIn("INT8 or INT16 and FP32", self.call("accuracy", self.graphs[1], self.graphs[1], *self.inputs, *self.scale, code=3))


if __name__ == "__main__":
    unittest.main()
