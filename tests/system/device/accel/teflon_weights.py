"""Weights as the MAC array of Ethos-U65-256 and U85-256 consumes them (docs/hardware, 4.1 to 4.4): their order, and two
plain codings of a weight stream."""
LENGTH = 32768  # of a slice


def spans(extent, step):
    return [(at, min(step, extent - at)) for at in range(0, extent, step)]


def order_u65(weights, op):
    channels, height, width, depth = weights.shape
    block_depth = 16 if op.part_kernel else 32
    out = []

    def at(o, y, x, i):
        return int(weights[o, y, x, i]) if o < channels and i < depth and y is not None else 0

    for o0, blk in spans(channels, op.block[2]):
        for i0, _ in [(0, 1)] if op.depthwise else spans(depth, block_depth):
            for y0, rows in spans(height, 8):
                for x0, columns in spans(width, 8):
                    taps = [(y0 + y, x0 + x) for y in range(rows) for x in range(columns)]
                    taps += [(None, None)] * (-len(taps) % (4 if op.depthwise or op.part_kernel else 1))
                    present = min(block_depth, depth - i0)
                    for part in range(0, present, 8) if op.part_kernel else [0]:
                        groups = [part] if op.part_kernel or op.depthwise else range(0, block_depth, 8)
                        for u, _ in spans(blk, 8):
                            for y, x in taps:
                                for group in groups:
                                    for o in range(o0 + u, o0 + u + 8):
                                        inside = o < o0 + blk
                                        for i in range(1 if op.depthwise else 8):
                                            out.append(at(o, y, x, i0 + group + i) if inside else 0)
    return out


def order_u85(weights, op):
    channels, height, width, depth = weights.shape
    ublock = op.ublock[2]
    if op.depthwise:
        block, part, rounding, step, stride = 1, 1, 10, 1, op.stride
    elif op.part_kernel:
        block, part, rounding, step, stride = 16, 16, 5, 8, op.stride
    else:
        block = part = 32 if ublock == 16 else 64
        rounding, step, stride = 1, 8, (1, 1)
    out = []

    def tap(o0, i0, y, x):
        for group in range(0, part, step):
            for four in range(0, ublock, 4):
                for o in range(o0 + four, o0 + four + 4):
                    for i in range(i0 + group, i0 + group + step):
                        out.append(int(weights[o, y, x, i]) if o < channels and i < depth else 0)

    for number, (o0, blk) in enumerate(spans(channels, op.block[2])):
        inputs = spans(depth, block)
        for i0, present in reversed(inputs) if number % 2 else inputs:
            for x0, columns in spans(width, 8):
                for y0, rows in spans(height, 8):
                    for i in range(i0, i0 + present, part):
                        for o in range(o0, o0 + blk, ublock):
                            done = 0
                            for py in range(stride[0]):
                                for px in range(stride[1]):
                                    line = [x0 + x for x in range(px, columns, stride[1])]
                                    for row, y in enumerate(range(py, rows, stride[0])):
                                        for x in line if row % 2 == 0 else reversed(line):
                                            tap(o, i, y0 + y, x)
                                            done += 1
                            out += [0] * (-done % rounding * part * ublock)
    return out


class Bits:
    def __init__(self):
        self.value, self.length = 0, 0

    def put(self, value, bits):
        self.value |= value << self.length
        self.length += bits

    def bytes(self):
        self.put(7, 3)  # the end
        while self.length % 128:
            self.put(1, 1)
        return self.value.to_bytes(self.length // 8, "little")


def encode(symbols, coding):
    """`coding` "fixed": indices of nine bits; "rice": Golomb-Rice with a divisor of 2^4. Both without palette and runs."""
    pieces = []
    for start, length in spans(len(symbols), LENGTH):
        bits = Bits()
        bits.put(6, 3)  # no runs of zeros
        bits.put(length - 1, 15)
        bits.put(7 if coding == "fixed" else 4, 3)
        bits.put(0, 1)  # quotients end anywhere
        first = start == 0
        bits.put(first, 1)
        if first:
            bits.put(0 | 0 << 5 | 7 << 10, 13)  # no palette, nine bits
        indices = [2 * abs(s) | (s < 0) for s in symbols[start:start + length]]
        if coding == "fixed":
            for index in indices:
                bits.put(index, 9)
        else:
            rice(bits, indices, 4)
        pieces.append(bits)
    whole = Bits()
    for bits in pieces:
        whole.put(bits.value, bits.length)
    return whole.bytes()


def rice(bits, indices, divisor):
    """Chunks of 12 codes: quotients in unary, then the remainders of the chunk before."""
    codes = []  # (code, index of the symbol that it completes or None)
    for number, index in enumerate(indices):
        quotient = index >> divisor
        codes += [(2, None)] * (quotient // 2) + [(quotient % 2, number)]
    earlier = []
    for at in range(0, len(codes), 12):
        chunk = codes[at:at + 12]
        chunk += [(0, None)] * (12 - len(chunk))
        for code, _ in chunk:
            bits.put(code > 0, 1)
        for code, _ in chunk:
            if code > 0:
                bits.put(code - 1, 1)
        for number in earlier:
            bits.put(indices[number] & (1 << divisor) - 1, divisor)
        earlier = [number for _, number in chunk if number is not None]
    for number in earlier:
        bits.put(indices[number] & (1 << divisor) - 1, divisor)
