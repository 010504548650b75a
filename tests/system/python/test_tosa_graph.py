#!/usr/bin/python3
"""macaw.tosa.read and the classes of Arm's package `tosa` on it: contents of graphs, files that are wrong, types for mypy."""
import ast
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import textwrap
import unittest

import numpy as np

import macaw

GRAPH = pathlib.Path("traces/tiny_cnn/tiny_cnn.tosa")
CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus")) / "tosa"
TOOLS = pathlib.Path(macaw.__path__[0]) / "tosa_tools"

TEXT = br'''
"tosa.variable"() <{name = "state", type = tensor<2xi32>, initial_value = dense<[1, 2]> : tensor<2xi32>}> : () -> ()
func.func @main(%x: tensor<1x4x4x2xi8>, %f: tensor<?x3xf32>, %c: tensor<i1>) -> (tensor<1x4x4x3xi8>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %w = "tosa.const"() <{values = dense<-7> : tensor<3x1x1x2xi4>}> : () -> tensor<3x1x1x2xi4>
  %b = "tosa.const"() <{values = dense<[5, -6, 7]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z4 = "tosa.const"() <{values = dense<0> : tensor<1xi4>}> : () -> tensor<1xi4>
  %a = "tosa.conv2d"(%x, %w, %b, %z, %z4) <{pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, acc_type = i32}>
    : (tensor<1x4x4x2xi8>, tensor<3x1x1x2xi4>, tensor<3xi32>, tensor<1xi8>, tensor<1xi4>) -> tensor<1x4x4x3xi32> loc("conv")
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r = "tosa.rescale"(%a, %m, %s, %zi, %z) <{scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}>
    : (tensor<1x4x4x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x3xi8>
  %i = "tosa.clamp"(%r) <{min_val = -5 : i8, max_val = 100 : i8}> : (tensor<1x4x4x3xi8>) -> tensor<1x4x4x3xi8>
  %g = "tosa.clamp"(%f) <{min_val = -0.5 : f32, max_val = 0x7F800000 : f32, nan_mode = IGNORE}> : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %shape = tosa.const_shape {values = dense<[-1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %k = "tosa.custom"(%g) <{operator_name = "op", domain_name = "d", implementation_attrs = "\00\FF"}> : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %h = "tosa.cond_if"(%c, %g) ({
  ^bb0(%t: tensor<?x3xf32>):
    "tosa.yield"(%t) : (tensor<?x3xf32>) -> ()
  }, {
  ^bb0(%e: tensor<?x3xf32>):
    %n = "tosa.abs"(%e) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    "tosa.yield"(%n) : (tensor<?x3xf32>) -> ()
  }) : (tensor<i1>, tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return %i, %k, %h : tensor<1x4x4x3xi8>, tensor<?x3xf32>, tensor<?x3xf32>
}
'''


def named(tensors):
    return {tensor.name: tensor for tensor in tensors}


