"""A quantised network of a convolution, a pooling and a matrix product, by flatc and the schema of base/tflite."""
import json
import pathlib
import subprocess
import tempfile

import numpy as np

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "base/tflite/tflite.fbs"
FLOAT, INT32, INT8 = 0, 2, 9


def small_network(damaged=False):
    """The bytes of a .tflite: pictures of [1, 8, 8, 3] to scores of 4 classes. `damaged`: weights of the convolution have 2 bits."""
    generator = np.random.default_rng(7)
    tensors, buffers = [], [{}]

    def tensor(name, kind, shape, scale, zero=0, data=None):
        if data is not None:
            buffers.append({"data": list(np.ascontiguousarray(data).tobytes())})
        tensors.append({"shape": shape, "type": kind, "buffer": len(buffers) - 1 if data is not None else 0, "name": name,
                        "quantization": {"scale": [scale], "zero_point": [zero]}})
        return len(tensors) - 1

    filters = generator.integers(-127, 128, (8, 3, 3, 3)).astype(np.int8)
    if damaged:
        filters = (np.round(filters / 64.0) * 64).clip(-128, 127).astype(np.int8)
    weights = generator.integers(-127, 128, (4, 128)).astype(np.int8)
    x = tensor("image", INT8, [1, 8, 8, 3], 1 / 128)
    conv = [x, tensor("filters", INT8, [8, 3, 3, 3], 1 / 512, data=filters), tensor("bias", INT32, [8], 1 / 128 / 512, data=np.zeros(8, "<i4"))]
    y = tensor("features", INT8, [1, 8, 8, 8], 3 / 255, -128)
    pool = tensor("pooled", INT8, [1, 4, 4, 8], 3 / 255, -128)
    product = [pool, tensor("weights", INT8, [4, 128], 1 / 512, data=weights),
               tensor("offsets", INT32, [4], 3 / 255 / 512, data=np.zeros(4, "<i4"))]
    scores = tensor("scores", INT8, [1, 4], 8 / 255)
    codes = [(3, "CONV_2D"), (17, "MAX_POOL_2D"), (9, "FULLY_CONNECTED")]
    operators = [
        {"opcode_index": 0, "inputs": conv, "outputs": [y], "builtin_options_type": "Conv2DOptions",
         "builtin_options": {"padding": 0, "stride_w": 1, "stride_h": 1, "fused_activation_function": 1}},
        {"opcode_index": 1, "inputs": [y], "outputs": [pool], "builtin_options_type": "Pool2DOptions",
         "builtin_options": {"padding": 0, "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}},
        {"opcode_index": 2, "inputs": product, "outputs": [scores], "builtin_options_type": "FullyConnectedOptions", "builtin_options": {}}]
    model = {"version": 3, "operator_codes": [{"deprecated_builtin_code": code, "builtin_code": code} for code, _ in codes],
             "subgraphs": [{"tensors": tensors, "inputs": [x], "outputs": [scores], "operators": operators}], "buffers": buffers}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "net.json"
        source.write_text(json.dumps(model))
        subprocess.run(["flatc", "--binary", "-o", folder, SCHEMA, source], check=True, capture_output=True)
        return next(path for path in pathlib.Path(folder).iterdir() if path.suffix != ".json").read_bytes()
