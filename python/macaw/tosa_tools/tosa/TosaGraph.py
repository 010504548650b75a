"""A graph in the shape of its flatbuffer. Its blocks are all in region 0, the main one first; names are bytes."""
import numpy

from macaw import tosa

from .DType import DType
from .Op import Op


class _Shape:
    def __init__(self, shape):
        self._shape = shape

    def Name(self):
        return self._shape.name.encode("utf-8", "surrogateescape")


class _Tensor(_Shape):
    def Type(self):
        return getattr(DType, self._shape.type, DType.UNKNOWN)

    def Shape(self, j):
        return self._shape.shape[j]

    def ShapeLength(self):
        return len(self._shape.shape or ())

    def ShapeAsNumpy(self):
        return numpy.array(self._shape.shape, dtype="<i4") if self._shape.shape else 0  # as flatbuffers have an absent list

    def Data(self, j):
        return self._packed()[j]

    def DataLength(self):
        return len(self._packed())

    def _packed(self):
        return self._shape.packed or b""


class _Location:
    def __init__(self, text):
        self._text = text

    def Text(self):
        return self._text.encode("utf-8", "surrogateescape")


class _Table:
    """The arguments of Init(Bytes, Pos) of the attributes' classes."""
    Pos = 0

    def __init__(self, attributes):
        self.Bytes = attributes


class _Named:
    """The lists of names of blocks and operators."""

    def __init__(self, lists):
        self._lists = lists

    def Inputs(self, j):
        return _Shape(self._lists.inputs[j]).Name()

    def InputsLength(self):
        return len(self._lists.inputs)

    def Outputs(self, j):
        return _Shape(self._lists.outputs[j]).Name()

    def OutputsLength(self):
        return len(self._lists.outputs)


class _Operator(_Named):
    def Op(self):
        return getattr(Op, self._lists.op)

    def AttributeType(self):
        return self.Op()  # the union of attributes has the operators' numbers

    def Attribute(self):
        return _Table(self._lists.attributes)

    def Location(self):
        return _Location(self._lists.location) if self._lists.location else None


class _Block(_Named):
    def __init__(self, block):
        super().__init__(block)
        self._tensors = [_Tensor(tensor) for tensor in block.tensors if tensor.type != "SHAPE"]
        self._shapes = [_Shape(tensor) for tensor in block.tensors if tensor.type == "SHAPE"]

    def Name(self):
        return _Shape(self._lists).Name()

    def Operators(self, j):
        return _Operator(self._lists.operators[j])

    def OperatorsLength(self):
        return len(self._lists.operators)

    def Tensors(self, j):
        return self._tensors[j]

    def TensorsLength(self):
        return len(self._tensors)

    def Shapes(self, j):
        return self._shapes[j]

    def ShapesLength(self):
        return len(self._shapes)


class _Region:
    def __init__(self, blocks):
        self._blocks = blocks

    def Name(self):
        return self._blocks[0].Name()

    def Blocks(self, j):
        return self._blocks[j]

    def BlocksLength(self):
        return len(self._blocks)


class _Version:
    def __init__(self, version):
        self._version = version

    def _Major(self):
        return self._version.major

    def _Minor(self):
        return self._version.minor

    def _Patch(self):
        return self._version.patch


class TosaGraph:
    def __init__(self, graph):
        self._version = _Version(graph.version)
        self._region = _Region([_Block(block) for block in graph.blocks])

    @classmethod
    def GetRootAs(cls, buf, offset=0):
        return cls(tosa.read(bytes(memoryview(buf)[offset:])))

    @classmethod
    def GetRootAsTosaGraph(cls, buf, offset=0):
        return cls.GetRootAs(buf, offset)

    def Version(self):
        return self._version

    def Regions(self, j):
        return (self._region,)[j]

    def RegionsLength(self):
        return 1
