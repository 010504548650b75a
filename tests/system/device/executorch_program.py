"""Makes a delegate for EthosUBackend of Vela's raw output, as ExecuTorch's arm_vela.py does, and a program of it, for tests."""
import json
import pathlib
import struct
import subprocess

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "sim/artifact/executorch.fbs"
HEADER = struct.Struct("<16sI12x")  # of a block: name, bytes that follow
IO = struct.Struct("<9i")           # shape of six, bytes of an element, offset, region
CHAR = 1                            # of ScalarType


def pack(blocks):
    """VelaBinStream.h: blocks of multiples of 16 bytes between two empty ones."""
    packed = b""
    for name, data in (("vela_bin_stream", b""), *blocks.items(), ("vela_end_stream", b"")):
        packed += HEADER.pack(name.encode(), len(data)) + data + bytes(-len(data) % 16)
    return packed


def operands(network, kind):
    rows = [IO.pack(*(1,) * (6 - len(shape)), *shape, size, offset, region) for shape, size, offset, region in
            zip(network[f"{kind}_shape"], *(network[f"{kind}_{what}"] for what in ("elem_size", "offset", "region")))]
    return struct.pack("<i", len(rows)) + b"".join(rows)


def delegate(network):
    """A delegate of the arrays of a raw npz."""
    return pack({"cmd_data": network["cmd_data"].tobytes(), "weight_data": network["weight_data"].tobytes(),
                 "scratch_size": struct.pack("<I", network["scratch_size"]), "inputs": operands(network, "input"),
                 "outputs": operands(network, "output")})


def program(network, folder):
    """The bytes of a program that calls the delegate on int8 tensors in one planned buffer; flatc writes it."""
    values, size = [], 0
    for shape in (*network["input_shape"], *network["output_shape"]):
        shape = [int(extent) for extent in shape]
        values.append({"value_type": "Tensor", "value": {"scalar_type": CHAR, "sizes": shape, "dim_order": list(range(len(shape))),
                                                         "allocation": {"memory_id": 1, "offset_low": size}}})
        elements = 1
        for extent in shape:
            elements *= extent
        size += (elements + 15) // 16 * 16
    numbers, inputs = list(range(len(values))), len(network["input_shape"])
    plan = {"name": "forward", "values": values, "inputs": numbers[:inputs], "outputs": numbers[inputs:],
            "chains": [{"instructions": [{"call_type": "DelegateCall", "call": {"delegate": 0, "args": numbers}}]}],
            "delegates": [{"id": "EthosUBackend", "processed": {"location": "INLINE", "index": 0}}], "buffer_sizes": [0, size]}
    source = folder / "program.json"
    source.write_text(json.dumps({"plans": [plan], "delegate_data": [{"data": list(delegate(network))}]}))
    subprocess.run(["flatc", "--binary", "-o", folder, SCHEMA, source], check=True, capture_output=True)
    return next(path for path in folder.glob("program.*") if path != source).read_bytes()
