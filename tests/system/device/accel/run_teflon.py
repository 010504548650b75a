"""Command streams in the forms of Mesa's Ethos-U compiler (teflon_streams.py) by the calls of its Teflon delegate, on
/dev/accel/accel0 by macaw-accel. What they leave is compared with TensorFlow Lite's arithmetic, computed here."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import teflon_streams
from teflon_streams import AVG, MAX, Compiler, Tensor

HERE = pathlib.Path(__file__).resolve().parent
WRAPPER, LIBRARY = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
del sys.argv[1:3]
U65, U85 = "ethos-u65-256", "ethos-u85-256"
FORMS = ((U65, 1), (U65, 2), (U85, 2))
SRAM = 393216


def f32(value):
    """A scale as TensorFlow Lite stores it."""
    return float(np.float32(value))


def doubling_high_mul(a, b):
    """SaturatingRoundingDoublingHighMul of gemmlowp for int32 that do not overflow."""
    product = a * b
    nudge = 1 << 30 if product >= 0 else 1 - (1 << 30)
    return abs(product + nudge) // (1 << 31) * (1 if product + nudge >= 0 else -1)


def divide_by_power(value, exponent):
    """RoundingDivideByPOT: ties away from zero."""
    mask = (1 << exponent) - 1
    return (value >> exponent) + ((value & mask) > (mask >> 1) + (value < 0))


def rescale(value, factor):
    """MultiplyByQuantizedMultiplier for a factor below 1, with both roundings."""
    multiplier, shift = teflon_streams.quantize_scale(factor)
    if multiplier == 1 << 31:
        multiplier, shift = 1 << 30, shift - 1
    return divide_by_power(doubling_high_mul(int(value), multiplier), shift - 31)


def clamp(values, tensor):
    low, high = (-128, 127) if tensor.signed else (0, 255)
    return np.clip(values, low, high).astype(np.int64)


def each(function, values):
    return np.array([function(int(v)) for v in values.flat], dtype=np.int64).reshape(values.shape)


def padded(x, pad, value):
    top, left, bottom, right = pad
    return np.pad(x, ((top, bottom), (left, right), (0, 0)), constant_values=value)


def windows(x, kernel, stride):
    """[OH, OW, KH, KW, C] of an already padded image."""
    view = np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(0, 1))
    return np.moveaxis(view[::stride[0], ::stride[1]], 2, -1)


def convolution(x, ifm, ofm, weights, zero, scale, bias, stride, pad, depthwise):
    taps = windows(padded(x - ifm.zero, pad, 0), weights.shape[1:3], stride)
    w = weights.astype(np.int64) - zero
    sums = np.einsum("hwyxc,cyx->hwc", taps, w[..., 0]) if depthwise else np.einsum("hwyxc,oyxc->hwo", taps, w)
    return clamp(each(lambda v: rescale(v, ifm.scale * scale / ofm.scale), sums + bias) + ofm.zero, ofm)


def average(x, ofm, kernel, stride, pad):
    """AveragePool: the elements inside, ties away from zero."""
    sums = windows(padded(x, pad, 0), kernel, stride).sum(axis=(2, 3))
    counts = windows(padded(np.ones_like(x), pad, 0), kernel, stride).sum(axis=(2, 3))
    return clamp(np.where(sums >= 0, (sums + counts // 2) // counts, -((counts // 2 - sums) // counts)), ofm)


def added(a, b, ta, tb, ofm):
    """Add of 8 bits: operands with 20 more bits."""
    largest = 2 * max(ta.scale, tb.scale)

    def of(v, w):
        total = rescale(v << 20, ta.scale / largest) + rescale(w << 20, tb.scale / largest)
        return rescale(total, largest / (ofm.scale * (1 << 20)))
    pairs = zip((a - ta.zero).flat, (b - tb.zero).flat, strict=True)
    return clamp(np.array([of(int(v), int(w)) for v, w in pairs]).reshape(a.shape) + ofm.zero, ofm)


def same(shape, kernel, stride):
    """Pads that keep the size but for the stride, as Mesa sets them: top, left, bottom, right."""
    total = [max(k - (n % s or s), 0) for n, k, s in zip(shape, kernel, stride, strict=False)]
    return total[0] // 2, total[1] // 2, (total[0] + 1) // 2, (total[1] + 1) // 2


class Net:
    """A subgraph and what each of its tensors has to hold."""

    def __init__(self, npu, form, signed=True, sram=SRAM, coding="rice", seed=1):
        self.npu, self.form, self.signed, self.sram = npu, form, signed, sram
        self.compiler, self.random = Compiler(npu, form, sram, coding), np.random.default_rng(seed)
        self.values, self.inputs, self.outputs = {}, [], []

    def tensor(self, shape, scale, zero=0, brick=False):
        return Tensor(shape, f32(scale), zero if self.signed else zero + 128, self.signed, brick)

    def input(self, shape, scale=0.05, zero=3):
        t = self.tensor(shape, scale, zero)
        self.inputs.append(t)
        self.values[t] = clamp(self.random.integers(-128, 256, shape), t)
        return t

    def convolution(self, ifm, channels, kernel, stride=(1, 1), pad=(0, 0, 0, 0), depthwise=False, brick=False, scale=0.3):
        height, width = ((n + a + b - k) // s + 1 for n, a, b, k, s in
                         zip(ifm.shape[:2], pad[:2], pad[2:], kernel, stride, strict=True))
        ofm = self.tensor((height, width, channels), scale, -5, brick)
        low, high, zero = (-127, 128, 0) if self.signed else (0, 256, 120)
        weights = self.random.integers(low, high, (channels, *kernel, 1 if depthwise else ifm.depth))
        bias = self.random.integers(-3000, 3000, channels)
        facts = (weights, zero, f32(0.01), bias, stride, pad, depthwise)
        self.compiler.convolution(ifm, ofm, *facts)
        self.values[ofm] = convolution(self.values[ifm], ifm, ofm, *facts)
        return ofm

    def pooling(self, ifm, kind, kernel, stride=(1, 1), pad=(0, 0, 0, 0)):
        height, width = ((n + a + b - k) // s + 1 for n, a, b, k, s in
                         zip(ifm.shape[:2], pad[:2], pad[2:], kernel, stride, strict=True))
        ofm = Tensor((height, width, ifm.depth), ifm.scale, ifm.zero, ifm.signed)
        self.compiler.pooling(ifm, ofm, kind, kernel, stride, pad)
        x = self.values[ifm]
        self.values[ofm] = average(x, ofm, kernel, stride, pad) if kind == AVG else \
            windows(padded(x, pad, -1000), kernel, stride).max(axis=(2, 3))
        return ofm

    def add(self, a, b, scale, brick=False):
        ofm = self.tensor(a.shape, scale, 4, brick)
        self.compiler.add(a, b, ofm)
        self.values[ofm] = added(self.values[a], self.values[b], a, b, ofm)
        return ofm

    def concatenation(self, parts, brick=False, ratio=1):
        ofm = self.tensor((*parts[0].shape[:2], sum(p.depth for p in parts)), parts[0].scale / ratio, 7, brick)
        self.compiler.concatenation(parts, ofm)
        self.values[ofm] = clamp(np.concatenate([(self.values[p] - p.zero) * ratio for p in parts], axis=2) + ofm.zero, ofm)
        return ofm

    def rows(self, ifm, first, count):
        ofm = Tensor((count, *ifm.shape[1:]), ifm.scale, ifm.zero, ifm.signed)
        self.compiler.rows(ifm, ofm, first)
        self.values[ofm] = self.values[ifm][first:first + count]
        return ofm

    def resize(self, ifm):
        ofm = Tensor((2 * ifm.height, 2 * ifm.width, ifm.depth), ifm.scale, ifm.zero, ifm.signed)
        self.compiler.resize(ifm, ofm)
        self.values[ofm] = self.values[ifm].repeat(2, axis=0).repeat(2, axis=1)
        return ofm

    def read(self, tensor, io):
        """The values of a tensor in the memory of region 1."""
        kind = np.int8 if tensor.signed else np.uint8
        part = np.frombuffer(io, kind, tensor.size, tensor.offset).astype(np.int64)
        if not tensor.brick:
            return part.reshape(tensor.shape)
        bricks = part.reshape(tensor.height, -1, tensor.width, 16)
        return bricks.transpose(0, 2, 1, 3).reshape(tensor.height, tensor.width, -1)[..., :tensor.depth]


class Teflon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.client = cls.folder / "client"
        subprocess.run(["gcc", "-std=gnu99", "-O1", HERE / "client.c", "-o", cls.client], check=True)

    def check(self, net):
        """Every tensor of the subgraph is compared: Mesa gives each memory of its own."""
        files = {"stream": net.compiler.stream(), "coefs": bytes(net.compiler.coefs)}
        inputs = []
        for i, tensor in enumerate(net.inputs):
            files[f"input{i}"] = (net.values[tensor] & 255).astype(np.uint8).tobytes()
            inputs.append(f"{tensor.offset}={self.folder / f'input{i}'}")
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        coefs = self.folder / "coefs" if net.compiler.coefs else "-"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MACAW_")}
        environment["LD_LIBRARY_PATH"] = str(LIBRARY.parent)
        done = subprocess.run([str(WRAPPER), "-a", net.npu, "--sram", str(net.sram), str(self.client), "teflon",
                               str(self.folder / "stream"), str(coefs), str(net.compiler.io_size), str(self.folder / "out"),
                               *inputs], capture_output=True, text=True, timeout=120, env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        cycles, active, idle = (int(n) for n in re.fullmatch(r"PMU: cycles=(\d+), npu-active=(\d+), npu-idle=(\d+)\n", done.stdout).groups())
        self.assertGreater(active, 0)
        self.assertLessEqual(active + idle, cycles)
        io = (self.folder / "out").read_bytes()
        for number, (tensor, wanted) in enumerate(net.values.items()):
            np.testing.assert_array_equal(net.read(tensor, io), wanted, f"tensor {number} of {tensor.shape}")

    def each_form(self, build, **options):
        for npu, form in FORMS:
            for signed in (True, False):
                with self.subTest(npu=npu, form=form, signed=signed):
                    net = Net(npu, form, signed, **options)
                    build(net)
                    self.check(net)

    def test_convolutions(self):
        cases = ((3, 8, (3, 3), (1, 1)), (8, 16, (1, 1), (1, 1)), (40, 24, (1, 1), (1, 1)),
                 (17, 5, (3, 3), (2, 2)), (70, 40, (3, 3), (1, 1)), (4, 33, (5, 7), (3, 2)), (16, 16, (9, 1), (1, 1)))
        for number, (inputs, channels, kernel, stride) in enumerate(cases):
            def build(net, facts=(channels, kernel, stride), shape=(11, 14, inputs)):
                x = net.input(shape)
                net.convolution(x, *facts, same(shape, *facts[1:]), scale=0.8)
                net.convolution(x, *facts, scale=0.8)
            self.each_form(build, coding=("rice", "fixed")[number % 2], seed=number)

    def test_depthwise(self):
        for number, (channels, kernel, stride) in enumerate((
                (16, (3, 3), (1, 1)), (24, (3, 3), (2, 2)), (37, (5, 5), (2, 1)), (8, (4, 2), (1, 3)))):
            def build(net, facts=(channels, kernel, stride), shape=(12, 15, channels)):
                x = net.input(shape)
                net.convolution(x, *facts, same(shape, *facts[1:]), depthwise=True)
                net.convolution(x, *facts, depthwise=True)
            self.each_form(build, seed=number)

    def test_pools(self):
        def build(net):
            # Form 1 rounds averages of numbers without their zero point.
            x = net.input((13, 15, 20), zero=3 if net.form == 2 else 0 if net.signed else -128)
            net.pooling(x, AVG, (2, 2), (1, 1))
            net.pooling(x, AVG, (3, 3), (2, 2), (1, 1, 1, 1))
            net.pooling(x, AVG, (7, 7))
            net.pooling(x, MAX, (3, 2), (2, 1), (1, 0, 1, 1))
            net.pooling(net.input((6, 4, 16)), MAX, (2, 2), (2, 2))
            if not net.signed:
                net.pooling(x, AVG, (13, 15))
        self.each_form(build)

    def test_max_pool_alone(self):
        """Form 1 writes no OFM_SCALE here, though the precision names the global scale."""
        self.each_form(lambda net: net.pooling(net.input((8, 8, 16)), MAX, (2, 2), (2, 2)))

    def test_additions(self):
        for scales in ((0.05, 0.05, 0.1), (0.02, 0.07, 0.09), (0.11, 0.03, 0.06)):
            self.each_form(lambda net, s=scales: net.add(net.input((5, 7, 19), s[0], 3), net.input((5, 7, 19), s[1], -9), s[2]))

    def test_copies(self):
        def build(net):
            x, y = net.input((6, 5, 8)), net.input((6, 5, 16))
            net.concatenation([x, y])
            net.concatenation([x, y, x], ratio=3 if net.compiler.u65 else 1)
            net.rows(x, 2, 3)
            net.resize(x)
        self.each_form(build)

    def test_brick_concatenation(self):
        def build(net):
            x, y = net.input((6, 5, 16)), net.input((6, 5, 32))
            net.convolution(net.concatenation([x, y], brick=True), 16, (1, 1))
        self.each_form(build)

    def residual(self, net):
        """Convolutions, a branch and a sum, as in MobileNet V2; results with a reader lie in bricks."""
        x = net.input((16, 14, 3))
        x = net.convolution(x, 16, (3, 3), (2, 2), (0, 0, 1, 1), brick=True)
        y = net.convolution(x, 48, (1, 1), brick=True, scale=0.6)
        y = net.convolution(y, 48, (3, 3), (1, 1), (1, 1, 1, 1), depthwise=True, brick=True, scale=1.5)
        y = net.convolution(y, 16, (1, 1), brick=True, scale=4.1)
        z = net.add(x, y, 4.7, brick=True)
        net.convolution(z, 10, (8, 7), scale=90)

    def test_residual(self):
        self.each_form(self.residual)

    def test_little_sram(self):
        """Coefficients that do not fit stay where they are; without SRAM none are copied."""
        self.each_form(self.residual, sram=4096)
        self.each_form(self.residual, sram=0)


if __name__ == "__main__":
    unittest.main()
