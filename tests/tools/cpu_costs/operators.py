"""Which class of configs/cpu a counted or measured kernel belongs to, and how its cost grows: what fit.py and count.py share."""
import dataclasses

# Cycles of a Cortex-M for an instruction that QEMU counts: 15 of 17 kernels of which both are known lie in the range
# (count_validation of cpu_operators.json).
CYCLES_PER_INSTRUCTION = (1.07, 1.2, 1.37)

# Cost of a class: which of a fixed part, elements and multiply-accumulates it has.
TERMS = {
    "conv": ("element", "mac"),
    "conv_1x1": ("element", "mac"),
    "depthwise": ("element", "mac"),
    "depthwise_dilated": ("mac",),
    "fully_connected": ("fixed", "element", "mac"),
    "batch_matmul": ("mac",),
    "svdf": ("mac",),
    "softmax": ("fixed", "element"),
    "reshape": ("fixed",),
}
OTHER_TERMS = ("element",)


@dataclasses.dataclass
class Point:
    """A kernel's cycles: `low` to `high`, elements and multiply-accumulates of what it computed."""

    elements: float
    macs: float
    cycles: float
    low: float
    high: float
    source: str
    silicon: bool = False


def counted(elements, macs, instructions, source):
    return Point(elements, macs, *(instructions * CYCLES_PER_INSTRUCTION[i] for i in (1, 0, 2)), source)


def measured(elements, macs, cycles, source):
    return Point(elements, macs, cycles, 0.97 * cycles, 1.03 * cycles, source, True)


