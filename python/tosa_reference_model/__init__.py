"""The Python interface of Arm's TOSA reference model, on Macaw's interpreter: the same run() and GraphStatus, so that tests
written for it (ExecuTorch's, for example) work unchanged."""
import enum

import macaw
from macaw import _functions

__all__ = ["GraphStatus", "run"]


class GraphStatus(enum.IntEnum):
    TOSA_VALID = 0
    TOSA_UNPREDICTABLE = 1
    TOSA_ERROR = 2


# Types that the reference model hands back as raw elements of their width.
_RAW = {"BF16": "<V2", "FP8E4M3": "<V1", "FP8E5M2": "<V1"}


def run(tosa_binary, inputs, *, inst_id=0, debug_filename=None, is_unbuffered=False, debug_mode=None, verbosity="NONE",
        dump_intermediates=0, initialize_variable_tensor_from_numpy=0, fp_format="0.5", precise_mode=0,
        bounds_mode=False, tosa_level="NONE", tosa_profile=None):
    """Runs a serialized TOSA graph: (list of output arrays, GraphStatus).

    Inputs are assigned in the order of the graph and taken as bytes: the shape need not fit, the size must. Outputs have the
    graph's types, in precise mode too, and those of a status other than TOSA_VALID mean nothing and may be missing. A graph
    that is wrong whatever it computes raises ValueError; one in ERROR for what its constants or inputs hold has status
    TOSA_ERROR. debug_filename is written: what was found, and with debug_mode the outputs. The other arguments about debug
    output are taken and not used, as are initialize_variable_tensor_from_numpy (there is no file to read from) and
    tosa_profile (of the model for 0.80).

    Raises ValueError if a parameter, the graph or the inputs are invalid."""
    if tosa_level not in ("NONE", "EIGHTK"):
        raise ValueError("tosa_level must be NONE or EIGHTK")
    if isinstance(tosa_binary, str):
        tosa_binary = tosa_binary.encode("latin-1")
    try:
        result = _functions.run_tosa(graph=bytes(tosa_binary), inputs=list(inputs),
                                     level="8K" if tosa_level == "EIGHTK" else "NONE", profiles=[], extensions=[],
                                     precise=bool(precise_mode), bounds=bool(precise_mode and bounds_mode),
                                     intermediates=False, variables={}, threads=0, raw=True, reshape=True, reinterpret=True)
    except macaw.Error as error:
        raise ValueError(str(error)) from error
    status = GraphStatus[f"TOSA_{result['status']}"]
    if debug_filename is not None:
        _write_debug(debug_filename, result, debug_mode)
    if status == GraphStatus.TOSA_ERROR and result["before_evaluation"]:
        first = next(f for f in result["findings"] if f["status"] == "ERROR")
        raise ValueError(f"Invalid TOSA graph: {first['place']}: {first['text']}")
    outputs = [array.view(_RAW[dtype]) if dtype in _RAW else array
               for array, dtype in zip(result["outputs"], result["types"])]
    return outputs, status


def _write_debug(filename, result, debug_mode):
    with open(filename, "w", encoding="utf-8") as file:
        for f in result["findings"]:
            file.write(f"{f['status']}: {f['place']} {f['argument']}: {f['text']} [{f['rule']}]\n")
        file.write(f"TOSA_{result['status']}\n")
        if debug_mode:
            for name, dtype, array in zip(result["names"], result["types"], result["outputs"]):
                file.write(f"{name}: {dtype} {list(array.shape)}\n{array}\n")
