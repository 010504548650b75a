"""A float network beside its quantised form: macaw.accuracy."""
import json
from dataclasses import dataclass
from operator import index

from . import Error, _functions
from .arguments import array_argument, artifact_argument, graph_bytes, text, whole


@dataclass
class Accuracy:
    """str() of it is what `macaw accuracy` prints. `report` is what its --json writes (docs/QUANTISATION.md)."""
    report: dict
    text: str

    def __str__(self):
        return self.text

    @property
    def records(self):
        """A flat dictionary for each layer, for pandas.DataFrame()."""
        return [_flat(layer) for layer in self.report["layers"]]


def _flat(value, name=""):
    flat = {}
    for key, part in value.items():
        key = f"{name}_{key}" if name else key
        if isinstance(part, dict):
            flat.update(_flat(part, key))
        elif key == "npu":
            flat["npu_equal"] = [one["equal"] for one in part]
        else:
            flat[key] = part
    return flat


def _input_scale(scale, zero_point):
    scale, zero_point = float(scale), index(zero_point)
    if not 1e-30 < scale < 1e30 or not -32768 <= zero_point <= 32767:
        raise Error("usage", f"input_scales: ({scale}, {zero_point}) is not a scale above 0 and a zero point of the input's type")
    return scale, zero_point


def accuracy(reference, quantised=None, artifacts=(), *, inputs, labels=None, accelerator="", threads=0, input_scales=()):
    """Measures layer by layer what quantisation costs, and compares the NPU with the quantised network.

    reference    the float network: the bytes of a .tflite or .tosa file, or its path
    quantised    the same network quantised, of the same format; None: `reference` is it, a .tflite, and its dequantised
                 form the reference
    artifacts    compiled forms of the quantised network: paths or bytes
    inputs       an array with the sets along its first axis, or a list of them, one for each input: floats, or elements
                 of the quantised input's type
    labels       the right class of each set
    accelerator  "ethos-u55-128", ...; needed only where an artifact does not say it
    threads      that share the sets; 0: as many as the machine has
    input_scales of TOSA graphs, which do not state them: (scale, zero point) for each input of `quantised`

    Raises macaw.Error."""
    arrays = [array_argument(one) for one in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    done = _functions.run_accuracy(reference=graph_bytes(reference), quantised=None if quantised is None else graph_bytes(quantised),
                                   artifacts=[artifact_argument(one) for one in artifacts], inputs=arrays,
                                   labels=None if labels is None else [int(label) for label in labels],
                                   accelerator=text(accelerator, "accelerator"), threads=whole(threads, "threads", 0, 256),
                                   input_scales=[_input_scale(*pair) for pair in input_scales])
    return Accuracy(json.loads(done["report"]), done["text"].rstrip("\n"))
