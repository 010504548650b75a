"""/dev/accel/accel0 by macaw-accel: a client in C that speaks the kernel's ioctls runs networks, and damaged command streams
are refused as the kernel refuses them (drivers/accel/ethosu/ethosu_gem.c of Linux)."""
import errno
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MACAW, WRAPPER, LIBRARY = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
del sys.argv[1:4]
NPUS = ("ethos-u65-256", "ethos-u85-256")
NETWORKS = (("tiny_cnn", "full"), ("ds_cnn", "full"), ("mobilenet_v2", "tiny"))
# Commands by number: registers without and with a second word.
OFM_REGION, IFM_REGION, WEIGHT_REGION, SCALE_REGION = 0x11F, 0x10F, 0x128, 0x129
OFM_BASE0, IFM_BASE0, WEIGHT_BASE, WEIGHT_LENGTH, SCALE_BASE, SCALE_LENGTH = 0x4010, 0x4000, 0x4020, 0x4021, 0x4022, 0x4023
IFM_BASE1, KERNEL_STRIDE, IFM_WIDTH0, IFM_PRECISION = 0x4001, 0x122, 0x10A, 0x105
CONV, POOL, ELEMENTWISE = 2, 5, 6


def run(*call, **options):
    return subprocess.run([str(word) for word in call], capture_output=True, text=True, timeout=300, **options)


def stream_of(cmd_data):
    """The command stream of a driver payload (COP1) with one."""
    at = 4
    while at < len(cmd_data):
        action, = struct.unpack_from("<I", cmd_data, at)
        at += 4
        if action & 0xFF == 1:
            at += 8
        elif action & 0xFF == 2:
            return cmd_data[at:at + 4 * ((action >> 8 & 0xFF) << 16 | action >> 16)]
    raise AssertionError("no command stream")


def commands(stream):
    """[(number, parameter, second word or None)] of a stream."""
    words, at, found = struct.unpack(f"<{len(stream) // 4}I", stream), 0, []
    while at < len(words):
        number, parameter = words[at] & 0xFFFF, words[at] >> 16
        second = words[at + 1] if number & 0x4000 else None
        found.append((number, parameter, second))
        at += 2 if number & 0x4000 else 1
    return found


def words_of(found):
    out = b""
    for number, parameter, second in found:
        out += struct.pack("<I", number | parameter << 16) + (b"" if second is None else struct.pack("<I", second))
    return out


def damaged(found):
    """20 streams that the kernel refuses, by name: an operation that needs a register comes before it is written."""
    def without(*numbers):
        return [c for c in found if c[0] not in numbers]

    def changed(number, parameter):
        return [(n, parameter, s) if n == number else (n, p, s) for n, p, s in found]

    first = next(i for i, c in enumerate(found) if c[0] == CONV)
    yield "no registers at all", [(CONV, 0, None)]
    yield "a pool without registers", [(POOL, 1, None)]
    yield "an elementwise operation without registers", [(ELEMENTWISE, 1, None)]
    yield "an elementwise operation of one operand", [(ELEMENTWISE, 5, None)]
    for name, numbers in (("OFM_REGION", [OFM_REGION]), ("IFM_REGION", [IFM_REGION]), ("WEIGHT_REGION", [WEIGHT_REGION]),
                          ("SCALE_REGION", [SCALE_REGION]), ("OFM_BASE0", [OFM_BASE0]), ("IFM_BASE0", [IFM_BASE0]),
                          ("WEIGHT_BASE", [WEIGHT_BASE]), ("WEIGHT_LENGTH", [WEIGHT_LENGTH]), ("SCALE_BASE", [SCALE_BASE]),
                          ("SCALE_LENGTH", [SCALE_LENGTH]), ("KERNEL_STRIDE", [KERNEL_STRIDE])):
        yield "without " + name, without(*numbers)
    yield "a region of the IFM that is not there", changed(IFM_REGION, 9)
    yield "a kernel stride with all bits set", changed(KERNEL_STRIDE, 0xFFFF)
    narrow = {IFM_WIDTH0: 0, IFM_PRECISION: 0x0001}  # tiles of one column each, two beside each other
    yield "a tile without a base", [(n, narrow.get(n, p), s) for n, p, s in without(IFM_BASE1)]
    yield "the convolution before its registers", [found[first]] + found[:first]
    yield "a command without its second word", found[:-1] + [(WEIGHT_BASE, 0, None)]