# case of a count -> library, class, type, elements (None: as counted), multiply-accumulates
CASES = {
    "ref_QUANTIZE_f32_i8": ("tflm-reference", "quantize", "int8"),
    "ref_DEQUANTIZE_i8_f32": ("tflm-reference", "dequantize", "int8"),
    "ref_REQUANTIZE_i8_i8": ("tflm-reference", "requantize", "int8"),
    "ref_TRANSPOSE_nhwc_nchw": ("tflm-reference", "transpose", "int8"),
    "ref_TRANSPOSE_021": ("tflm-reference", "transpose", "int8"),
    "old_TRANSPOSE_nhwc_nchw": ("tflm-reference-2022", "transpose", "int8"),
    "ref_PAD_spatial": ("tflm-reference", "pad", "int8"),
    "ref_PAD_channel": ("tflm-reference", "pad", "int8"),
    "ref_MUL": ("tflm-reference", "mul", "int8"),
    "ref_MUL_broadcast": ("tflm-reference", "mul_broadcast", "int8"),
    "ref_MUL_broadcast_256x8": ("tflm-reference", "mul_broadcast", "int8"),
    "ref_MUL_broadcast6D_256x8": ("tflm-reference", "mul_broadcast", "int8"),
    "ref_ADD": ("tflm-reference", "add", "int8"),
    "ref_MEAN_generic_hist": ("tflm-reference", "mean", "int8"),
    "ref_MEAN_axis12": ("tflm-reference", "mean", "int8"),
    "ref_SOFTMAX_12": ("tflm-reference", "softmax", "int8"),
    "ref_SOFTMAX_1000": ("tflm-reference", "softmax", "int8"),
    "ref_BMM_macs": ("tflm-reference", "batch_matmul", "int8", None, 76832),
    "ref_FC_macs": ("tflm-reference", "fully_connected", "int8", 9801, 627264),
    "ref_STRIDED_SLICE_s2": ("tflm-reference", "slice", "int8"),
    "ref_ARGMAX_in": ("tflm-reference", "argmax", "int8"),
    "ref_CONCAT_channel": ("tflm-reference", "concat", "int8"),
    "ref_RESIZE_NN": ("tflm-reference", "resize_nearest", "int8"),
    "ref_RESIZE_BILINEAR": ("tflm-reference", "resize_bilinear", "int8"),
    "ref_LEAKY_RELU": ("tflm-reference", "leaky_relu", "int8"),
    "ref_LOGISTIC": ("tflm-reference", "logistic", "int8"),
    "cmsis_TRANSPOSE_0312": ("cmsis-nn", "transpose", "int8"),
    "cmsis_TRANSPOSE_0231": ("cmsis-nn", "transpose", "int8"),
    "cmsis_TRANSPOSE_021": ("cmsis-nn", "transpose", "int8"),
    "cmsis_PAD_spatial": ("cmsis-nn", "pad", "int8"),
    "cmsis_PAD_channel": ("cmsis-nn", "pad", "int8"),
    "cmsis_MUL": ("cmsis-nn", "mul", "int8"),
    "cmsis_ADD": ("cmsis-nn", "add", "int8"),
    "cmsis_SOFTMAX_12": ("cmsis-nn", "softmax", "int8"),
    "cmsis_SOFTMAX_12_near": ("cmsis-nn", "softmax", "int8"),
    "cmsis_SOFTMAX_1000": ("cmsis-nn", "softmax", "int8"),
    "cmsis_BMM_macs": ("cmsis-nn", "batch_matmul", "int8", None, 76832),
    "cmsis_FC_99x64x99_macs": ("cmsis-nn", "fully_connected", "int8", 9801, 627264),
    "cmsis_FC_640x128_macs": ("cmsis-nn", "fully_connected", "int8", 128, 81920),
    "cmsis_FC_64x12": ("cmsis-nn", "fully_connected", "int8", 12, 768),
    "cmsis_CONV1x1_64_64_25x5": ("cmsis-nn", "conv_1x1", "int8", 8000, 512000),
    "cmsis_CONV1x1_96_24_12x12": ("cmsis-nn", "conv_1x1", "int8", 3456, 331776),
    "cmsis_CONV1x1_24_144_12x12": ("cmsis-nn", "conv_1x1", "int8", 20736, 497664),
    "cmsis_CONV3x3_16_16_32x32": ("cmsis-nn", "conv", "int8", 16384, 2359296),
    "cmsis_CONV10x4_1_64_25x5": ("cmsis-nn", "conv", "int8", 8000, 320000),
    "cmsis_CONV3x3s2_3_32_20x20": ("cmsis-nn", "conv", "int8", 12800, 345600),
    "cmsis_DW3x3_64_25x5": ("cmsis-nn", "depthwise", "int8", 8000, 72000),
    "cmsis_DW3x3_144_14x14": ("cmsis-nn", "depthwise", "int8", 28224, 254016),
    "cmsis_DW1x7_dil2_16_256": ("cmsis-nn", "depthwise_dilated", "int8", 4096, 28672),
    "cmsis_AVGPOOL_25x5x64": ("cmsis-nn", "average_pool", "int8"),
    "cmsis_SVDF_96in_64u_mem10": ("cmsis-nn", "svdf", "int8", 64, 6784),
    "et_QUANTIZE_portable": ("executorch-portable", "quantize", "int8"),
    "et_DEQUANTIZE_portable": ("executorch-portable", "dequantize", "int8"),
    "et_PERMUTE_nchw_nhwc": ("executorch-portable", "transpose", "int8"),
    "et_ARGMAX_f32": ("executorch-portable", "argmax", "float32"),
    "et_SOFTMAX_f32": ("executorch-portable", "softmax", "float32"),
}

# operator of a measurement -> class, type
MEASURED = {
    "CONV_2D 10x4": ("conv", "int8"),
    "CONV_2D 3x3": ("conv", "int8"),
    "CONV_2D 3x3 s2": ("conv", "int8"),
    "CONV_2D 1x1": ("conv_1x1", "int8"),
    "DEPTHWISE_CONV_2D 3x3": ("depthwise", "int8"),
    "DEPTHWISE_CONV_2D 3x3 s2": ("depthwise", "int8"),
    "AVERAGE_POOL_2D": ("average_pool", "int8"),
    "FULLY_CONNECTED": ("fully_connected", "int8"),
    "SOFTMAX": ("softmax", "int8"),
}


def core_of(processor):
    """The core as configs/cpu names it, of a processor of the corpus; None for others."""
    if "Cortex-M55" in processor:
        return "cortex-m55-nomve" if "without MVE" in processor else "cortex-m55"
    return "cortex-m4" if "Cortex-M4" in processor else None
