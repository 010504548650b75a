"""The contents of a graph, as macaw.tosa.read() returns them. Graphs and what they consist of are not to be changed."""
from typing import NamedTuple

from . import _functions


class Version(NamedTuple):
    """The version of the specification that a file is stamped with."""
    major: int
    minor: int
    patch: int
    draft: bool

    def __str__(self):
        return f"{self.major}.{self.minor}.{self.patch}{' draft' if self.draft else ''}"


class Tensor:
    """A tensor or shape of a block.

    name      unique in its block
    type      as the specification spells it: "INT8", "FP32", ..., "SHAPE" for a shape
    shape     a tuple, in which -1 is an extent that is not known before the run; None if the tensor is unranked. For a
              shape (its length,)
    variable  the name of the variable that the tensor is; None for all others"""
    __slots__ = ("name", "type", "shape", "variable", "_constant", "_data")

    def __init__(self, name, type, shape, variable, constant):
        self.name, self.type, self.shape, self.variable = name, type, shape, variable
        self._constant, self._data = constant, None

    @property
    def is_constant(self):
        """Whether the file has contents for it: those of a constant, or the first ones of a variable."""
        return self._constant is not None

    @property
    def data(self):
        """The contents that the file has for it, as an array of the types that macaw.tosa.run() returns; None if it has
        none."""
        if self._data is None and self._constant is not None:
            self._data = self._constant(packed=False)
        return self._data

    @property
    def packed(self):
        """The contents as they are in a file, little-endian and without padding: INT4 and FP4E2M1 two to a byte, the first in
        the low half, INT48 in six bytes. None if the file has none."""
        return None if self._constant is None else self._constant(packed=True)

    def __repr__(self):
        return f"Tensor({self.name!r}, {self.type}, {'unranked' if self.shape is None else list(self.shape)})"


class Operator:
    """An operator of a block.

    op          its name in the specification: "CONV2D"
    inputs      lists of tensors, in the specification's order of arguments. What an operator of TOSA 0.80 has as an attribute
    outputs     and one of 1.x as an input (zero points, shapes) is an input
    attributes  dictionary by the specification's names: numbers, True or False, lists of numbers, and text: names of data types
                (acc_type), of modes ("BILINEAR"), of blocks (then_graph). min_val and max_val are numbers of the operator's type
                (bytes, if it has none), implementation_attrs is bytes
    location    where the program that wrote the file says the operator is from; may be empty"""
    __slots__ = ("op", "inputs", "outputs", "attributes", "location")

    def __init__(self, op, inputs, outputs, attributes, location):
        self.op, self.inputs, self.outputs, self.attributes, self.location = op, inputs, outputs, attributes, location

    def __repr__(self):
        outputs, inputs = (", ".join(tensor.name for tensor in tensors) for tensors in (self.outputs, self.inputs))
        return f"Operator({outputs}{' = ' if outputs else ''}{self.op}({inputs}))"


class Block:
    """A block of a graph: the main one, or a body of COND_IF or WHILE_LOOP. Operators are in an order in which every tensor is
    produced before it is used."""
    __slots__ = ("name", "tensors", "operators", "inputs", "outputs")

    def __init__(self, name, tensors, operators, inputs, outputs):
        self.name, self.tensors, self.operators, self.inputs, self.outputs = name, tensors, operators, inputs, outputs

    def __repr__(self):
        return f"Block({self.name!r}, {len(self.operators)} operators, {len(self.tensors)} tensors)"


class Graph:
    """A graph. `blocks` are all of its blocks, the main one first; `tensors`, `operators`, `inputs` and `outputs` are lists of the
    main block."""
    __slots__ = ("version", "blocks")

    def __init__(self, contents, name):
        described, constant = _functions.read_graph(contents, name)
        self.version = Version(*described["version"])
        self.blocks = [_block(block, number, constant) for number, block in enumerate(described["blocks"])]

    tensors = property(lambda self: self.blocks[0].tensors)
    operators = property(lambda self: self.blocks[0].operators)
    inputs = property(lambda self: self.blocks[0].inputs)
    outputs = property(lambda self: self.blocks[0].outputs)

    def __repr__(self):
        return f"Graph(TOSA {self.version}, {len(self.operators)} operators, {len(self.inputs)} inputs, {len(self.outputs)} outputs)"


def _block(block, number, constant):
    tensors = [Tensor(tensor["name"], tensor["type"], tensor["shape"], tensor["variable"],
                      constant(number, index) if tensor["has_data"] else None)
               for index, tensor in enumerate(block["tensors"])]
    operators = [Operator(op["op"], [tensors[index] for index in op["inputs"]], [tensors[index] for index in op["outputs"]],
                          op["attributes"], op["location"]) for op in block["operators"]]
    return Block(block["name"], tensors, operators, [tensors[index] for index in block["inputs"]],
                 [tensors[index] for index in block["outputs"]])
