from . import sim as sim, tflite as tflite, tosa as tosa
from .accuracies import accuracy as accuracy
from .comparison import compare as compare
from .version import __version__ as __version__

class Error(Exception):
    code: str
    def __init__(self, code: str, message: str) -> None: ...