class Read(unittest.TestCase):
    def test_a_file(self):
        graph = macaw.tosa.read(GRAPH)
        self.assertEqual((graph.version.major, graph.version.minor), (1, 0))
        self.assertEqual(str(graph.version), "1.0.0")
        self.assertEqual([(t.name, t.type, t.shape) for t in graph.inputs], [("image", "INT8", (1, 32, 32, 3))])
        self.assertEqual([(t.name, t.type, t.shape) for t in graph.outputs], [("logits", "INT8", (1, 10))])
        first = next(op for op in graph.operators if op.op == "CONV2D")
        self.assertEqual(first.inputs[0], graph.inputs[0])
        self.assertEqual(first.attributes["acc_type"], "INT32")
        self.assertEqual(len(first.attributes["stride"]), 2)
        result = macaw.tosa.run(GRAPH, [np.load(GRAPH.parent / "input_0.npy")], intermediates=True)
        tensors = named(graph.tensors)
        for name, array in result.intermediates.items():
            self.assertEqual(tensors[name].shape, array.shape, name)
        constants = [op.outputs[0] for op in graph.operators if op.op == "CONST"]
        self.assertTrue(constants)
        for tensor in constants:
            self.assertTrue(tensor.is_constant)
            np.testing.assert_array_equal(tensor.data, result.intermediates[tensor.name])
            self.assertEqual(tensor.packed, tensor.data.tobytes())
        self.assertFalse(graph.inputs[0].is_constant)
        self.assertIsNone(graph.inputs[0].data)
        self.assertIsNone(graph.inputs[0].packed)

    def test_attributes_and_constants_of_every_kind(self):
        graph = macaw.tosa.read(TEXT)
        by_op = {op.op: op for op in graph.operators}
        self.assertEqual(by_op["CONV2D"].attributes, {"pad": [0, 0, 0, 0], "stride": [1, 1], "dilation": [1, 1], "acc_type": "INT32",
                                                      "local_bound": False})
        self.assertEqual(by_op["RESCALE"].attributes, {"scale32": True, "rounding_mode": "DOUBLE_ROUND", "per_channel": False,
                                                       "input_unsigned": False, "output_unsigned": False})
        clamps = [op.attributes for op in graph.operators if op.op == "CLAMP"]
        self.assertIn({"min_val": -5, "max_val": 100}, clamps)
        self.assertIn({"min_val": -0.5, "max_val": float("inf"), "nan_mode": "IGNORE"}, clamps)
        self.assertEqual(by_op["CUSTOM"].attributes, {"operator_name": "op", "domain_name": "d", "implementation_attrs": b"\0\xff"})
        blocks = {block.name: block for block in graph.blocks}
        self.assertIs(graph.blocks[0].operators, graph.operators)
        attributes = by_op["COND_IF"].attributes
        self.assertEqual([op.op for op in blocks[attributes["then_graph"]].operators], [])
        self.assertEqual([op.op for op in blocks[attributes["else_graph"]].operators], ["ABS"])
        tensors = named(graph.tensors)
        self.assertEqual(tensors["f"].shape, (-1, 3))
        self.assertEqual(tensors["state"].variable, "state")
        self.assertIsNone(tensors["f"].variable)
        np.testing.assert_array_equal(tensors["state"].data, [1, 2])
        weights = tensors["w"]
        self.assertEqual((weights.type, weights.shape), ("INT4", (3, 1, 1, 2)))
        np.testing.assert_array_equal(weights.data, np.full((3, 1, 1, 2), -7))
        self.assertEqual(weights.packed, b"\x99" * 3)
        self.assertEqual((tensors["shape"].type, tensors["shape"].shape), ("SHAPE", (2,)))
        np.testing.assert_array_equal(tensors["shape"].data, [-1, 3])

    def test_every_version_is_named_as_in_1_x(self):
        old, new = (macaw.tosa.read(f"tests/fuzz/seeds/tosa/{name}.tosa") for name in ("add_0_80", "add"))
        self.assertEqual((old.version[:2], new.version[:2]), ((0, 80), (1, 0)))
        for one, other in zip(old.operators, new.operators):
            self.assertEqual((one.op, one.attributes), (other.op, other.attributes))
        newest = macaw.tosa.read(b"func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> { return %x : tensor<2xi64> }")
        self.assertEqual((str(newest.version), newest.inputs[0].type), ("1.1.0 draft", "INT64"))

    def test_a_constant_outlives_its_graph(self):
        data = [tensor.data for tensor in macaw.tosa.read(GRAPH).tensors if tensor.is_constant]
        copies = [array.copy() for array in data]
        for _ in range(20):
            macaw.tosa.read(GRAPH)
        for array, copy in zip(data, copies):
            np.testing.assert_array_equal(array, copy)

    def test_what_is_wrong_is_an_error(self):
        for graph, code in ((b"", "invalid_file"), (b"no graph", "invalid_file"), ("no/such/file.tosa", "io"),
                            (GRAPH.read_bytes()[:100], "invalid_file")):
            with self.assertRaises(macaw.Error) as caught:
                macaw.tosa.read(graph)
            self.assertEqual(caught.exception.code, code)
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder) / "wrong.tosa"
            wrong.write_bytes(b"\x08\0\0\0TOSA" + bytes(40))
            with self.assertRaisesRegex(macaw.Error, "wrong.tosa"):
                macaw.tosa.read(wrong)
        with self.assertRaises(TypeError):
            macaw.tosa.read(5)

    def test_changed_bytes_are_read_or_an_error(self):
        good, dice = GRAPH.read_bytes(), random.Random(7)
        refused = 0
        for _ in range(300):
            bad = bytearray(good)
            for _ in range(dice.choice((1, 4, 40))):
                bad[dice.randrange(len(bad) if dice.random() < 0.5 else 4096)] = dice.randrange(256)
            try:
                graph = macaw.tosa.read(bad)
            except macaw.Error:
                refused += 1
                continue
            for block in graph.blocks:
                repr((block, block.tensors, block.operators))
                for tensor in block.tensors:
                    _ = tensor.data, tensor.packed
        self.assertGreater(refused, 50)

    @unittest.skipUnless(CORPUS.is_dir(), f"no corpus at {CORPUS}")
    def test_files_of_the_conformance_tests(self):
        read = 0
        for file in sorted(CORPUS.glob("*/*.tosa"))[::9]:
            try:
                graph = macaw.tosa.read(file)
            except macaw.Error as error:
                self.assertIn(error.code, ("invalid_graph", "unsupported"), file)
                continue
            read += 1
            for op in graph.operators:
                self.assertTrue(all(tensor in graph.tensors for tensor in op.inputs + op.outputs))
        self.assertGreater(read, 100)


