"""The tensors and operators of a .tflite as places in its bytes, so that scales, zero points and constants can be read and overwritten."""
import dataclasses
import struct

import numpy as np

KINDS = {0: "ADD", 1: "AVERAGE_POOL_2D", 2: "CONCATENATION", 3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 6: "DEQUANTIZE", 9: "FULLY_CONNECTED",
         14: "LOGISTIC", 17: "MAX_POOL_2D", 18: "MUL", 22: "RESHAPE", 25: "SOFTMAX", 28: "TANH", 34: "PAD", 40: "MEAN", 41: "SUB",
         54: "PRELU", 98: "LEAKY_RELU", 114: "QUANTIZE", 117: "HARD_SWISH"}
TYPES = {0: "<f4", 2: "<i4", 3: "u1", 4: "<i8", 7: "<i2", 9: "i1"}


@dataclasses.dataclass
class Tensor:
    name: str
    dtype: str
    shape: tuple
    data: int          # place of its constant's bytes; 0: none
    scale: tuple       # (place, number)
    zero_point: tuple
    axis: int


@dataclasses.dataclass
class Operator:
    kind: str
    inputs: list
    outputs: list


class Model:
    def __init__(self, data):
        self.bytes = bytearray(data)
        root = self._u32(0)
        codes = self._tables(self._field(root, 1))
        graph = self._tables(self._field(root, 2))[0]
        self._buffers = self._tables(self._field(root, 4))
        self.tensors = [self._tensor(t) for t in self._tables(self._field(graph, 0))]
        self.inputs, self.outputs = self._ints(self._field(graph, 1)), self._ints(self._field(graph, 2))
        self.operators = [self._operator(o, codes) for o in self._tables(self._field(graph, 3))]

    def _u32(self, at):
        return struct.unpack_from("<I", self.bytes, at)[0]

    def _i32(self, at):
        return struct.unpack_from("<i", self.bytes, at)[0]

    def _field(self, table, number):
        """Place of a field of a table; 0: the table does not have it."""
        vtable = table - self._i32(table)
        if 4 + 2 * number >= struct.unpack_from("<H", self.bytes, vtable)[0]:
            return 0
        offset = struct.unpack_from("<H", self.bytes, vtable + 4 + 2 * number)[0]
        return table + offset if offset else 0

    def _vector(self, field):
        if not field:
            return 0, 0
        at = field + self._u32(field)
        return at + 4, self._u32(at)

    def _tables(self, field):
        at, count = self._vector(field)
        return [at + 4 * i + self._u32(at + 4 * i) for i in range(count)]

    def _ints(self, field):
        at, count = self._vector(field)
        return list(struct.unpack_from(f"<{count}i", self.bytes, at))

    def _tensor(self, table):
        name_at, length = self._vector(self._field(table, 3))
        type_at, quantization = self._field(table, 1), self._field(table, 4)
        buffer = self._field(table, 2)
        data, size = self._vector(self._field(self._buffers[self._u32(buffer)], 0)) if buffer else (0, 0)
        scale = zero_point = (0, 0)
        axis = 0
        if quantization:
            quantization += self._u32(quantization)
            scale, zero_point = self._vector(self._field(quantization, 2)), self._vector(self._field(quantization, 3))
            dimension = self._field(quantization, 6)
            axis = self._i32(dimension) if dimension else 0
        return Tensor(self.bytes[name_at:name_at + length].decode(errors="replace"), TYPES.get(self.bytes[type_at] if type_at else 0, ""),
                      tuple(self._ints(self._field(table, 0))), data if size else 0, scale, zero_point, axis)

    def _operator(self, table, codes):
        index = self._field(table, 0)
        code = codes[self._u32(index) if index else 0]
        old, new = self._field(code, 0), self._field(code, 3)
        number = max(self.bytes[old] if old else 0, self._i32(new) if new else 0)
        return Operator(KINDS.get(number, str(number)), self._ints(self._field(table, 1)), self._ints(self._field(table, 2)))

    def scales(self, tensor):
        """A view: writing to it changes the model. Empty without a scale."""
        return np.frombuffer(self.bytes, "<f4", tensor.scale[1], tensor.scale[0])

    def zero_points(self, tensor):
        return np.frombuffer(self.bytes, "<i8", tensor.zero_point[1], tensor.zero_point[0])

    def constant(self, tensor):
        """A view of its elements."""
        return np.frombuffer(self.bytes, tensor.dtype, int(np.prod(tensor.shape)), tensor.data).reshape(tensor.shape)

    def real(self, tensor, values):
        """Real values of integers, in double precision."""
        if not tensor.scale[1]:
            return values.astype(np.float64)
        zero = self.zero_points(tensor)
        return (values.astype(np.float64) - (zero[0] if len(zero) else 0)) * np.float64(self.scales(tensor)[0])