class Accel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.client = cls.folder / "client"
        built = run("gcc", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O1", HERE / "client.c", "-o", cls.client)
        assert built.returncode == 0, built.stderr

    def accel(self, *call, npu="ethos-u65-256", options=()):
        # The wrapper finds the library beside itself: both are put into one folder, as after an installation.
        prefix = self.folder / "prefix"
        (prefix / "bin").mkdir(parents=True, exist_ok=True)
        (prefix / "lib").mkdir(exist_ok=True)
        for source, target in ((WRAPPER, prefix / "bin/macaw-accel"), (LIBRARY, prefix / "lib" / LIBRARY.name)):
            if not target.exists():
                target.symlink_to(source) if source == LIBRARY else target.write_bytes(source.read_bytes())
                target.chmod(0o755) if source == WRAPPER else None
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MACAW_")}
        return run(prefix / "bin/macaw-accel", "-a", npu, *options, *call, env=environment)

    def network(self, name, size, npu, *options):
        """The compiled network, its stream as a file, the interpreter's outputs."""
        folder = self.folder / f"{name}-{npu}"
        folder.mkdir(exist_ok=True)
        graph, compiled = folder / "net.tosa", folder / "net.npz"
        for call in (("model", name, "--size", size, "-o", graph, "--inputs", folder, "--force"),
                     ("compile", graph, "-a", npu, "-o", compiled, "--force", *options)):
            done = run(MACAW, *call)
            self.assertEqual(done.returncode, 0, done.stderr)
        inputs = sorted(folder.glob("net_input_*.npy"))
        done = run(MACAW, "tosa", graph, *(word for path in inputs for word in ("-i", path)), "-o", folder / "out", "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        arrays = np.load(compiled)
        stream = folder / "stream.bin"
        stream.write_bytes(stream_of(arrays["cmd_data"].item()))
        return folder, arrays, stream, [np.load(path) for path in inputs], sorted((folder / "out").glob("*.npy"))

    def test_networks(self):
        for npu in NPUS:
            for name, size in NETWORKS:
                with self.subTest(npu=npu, network=name):
                    folder, arrays, stream, inputs, wanted = self.network(name, size, npu)
                    scratch = bytearray(int(arrays["scratch_size"]))
                    for tensor, offset in zip(inputs, arrays["input_offset"], strict=True):
                        scratch[offset:offset + tensor.nbytes] = tensor.tobytes()
                    (folder / "scratch.bin").write_bytes(scratch)
                    (folder / "weights.bin").write_bytes(arrays["weight_data"].item())
                    outputs = [np.load(path) for path in wanted]
                    places = [f"{int(arrays['scratch_region'])}:{offset}:{tensor.nbytes}"
                              for tensor, offset in zip(outputs, arrays["output_offset"], strict=True)]
                    done = self.accel(self.client, "run", stream, f"{int(arrays['weight_region'])}={folder / 'weights.bin'}",
                                      f"{int(arrays['scratch_region'])}={folder / 'scratch.bin'}",
                                      f"{int(arrays['scratch_fast_region'])}=sram", "--", folder / "got.bin", *places,
                                      npu=npu, options=("--report", folder / "report"))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stderr, "")
                    self.assertIn("256 MACs, 393216 bytes of SRAM", done.stdout)
                    self.assertEqual((folder / "got.bin").read_bytes(), b"".join(tensor.tobytes() for tensor in outputs))
                    report = json.loads((folder / "report/job_1/report.json").read_text())
                    self.assertGreater(report["cycles"], 1000)

    def test_damaged_streams(self):
        for npu in NPUS:
            folder, _, stream, _, _ = self.network("tiny_cnn", "full", npu)
            found = commands(stream.read_bytes())
            cases = list(damaged(found))
            self.assertEqual(len(cases), 20)
            whole = self.accel(self.client, "check", stream, npu=npu)
            self.assertEqual((whole.stdout, whole.stderr), ("0\n", ""))
            for name, made in cases:
                with self.subTest(npu=npu, stream=name):
                    (folder / "damaged.bin").write_bytes(words_of(made))
                    done = self.accel(self.client, "check", folder / "damaged.bin", npu=npu)
                    self.assertEqual(done.stdout, f"{errno.EINVAL}\n", name)
                    self.assertRegex(done.stderr, r"^macaw-accel: the command stream of \d+ bytes is refused \(EINVAL\): ")

    def test_small_buffer(self):
        folder, arrays, stream, _, _ = self.network("tiny_cnn", "full", "ethos-u65-256", "--arena-cache-size", "0")
        (folder / "small.bin").write_bytes(bytes(16))
        (folder / "weights.bin").write_bytes(arrays["weight_data"].item())
        done = self.accel(self.client, "run", stream, f"0={folder / 'weights.bin'}", f"1={folder / 'small.bin'}", "--", folder / "no.bin")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cmd stream region 1 size greater than BO size", done.stderr)
        self.assertIn(os.strerror(errno.EOVERFLOW), done.stderr)

    def test_calls(self):
        for npu in NPUS:
            done = self.accel(self.client, "calls", npu=npu)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_other_programs(self):
        done = self.accel("sh", "-c", "cat /proc/self/comm && ls / > /dev/null && echo fine")
        self.assertEqual((done.returncode, done.stdout), (0, "cat\nfine\n"), done.stderr)

    def test_command_line(self):
        done = self.accel("--help")
        self.assertIn("Usage: macaw-accel [OPTIONS] COMMAND", done.stdout)
        for call, message in ((("-x",), "unknown option '-x'"), (("--sram",), "--sram: a value is missing")):
            done = self.accel(*call)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        for npu, options, message in (("ethos-u55-128", (), "Linux has no driver for ethos-u55-128"),
                                      ("ethos-u99", (), "ethos-u99"), ("ethos-u65-256", ("--sram", "many"), "'many' is not a number")):
            done = self.accel(self.client, "calls", npu=npu, options=options)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertIn("/dev/accel/accel0: " + os.strerror(errno.ENODEV), done.stderr)


if __name__ == "__main__":
    unittest.main()
