"""Pairs of networks whose fused RELU is an operator of its own that the int8 kernels compute by a table. Made of a float network and its
quantised form by flatc and the schema of base/tflite; the scales of the results are those of the values in a run of the float network."""
import copy
import json
import pathlib
import subprocess

import numpy as np

from tflite_patch import KINDS, Model

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "base/tflite/tflite.fbs"
FUNCTIONS = {"HARD_SWISH": (117, {}),
             "LEAKY_RELU": (98, {"builtin_options_type": "LeakyReluOptions", "builtin_options": {"alpha": 0.25}})}
FILTERED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
KEEPS_SCALE = ("RESHAPE", "AVERAGE_POOL_2D", "MAX_POOL_2D")


def make_pair(macaw, reference, quantised, function, values, folder):
    """Paths of the float network and its quantised form. `values`: sets of the float network's input, along the first axis."""
    models = [Model(path.read_bytes()) for path in (reference, quantised)]
    documents = [document_of(path, model, folder) for path, model in zip((reference, quantised), models)]
    for document in documents:
        insert(document, function)
    files = [folder / f"{function.lower()}_{form}.tflite" for form in ("float", "int8")]
    write(documents[0], files[0])
    np.save(folder / "calibration.npy", values)
    subprocess.run([macaw, "tflite", files[0], "--inputs", folder / "calibration.npy", "--dump-tensors", folder / "calibration", "--force"],
                   check=True, capture_output=True)
    results = {file.stem: np.load(file) for file in (folder / "calibration").glob("*.npy")}
    quantise(documents[1], results, biases(models[0]))
    write(documents[1], files[1])
    return files


def document_of(path, model, folder):
    """The network as JSON. flatc prints six digits of a number behind its point: scales are read from the file itself."""
    subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary", "-o", folder, SCHEMA, "--", path], check=True, capture_output=True)
    document = json.loads((folder / f"{path.stem}.json").read_text())
    document.pop("metadata", None)
    for tensor, info in zip(document["subgraphs"][0]["tensors"], model.tensors, strict=True):
        tensor["quantization"] = {}
        if info.scale[1]:
            tensor["quantization"] = {"scale": [float(s) for s in model.scales(info)], "zero_point": [int(z) for z in model.zero_points(info)],
                                      "quantized_dimension": info.axis}
    return document


def write(document, file):
    source = file.with_suffix(".json")
    source.write_text(json.dumps(document))
    subprocess.run(["flatc", "--binary", "-o", file.parent / "made", SCHEMA, source], check=True, capture_output=True)
    next(path for path in (file.parent / "made").iterdir() if path.stem == file.stem).replace(file)


def insert(document, function):
    """Puts the function where a RELU is fused, and names results layer_0, layer_1 and so on."""
    number, options = FUNCTIONS[function]
    graph = document["subgraphs"][0]
    document["operator_codes"].append({"deprecated_builtin_code": number, "builtin_code": number})
    operators, moved = [], {}
    for op in graph["operators"]:
        op["inputs"] = [moved.get(i, i) for i in op["inputs"]]
        operators.append(op)
        if op.get("builtin_options", {}).get("fused_activation_function") != "RELU":
            continue
        op["builtin_options"]["fused_activation_function"] = "NONE"
        source = op["outputs"][0]
        moved[source] = len(graph["tensors"])
        graph["tensors"].append(copy.deepcopy(graph["tensors"][source]))
        operators.append({"opcode_index": len(document["operator_codes"]) - 1, "inputs": [source], "outputs": [moved[source]], **options})
    graph["operators"] = operators
    for place, op in enumerate(operators):
        graph["tensors"][op["outputs"][0]]["name"] = f"layer_{place}"


def biases(model):
    """One array for each operator that has a filter, in their order."""
    return [model.constant(model.tensors[op.inputs[2]]).astype(np.float64) for op in model.operators if op.kind in FILTERED]


def quantise(document, results, wanted_biases):
    graph = document["subgraphs"][0]
    tensors, wanted_biases = graph["tensors"], iter(wanted_biases)
    for op in graph["operators"]:
        code = document["operator_codes"][op.get("opcode_index", 0)]
        kind = KINDS[max(code.get("builtin_code", 0) if isinstance(code.get("builtin_code", 0), int) else 0, code.get("deprecated_builtin_code", 0))]
        source, result = tensors[op["inputs"][0]], tensors[op["outputs"][0]]
        if kind in KEEPS_SCALE:
            result["quantization"] = copy.deepcopy(source["quantization"])
        elif kind != "SOFTMAX":
            values = results[result["name"]]
            low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
            scale = float(np.float32((high - low) / 255))
            result["quantization"] = {"scale": [scale], "zero_point": [int(np.clip(round(-128 - low / scale), -128, 127))]}
        if kind in FILTERED:
            steps = source["quantization"]["scale"][0] * np.array(tensors[op["inputs"][1]]["quantization"]["scale"])
            bias = tensors[op["inputs"][2]]
            bias["quantization"] = {"scale": [float(s) for s in steps], "zero_point": [0] * len(steps)}
            codes = np.round(next(wanted_biases) / steps).astype("<i4")
            document["buffers"].append({"data": list(codes.tobytes())})
            bias["buffer"] = len(document["buffers"]) - 1
