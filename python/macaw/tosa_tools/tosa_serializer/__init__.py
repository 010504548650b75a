"""The names of Arm's Python package `tosa_serializer` (tosa-tools) for what is read in a graph: DType and Op, as the tests of
pytorch/executorch (backends/arm/test/misc) compare them with what tosa.TosaGraph reads. Writing a graph needs tosa-tools."""
from tosa.DType import DType
from tosa.Op import Op

__all__ = ["DType", "Op"]
