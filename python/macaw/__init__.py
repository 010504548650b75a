"""Macaw: bit-exact TOSA interpreter (macaw.tosa), TensorFlow Lite interpreter (macaw.tflite) and Ethos-U simulator
(macaw.sim), two of them side by side (macaw.compare), and a
float network beside its quantised form (macaw.accuracy);
numpy arrays in and out."""

from . import _library  # noqa: F401  (first: it refuses a subinterpreter)


class Error(Exception):
    """Kind and place of an error. `code` is usage, io, invalid_file, invalid_graph, unsupported, mismatch, unpredictable or
    hardware_fault."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


from . import sim, tflite, tosa  # noqa: E402  (they need Error)
from .accuracies import accuracy  # noqa: E402
from .comparison import compare  # noqa: E402
from .version import __version__  # noqa: E402

__all__ = ["Error", "__version__", "accuracy", "compare", "sim", "tflite", "tosa"]