class Tools(unittest.TestCase):
    """The calls are those of the sources that tosa_tools/tosa names."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(TOOLS))
        cls.addClassCleanup(sys.path.remove, str(TOOLS))

    def test_as_executorch_reads_shapes_and_permutations(self):
        import tosa.Op as Op
        from tosa.TosaGraph import TosaGraph
        from tosa.TransposeAttribute import TransposeAttribute
        text = b"""func.func @main(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
          %y = "tosa.transpose"(%x) <{perms = array<i32: 2, 0, 1>}> : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
          return %y : tensor<4x2x3xf32>
        }"""
        block = TosaGraph.GetRootAs(bytearray(text), 0).Regions(0).Blocks(0)
        shapes = {block.Tensors(i).Name().decode(): list(block.Tensors(i).ShapeAsNumpy()) for i in range(block.TensorsLength())}
        numbers = Op.Op()
        names = {getattr(numbers, name): name for name in dir(numbers) if name.isupper()}
        op = block.Operators(0)
        self.assertEqual((block.OperatorsLength(), names.get(op.Op())), (1, "TRANSPOSE"))
        self.assertEqual(op.AttributeType(), op.Op())
        inputs = [op.Inputs(j).decode() for j in range(op.InputsLength())]
        outputs = [op.Outputs(j).decode() for j in range(op.OutputsLength())]
        attribute = TransposeAttribute()
        attribute.Init(op.Attribute().Bytes, op.Attribute().Pos)
        perms = list(attribute.PermsAsNumpy())
        self.assertEqual(perms, [2, 0, 1])
        self.assertEqual(perms, [attribute.Perms(j) for j in range(attribute.PermsLength())])
        self.assertEqual([shapes[inputs[0]][perm] for perm in perms], shapes[outputs[0]])
        self.assertEqual([block.Inputs(0), block.Outputs(0)], [b"x", b"y"])
        self.assertEqual((block.InputsLength(), block.OutputsLength()), (1, 1))

    def test_as_executorch_reads_types_and_packed_constants(self):
        import tosa_serializer as ts
        from tosa.TosaGraph import TosaGraph
        text = b"""func.func @main() -> tensor<1x1x8xf4E2M1FN> {
          %w = "tosa.const"() <{values = dense<[[[-4.0, -3.0, -4.0, -6.0, -3.0, 4.0, 3.0, 3.0]]]> : tensor<1x1x8xf4E2M1FN>}> : () -> tensor<1x1x8xf4E2M1FN>
          return %w : tensor<1x1x8xf4E2M1FN>
        }"""
        block = TosaGraph.GetRootAsTosaGraph(text).Regions(0).Blocks(0)
        tensor = {block.Tensors(i).Name().decode(): block.Tensors(i) for i in range(block.TensorsLength())}["w"]
        self.assertEqual(tensor.Type(), ts.DType.FP4E2M1)
        self.assertEqual([tensor.Shape(i) for i in range(tensor.ShapeLength())], [1, 1, 8])
        self.assertEqual([tensor.Data(i) for i in range(tensor.DataLength())], [0xDE, 0xFE, 0x6D, 0x55])

    def test_as_mlia_reads_operators(self):
        from tosa import DType, Op, TosaGraph
        names = {value: name for name, value in Op.Op.__dict__.items() if isinstance(value, int)}
        types = {value: name for name, value in DType.DType.__dict__.items() if isinstance(value, int)}
        graph = TosaGraph.TosaGraph.GetRootAsTosaGraph(GRAPH.read_bytes())
        read = []
        for i in range(graph.RegionsLength()):
            region = graph.Regions(i)
            self.assertEqual(region.Name(), b"main")
            for j in range(region.BlocksLength()):
                block = region.Blocks(j)
                tensors = {block.Tensors(k).Name(): block.Tensors(k).Type() for k in range(block.TensorsLength())}
                shapes = {block.Shapes(k).Name() for k in range(block.ShapesLength())}
                self.assertFalse(shapes & set(tensors))
                for k in range(block.OperatorsLength()):
                    op = block.Operators(k)
                    self.assertIsNone(op.Location())
                    read.append((names[op.Op()], types[tensors[op.Outputs(0)]] if op.Outputs(0) in tensors else "SHAPE"))
        self.assertEqual(read, [(op.op, op.outputs[0].type) for op in macaw.tosa.read(GRAPH).operators])
        version = graph.Version()
        self.assertEqual((version._Major(), version._Minor(), version._Patch()), (1, 0, 0))

    def test_a_wrong_file(self):
        from tosa.TosaGraph import TosaGraph
        with self.assertRaises(macaw.Error):
            TosaGraph.GetRootAs(b"nothing", 0)

    def test_numbers_are_those_of_the_published_schema(self):
        from tosa.DType import DType
        from tosa.Op import Op
        self.assertEqual((Op.UNKNOWN, Op.ARGMAX, Op.CONST, Op.CONST_SHAPE, Op.AVG_POOL2D_ADAPTIVE), (0, 1, 67, 75, 96))
        self.assertEqual((DType.UNKNOWN, DType.BOOL, DType.INT8, DType.SHAPE, DType.MXINT8), (0, 1, 3, 10, 18))


class Types(unittest.TestCase):
    def test_stubs_have_the_names_of_the_library(self):
        sys.path.insert(0, str(TOOLS))
        self.addCleanup(sys.path.remove, str(TOOLS))
        from tosa.DType import DType
        from tosa.Op import Op
        for kind in (Op, DType):
            stub = ast.parse((TOOLS / "tosa" / f"{kind.__name__}.pyi").read_text()).body[0]
            numbers = [name for name, value in vars(kind).items() if isinstance(value, int)]
            self.assertEqual([line.target.id for line in stub.body], numbers)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed (Debian: python3-mypy)")
    def test_stubs_have_the_signatures_of_the_modules(self):
        paths = f"{TOOLS.parent.parent}:{TOOLS}"
        names = ("accuracies", "batch", "comparison", "session", "sim", "tflite", "tosa", "tosa_graph")
        for modules in ([f"macaw.{name}" for name in names], ["tosa", "tosa_serializer"]):
            done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "--concise", *modules], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": paths, "MYPYPATH": paths}, timeout=240)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed (Debian: python3-mypy)")
    def test_a_strict_type_checker_accepts_a_program(self):
        program = textwrap.dedent('''
            from typing import Optional, Tuple
            import numpy
            import macaw
            import tosa_serializer as ts
            from tosa.TosaGraph import TosaGraph
            from tosa.TransposeAttribute import TransposeAttribute

            graph: macaw.tosa.Graph = macaw.tosa.read("net.tosa")
            version: macaw.tosa.Version = graph.version
            minor: int = version.minor
            block: macaw.tosa.Block = graph.blocks[0]
            for op in graph.operators + block.operators:
                kernel: object = op.attributes.get("kernel")
                text: str = op.op + op.location
                tensors: list[macaw.tosa.Tensor] = op.inputs + op.outputs
                for tensor in tensors:
                    shape: Optional[Tuple[int, ...]] = tensor.shape
                    name: str = tensor.name + tensor.type + (tensor.variable or "")
                    if tensor.data is not None and tensor.is_constant:
                        total: object = numpy.sum(tensor.data)
                    size: int = len(tensor.packed or b"")
            old = TosaGraph.GetRootAs(b"", 0).Regions(0).Blocks(0)
            if old.Operators(0).Op() == ts.Op.TRANSPOSE and old.Tensors(0).Type() == ts.DType.INT8:
                attribute = TransposeAttribute()
                attribute.Init(old.Operators(0).Attribute().Bytes, 0)
                perm: int = attribute.Perms(0)
            outputs = macaw.tosa.run("net.tosa", [numpy.zeros(3)], max_work=macaw.tosa.MAX_WORK).outputs
            network = macaw.tflite.load("net.tflite")
            scales = [tensor.scale for tensor in network.tensors]
            kept: object = macaw.tflite.run("net.tflite", [numpy.zeros(3)], tensors=True).tensors["a"]
            ''')
        wrong = program + "wrong: int = graph.version\n"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "program.py"
            for text, code in ((program, 0), (wrong, 1)):
                file.write_text(text)
                done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder, file], capture_output=True, text=True,
                                      env={**os.environ, "MYPYPATH": f"{TOOLS.parent.parent}:{TOOLS}"}, timeout=240)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
