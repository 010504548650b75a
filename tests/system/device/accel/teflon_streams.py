"""Command streams and memory in the forms that Mesa's Ethos-U compiler gives them (src/gallium/drivers/ethosu of Mesa,
bminor/mesa-mesa 2581c3ab, b824ef83 and 17355f71, and its later history): which registers are written in which order, and
which are not. Form 1 writes all registers for each operation; form 2 writes those that change, and knows U85."""
import math
import struct

import teflon_weights

COEFS, IO, SCRATCH = 0, 1, 2
STOP, CONV, DEPTHWISE, POOL, ELEMENTWISE, DMA_START, DMA_WAIT, KERNEL_WAIT = 0, 2, 3, 5, 6, 0x10, 0x11, 0x12
MAX, AVG, SUM = 0, 1, 3
# Registers of one word; those of IFM, OFM and IFM2 by their first number.
IFM, OFM, IFM2 = 0x100, 0x110, 0x180
PAD_TOP, PAD_LEFT, PAD_RIGHT, PAD_BOTTOM, IFM_DEPTH, IFM_PRECISION, UPSCALE = 0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x107
OFM_WIDTH, OFM_HEIGHT, OFM_DEPTH, OFM_PRECISION = 0x111, 0x112, 0x113, 0x114
BLOCK_WIDTH, BLOCK_HEIGHT, BLOCK_DEPTH = 0x115, 0x116, 0x117
KERNEL_WIDTH, KERNEL_HEIGHT, KERNEL_STRIDE, PARALLEL_MODE, ACC_FORMAT = 0x120, 0x121, 0x122, 0x123, 0x124
ACTIVATION, ACTIVATION_MIN, ACTIVATION_MAX, WEIGHT_REGION, SCALE_REGION = 0x125, 0x126, 0x127, 0x128, 0x129
IB_END, AB_START, WEIGHT_FORMAT, BLOCKDEP, DMA_SOURCE_REGION, DMA_TARGET_REGION = 0x10D, 0x12D, 0x12E, 0x12F, 0x130, 0x131
IFM_BROADCAST, IFM2_BROADCAST, IFM2_PRECISION, IB2_START = 0x108, 0x180, 0x185, 0x18D
ZERO_POINT, WIDTH0, HEIGHT0, HEIGHT1, REGION = 0x9, 0xA, 0xB, 0xC, 0xF  # of a map, but OFM_ZERO_POINT
OFM_ZERO_POINT = 0x118
# Registers of two words.
BASES = {IFM: 0x000, OFM: 0x010, IFM2: 0x080}
STRIDE_X, STRIDE_Y, STRIDE_C = 4, 5, 6
WEIGHT_BASE, WEIGHT_LENGTH, SCALE_BASE, SCALE_LENGTH, OFM_SCALE, OPA_SCALE, OPB_SCALE = 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26
DMA_SOURCE, DMA_TARGET, DMA_LENGTH = 0x30, 0x31, 0x32
GLOBAL_SCALE = 0x100
NATURAL = 1 << 13  # rounding of OFM_SCALE on U85
SHRAM_BANKS, BANK = 48, 1024
MOST_DEPENDENT = {"u65": 3, "u85": 7}


def up(value, step):
    return (value + step - 1) // step * step


def quantize_scale(scale):
    """(scale of 31 or 32 bits, shift) of a factor below 2^31."""
    significand, exponent = math.frexp(scale)
    return math.floor(significand * (1 << 31) + 0.5), 31 - exponent


class Tensor:
    """`brick`: stored as NHCWB16, which Mesa takes for results whose depth is a multiple of 16 and that have a reader."""

    def __init__(self, shape, scale, zero=0, signed=True, brick=False):
        self.height, self.width, self.depth = self.shape = shape
        self.scale, self.zero, self.signed, self.brick = scale, zero, signed, brick
        self.offset = None

    @property
    def size(self):
        return self.height * self.width * (up(self.depth, 16) if self.brick else self.depth)

    @property
    def strides(self):
        """X, Y and C."""
        if self.brick:
            return 16, self.width * up(self.depth, 16), 16 * self.width
        return self.depth, self.width * self.depth, 1


class Map:
    """The part of a tensor that an operation reads or writes: `shape` from `offset` bytes behind its start."""

    def __init__(self, tensor, shape=None, offset=0):
        self.tensor, self.shape, self.offset = tensor, tuple(shape or tensor.shape), offset
        self.zero = tensor.zero

    @property
    def address(self):
        return self.tensor.offset + self.offset


class Operation:
    def __init__(self, kind, ifm=None, ofm=None, **facts):
        self.kind, self.ifm, self.ofm, self.ifm2 = kind, ifm, ofm, None
        self.kernel, self.stride, self.pad = (1, 1), (1, 1), (0, 0, 0, 0)  # pads: top, left, bottom, right
        self.pool, self.upscale, self.round_mode, self.part_kernel, self.depthwise = AVG, 0, 0, False, False
        self.weights = self.scales = None  # [region, address, size]
        self.reads, self.writes = [], []
        self.__dict__.update(facts)


class Compiler:
    """One subgraph: operations are added one by one, then `stream()`, `coefs` and `io_size` are what Mesa gives the kernel."""

    def __init__(self, npu, form, sram_size, coding):
        self.u65, self.form, self.sram_size, self.coding = npu.startswith("ethos-u65"), form, sram_size, coding
        self.operations, self.coefs, self.io_size = [], bytearray(), 0

    def place(self, *tensors):
        for tensor in tensors if self.form == 1 else reversed(tensors):
            if tensor.offset is None:
                tensor.offset = self.io_size
                self.io_size += up(tensor.size, 16)

    def add_coefs(self, data):
        place = [COEFS, len(self.coefs), len(data)]
        self.coefs += data + bytes(up(len(data), 16) - len(data))
        return place

    def convolution(self, ifm, ofm, weights, zero, scale, bias, stride=(1, 1), pad=(0, 0, 0, 0), depthwise=False):
        """`weights`: [OC, KH, KW, IC], depthwise [OC, KH, KW, 1], without their zero point subtracted."""
        self.place(ifm, ofm)
        op = Operation("conv", Map(ifm), Map(ofm), kernel=weights.shape[1:3], stride=stride, pad=pad, depthwise=depthwise)
        op.part_kernel = not depthwise and self.prefers_part_kernel(op)
        self.choose_block(op)
        entries = b""
        factor = ifm.scale * scale / ofm.scale
        for value in bias:
            multiplier, shift = quantize_scale(factor)
            if self.u65:
                entries += (int(value) & (1 << 40) - 1).to_bytes(5, "little") + struct.pack("<IB", multiplier, shift)
            else:
                entries += struct.pack("<iIBB", int(value), multiplier, shift, 0)
        size = up(10 * ofm.depth, 16) if self.u65 else up(ofm.depth, 16) * 10
        op.factor = quantize_scale(factor)
        op.scales = self.add_coefs(entries + bytes(size - len(entries)))
        order = teflon_weights.order_u65 if self.u65 else teflon_weights.order_u85
        symbols = order(weights.astype(int) - zero, op)
        op.weights = self.add_coefs(teflon_weights.encode(symbols, self.coding))
        total = op.scales[2] + op.weights[2]
        if total <= self.sram_size:
            self.operations.append(Operation("dma", source=op.scales[1], size=total))
            op.scales[:2], op.weights[:2] = (SCRATCH, 0), (SCRATCH, op.scales[2])
        self.operations.append(op)

    def pooling(self, ifm, ofm, kind, kernel, stride=(1, 1), pad=(0, 0, 0, 0)):
        if kind == AVG and not self.u65 and max(kernel) > 8:
            kind = SUM
        self.place(ifm, ofm)
        source, target, rounding = Map(ifm), Map(ofm), 0
        if kind != MAX and self.form == 2:
            source.zero = target.zero = 0
            rounding = 2
        self.copy(source, target, pool=kind, kernel=kernel, stride=stride, pad=pad, round_mode=rounding)

    def copy(self, ifm, ofm, **facts):
        op = Operation("pool", ifm, ofm, **facts)
        self.choose_block(op)
        self.operations.append(op)

    def concatenation(self, parts, ofm):
        """Along the depth."""
        for part in parts:
            self.place(part, ofm)
        numbers = range(len(parts)) if self.form == 1 else reversed(range(len(parts)))
        for i in numbers:
            offset = sum(ofm.width * up(part.depth, 16) if ofm.brick else part.depth for part in parts[:i])
            facts = {"round_mode": 2} if self.u65 else {"pool": SUM}
            self.copy(Map(parts[i]), Map(ofm, parts[i].shape, offset), **facts)

    def rows(self, ifm, ofm, first):
        """A slice of rows."""
        self.place(ifm, ofm)
        source, target = Map(ifm, ofm.shape, first * ifm.width * ifm.depth), Map(ofm)
        self.copy_of_form(source, target)

    def resize(self, ifm, ofm):
        self.place(ifm, ofm)
        self.copy_of_form(Map(ifm), Map(ofm), upscale=1)

    def copy_of_form(self, source, target, **facts):
        if self.form == 1:
            source.zero = target.zero = 0
        self.copy(source, target, **facts)

    def add(self, a, b, ofm):
        self.place(a, ofm)
        self.place(b)
        op = Operation("add", Map(a), Map(ofm))
        op.ifm2 = Map(b)
        self.choose_block(op)
        self.operations.append(op)

    def prefers_part_kernel(self, op):
        taps, depth = op.kernel[0] * op.kernel[1], op.ifm.shape[2]
        if self.u65:
            part = depth / up(depth, 8) * (taps / up(taps, 4))
            return part >= depth / up(depth, 32) or depth <= 8
        part = depth / up(depth, 16) * (taps / (taps // 5 * 5 + max(taps % 5, 2)))
        return part >= depth / up(depth, 64)

    def choose_block(self, op):
        """A block that fits the NPU; Mesa weighs the traffic of all of them."""
        height, width, depth = op.ofm.shape
        op.ublock = self.choose_ublock(op)
        if self.u65:
            op.block = min(up(height, 2), 8), min(up(width, 2), 8), min(up(depth, 8), 16)
            self.lay_out_shram(op)
        else:
            op.block = up(min(height, 8), op.ublock[0]), up(min(width, 8), op.ublock[1]), min(up(depth, 16), 32)

    def choose_ublock(self, op):
        """Height, width and depth of the micro-block with the least waste."""
        if self.u65:
            return 2, 2, 8
        shapes = {"conv": [(1, 2, 16)] if op.depthwise else [(1, 4, 8), (2, 2, 8)], "pool": [(1, 2, 16)],
                  "add": [(1, 2, 16), (1, 4, 8), (2, 2, 8)]}[op.kind]
        return min(shapes, key=lambda u: math.prod(up(n, m) for n, m in zip(op.ofm.shape, u, strict=True)))

    @staticmethod
    def lay_out_shram(op):
        height, width, depth = op.block
        rows, columns = ((n - 1) * s + min(k, 8) for n, s, k in zip((height, width), op.stride, op.kernel, strict=True))
        channels = depth if op.kind != "conv" or op.depthwise else min(up(op.ifm.shape[2], 8), 16 if op.part_kernel else 32)
        banks = up(-(-up(rows, 2) * up(columns, 2) * up(channels, 8) // BANK) * 2, 8)
        op.ib_end, op.ab_start = 2 + banks, SHRAM_BANKS - 2
        op.ib2_start = op.ib_end
        if op.kind == "add":
            op.ib_end = op.ab_start
        else:
            op.ab_start -= up(-(-height * width * up(depth, 8) * 4 // BANK) * 2, 16)
        assert op.ib_end <= op.ab_start

    def stream(self):
        return Writer(self).words()


class Writer:
    def __init__(self, compiler):
        self.compiler, self.u65, self.later = compiler, compiler.u65, compiler.form == 2
        self.out, self.state, self.kernels, self.copies = [], {}, [], []

    def one(self, command, parameter=0):
        parameter = int(parameter) & 0xFFFF
        if command >= 0x100:
            if self.later and self.state.get(command) == parameter:
                return
            self.state[command] = parameter
        self.out.append(command | parameter << 16)

    def two(self, command, value, parameter=0):
        command |= 0x4000
        if self.later and self.state.get(command) == (value, parameter):
            return
        self.state[command] = value, parameter
        self.out += [command | parameter << 16, value & 0xFFFFFFFF]

    def words(self):
        if self.u65:
            self.one(PARALLEL_MODE)
        previous = None
        for op in self.compiler.operations:
            self.note_accesses(op)
            waits = self.waits(op)
            {"conv": self.convolution, "pool": self.pooling, "add": self.addition, "dma": self.dma}[op.kind](op)
            if op.kind != "dma":
                self.one(BLOCKDEP, self.dependency(previous, op))
                previous = op
            if waits >= 0:
                self.one(KERNEL_WAIT if op.kind == "dma" else DMA_WAIT, waits)
            self.one({"conv": DEPTHWISE if op.depthwise else CONV, "pool": POOL, "add": ELEMENTWISE, "dma": DMA_START}[op.kind],
                     {"pool": op.pool, "add": 1}.get(op.kind, 0))
        self.one(STOP, 0xFFFF)
        return struct.pack(f"<{len(self.out)}I", *self.out)

    def dependency(self, previous, op):
        """Form 1 does not look whether the operations overlap."""
        most = MOST_DEPENDENT["u65" if self.u65 else "u85"]
        if previous is None or (self.later and previous.ofm.tensor in (op.ifm.tensor, op.ifm2 and op.ifm2.tensor)):
            return 0
        return most

    @staticmethod
    def note_accesses(op):
        if op.kind == "dma":
            op.reads, op.writes = [(COEFS, op.source, op.size)], [(SCRATCH, 0, op.size)]
            return
        maps = [m for m in (op.ifm, op.ifm2) if m]
        op.reads = [(IO, m.address, math.prod(m.shape)) for m in maps] + [tuple(c) for c in (op.scales, op.weights) if c]
        op.writes = [(IO, op.ofm.address, math.prod(op.ofm.shape))]

    def waits(self, op):
        own, other = (self.copies, self.kernels) if op.kind == "dma" else (self.kernels, self.copies)
        own.append(op)
        if len(own) > 2:
            own.pop()

        def meet(a, b):
            return any(x[0] == y[0] and x[1] < y[1] + y[2] and y[1] < x[1] + x[2] for x in a for y in b)
        for waits, at in enumerate(reversed(range(len(other)))):
            first = other[at]
            if meet(first.writes, op.reads) or meet(first.reads, op.writes) or meet(first.writes, op.writes):
                del other[len(other) - at - 1:]
                return waits
        return -1

    def dma(self, op):
        self.one(DMA_SOURCE_REGION, COEFS)
        self.two(DMA_SOURCE, op.source)
        self.one(DMA_TARGET_REGION, SCRATCH)
        self.two(DMA_TARGET, 0)
        self.two(DMA_LENGTH, op.size)

    def bases(self, start, m):
        self.one(start + REGION, IO)
        for tile in range(4):
            self.two(BASES[start] + tile, m.address if tile == 0 else 0)

    def tiles(self, start, m):
        self.one(start + HEIGHT0, m.shape[0] - 1)
        self.one(start + HEIGHT1, m.shape[0] - 1)
        self.one(start + WIDTH0, m.shape[1] - 1)

    def strides(self, start, m):
        values = dict(zip((STRIDE_X, STRIDE_Y, STRIDE_C), m.tensor.strides, strict=True))
        for register in (STRIDE_Y, STRIDE_X, STRIDE_C) if self.later else (STRIDE_C, STRIDE_Y, STRIDE_X):
            self.two(BASES[start] + register, values[register])

    def input(self, op):
        self.bases(IFM, op.ifm)
        self.tiles(IFM, op.ifm)
        self.one(IFM_DEPTH, op.ifm.shape[2] - 1)
        self.strides(IFM, op.ifm)
        self.one(IFM + ZERO_POINT, op.ifm.zero)

    def output(self, op):
        extents = (OFM_HEIGHT, OFM_WIDTH, OFM_DEPTH)
        self.bases(OFM, op.ofm)
        if not self.later:
            self.tiles(OFM, op.ofm)
        for register, extent in zip(extents[:2] if self.later and self.u65 else extents, op.ofm.shape, strict=False):
            self.one(register, extent - 1)
        if self.later:
            self.tiles(OFM, op.ofm)
            if self.u65:
                self.one(OFM_DEPTH, op.ofm.shape[2] - 1)
        self.strides(OFM, op.ofm)
        self.one(OFM_ZERO_POINT, op.ofm.zero)

    @staticmethod
    def precision(m):
        return m.tensor.signed | m.tensor.brick << 6

    def common(self, op, scaled_operand=0):
        ofm_precision = self.precision(op.ofm) | (0 if op.kind == "conv" else GLOBAL_SCALE) | \
            (op.round_mode << 14 if self.u65 else 0)
        in_precision = self.precision(op.ifm) | (scaled_operand << 8 if self.u65 else 0)
        parts = [(self.one, IFM_PRECISION, in_precision), (self.input, op)]
        for call, *arguments in parts if self.later and not self.u65 else reversed(parts):
            call(*arguments)
        self.one(UPSCALE, op.upscale)
        if op.kind != "add":
            for register, pad in zip((PAD_TOP, PAD_LEFT, PAD_BOTTOM, PAD_RIGHT), op.pad, strict=True):
                self.one(register, pad)
        parts = [(self.one, OFM_PRECISION, ofm_precision), (self.output, op)]
        for call, *arguments in parts if self.later and not self.u65 else reversed(parts):
            call(*arguments)
        if op.kind != "add":
            y, x = (n - 1 for n in op.stride)
            self.one(KERNEL_HEIGHT, op.kernel[0] - 1)
            self.one(KERNEL_WIDTH, op.kernel[1] - 1)
            self.one(KERNEL_STRIDE, x & 1 | (y & 1) << 1 | op.part_kernel << 2 | x >> 1 << 6 | y >> 1 << 9)
        if op.kind == "conv":
            if self.later and not self.u65:
                self.one(WEIGHT_FORMAT)
            for region, base, length, (where, address, size) in ((WEIGHT_REGION, WEIGHT_BASE, WEIGHT_LENGTH, op.weights),
                                                                 (SCALE_REGION, SCALE_BASE, SCALE_LENGTH, op.scales)):
                self.one(region, where)
                self.two(base, address)
                self.two(length, size)
        self.one(ACTIVATION)
        self.one(ACTIVATION_MIN, -128 if op.ofm.tensor.signed else 0)
        self.one(ACTIVATION_MAX, 127 if op.ofm.tensor.signed else 255)

    def block(self, op):
        for register, extent in zip((BLOCK_HEIGHT, BLOCK_WIDTH, BLOCK_DEPTH), op.block, strict=True):
            self.one(register, extent - 1)
        if self.u65:
            self.one(IB_END, op.ib_end)
            self.one(AB_START, op.ab_start)
            if op.kind == "add":
                self.one(IB2_START, op.ib2_start)
            self.one(ACC_FORMAT)
        else:
            self.one(ACC_FORMAT, {(1, 2): 1, (1, 4): 2, (2, 2): 3}[op.ublock[:2]] << 8)

    def convolution(self, op):
        if self.later and not self.u65:
            self.two(OFM_SCALE, op.factor[0], op.factor[1])  # the scale stream holds those that count
        self.common(op)
        self.block(op)

    def pooling(self, op):
        self.common(op)
        if not self.later:
            self.block(op)
        elements, rescale = op.kernel[0] * op.kernel[1], op.ifm.tensor.scale / op.ofm.tensor.scale
        bits = (elements - 1).bit_length()
        if op.pool == MAX and self.later and not self.u65:
            self.two(OFM_SCALE, 1, NATURAL)
        elif op.pool == SUM:
            scale = math.ceil(rescale * ((1 << 30 + bits) + (1 << bits)) / elements)
            self.two(OFM_SCALE, scale, 30 + bits | NATURAL)
        elif op.pool == AVG or self.later:
            # On U85 as well: the reciprocal has 32 bits there, one more than the register.
            down = 1 + math.ceil(rescale).bit_length() if elements == 1 and rescale > 1 else 0
            scale = math.ceil(((1 << 31 - down + bits) + (1 << bits)) // elements * rescale)
            self.two(OFM_SCALE, scale, 31 - down + bits | (NATURAL if op.round_mode and not self.u65 else 0))
        if self.later:
            self.block(op)

    def addition(self, op):
        a, b, ofm = (m.tensor.scale for m in (op.ifm, op.ifm2, op.ofm))
        largest = 2 * max(a, b)
        if self.u65:
            scale, shift = quantize_scale(min(a, b) * (1 << 20) / largest)
            self.two(OPA_SCALE, scale, shift)
            self.two(OPB_SCALE, 0)
        else:
            for register, operand in ((OPA_SCALE, a), (OPB_SCALE, b)):
                scale, shift = quantize_scale(operand * (1 << 20) / largest)
                self.two(register, scale, shift | 20 << 6)
        scale, shift = quantize_scale(largest / (ofm * (1 << 20)))
        self.two(OFM_SCALE, scale, shift)
        self.common(op, 1 if a < b else 2)
        if not self.later:
            self.block(op)
        self.bases(IFM2, op.ifm2)
        self.tiles(IFM2, op.ifm2)
        self.strides(IFM2, op.ifm2)
        self.one(IFM2 + ZERO_POINT, op.ifm2.zero)
        self.one(IFM2_PRECISION, self.precision(op.ifm2))
        if not self.u65:
            self.one(IFM_BROADCAST)
        self.one(IFM2_BROADCAST)
        if self.later:
            self.block(op)
