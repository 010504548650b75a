"""The functions of libmacaw_python.so, called through ctypes: python/native.h describes its interface.

Arrays are passed without copies; those of results keep their part of the library's memory alive."""
import ctypes
import json
import os
import pathlib

def _in_main_interpreter():
    """Checked before numpy is loaded, which does not support other interpreters either."""
    states = []
    for function in (ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_Main):
        function.restype = ctypes.c_void_p
        states.append(function())
    return states[0] == states[1]


if not _in_main_interpreter():
    raise ImportError("macaw runs in Python's main interpreter only, not in a subinterpreter")

import numpy  # noqa: E402  (after the check)


class _Interpreter(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("save_thread", "restore_thread", "check_signals")]


# As PyDLL, calls keep the interpreter's lock, which the library releases while a network runs, and raise what a signal
# handler has raised meanwhile.
_library = ctypes.PyDLL(str(pathlib.Path(__file__).with_name("libmacaw_python.so")))
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
_initialize, _call, _reply, _free = (getattr(_library, f"macaw_py_{name}") for name in ("initialize", "call", "reply", "free"))
_initialize.restype, _initialize.argtypes = None, [ctypes.c_void_p]
_call.restype, _call.argtypes = ctypes.c_char_p, [ctypes.c_char_p, ctypes.c_void_p]
_reply.restype, _reply.argtypes = None, [ctypes.c_void_p, ctypes.c_char_p]
_free.restype, _free.argtypes = None, [ctypes.c_void_p]
_initialize(ctypes.byref(_Interpreter(*(
    ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
    for name in ("PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals")))))


class _Owned:
    """An object of the library that is freed with this one."""
    __slots__ = ("address",)

    def __init__(self, address):
        self.address = address

    def __del__(self, free=_free):
        free(self.address)


class _Memory(_Owned):
    """Memory of the library, as numpy takes it."""
    __slots__ = ("__array_interface__",)

    def __init__(self, address, kind, shape, owner):
        self.address = owner
        self.__array_interface__ = {"data": (address, False), "typestr": kind, "shape": tuple(shape), "version": 3}


def _encoded(name):
    """A name as the text whose characters are its bytes."""
    if not isinstance(name, str):
        raise TypeError(f"names must be text, not {type(name).__name__}")
    if name.isascii():
        return name
    try:
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        raise TypeError("names must be text that can be written in UTF-8") from None


def _decoded(text, errors="surrogateescape"):
    """The other way round; bytes that are not UTF-8 are surrogates, as in Python's names of files."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", errors)


def _bytes(value):
    """A JSON value for bytes (not for the contents of files), and for texts that stand for themselves."""
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _file(contents):
    return [ctypes.cast(contents, ctypes.c_void_p).value, len(contents)]


def _given(value, name, kept):
    """The JSON value of an array. `kept` keeps it alive during the call."""
    try:
        array = numpy.asarray(value, order="C")
    except MemoryError:
        return ["unsupported", None, ": no memory for a copy of the array", name]
    except Exception:  # whatever the conversion of a caller's object raises
        return ["mismatch", None, " is not an array", name]
    kept.append(array)
    return [array.__array_interface__["data"][0], array.dtype.str, array.shape, name, array.nbytes]


def _given_by_name(arrays, kept):
    names = [_encoded(name) for name in arrays]
    return [_given(array, name, kept) for name, array in zip(names, arrays.values())]


def _inputs(inputs, kept):
    if isinstance(inputs, dict):
        return {"by_name": True, "inputs": _given_by_name(inputs, kept)}
    return {"by_name": False, "inputs": [_given(array, None, kept) for array in inputs]}


def _array(value):
    address, kind, shape, _, owner = value
    memory = _Memory(address, kind, shape, owner)
    return numpy.asarray(memory) if address and 0 not in shape else numpy.empty(shape, kind)


def _arrays(values):
    return [_array(value) for value in values]


def _named_arrays(values):
    return {_decoded(value[3]): _array(value) for value in values}


def _document(value):
    """The bytes of a JSON document or a text."""
    address, _, (size,), _, owner = value
    contents = ctypes.string_at(address, size)
    _free(owner)
    return contents


def _invoke(function, arguments, callbacks=None):
    """The result of a function of the library."""
    pointer = None if callbacks is None else ctypes.cast(callbacks.pointer, ctypes.c_void_p)
    text = _call(json.dumps({"function": function, **arguments}, default=_bytes).encode(), pointer)
    if callbacks is not None and callbacks.raised is not None:
        raise callbacks.raised
    if text is None:
        raise KeyboardInterrupt  # a signal between ctypes and the callback
    result = json.loads(text)
    if "error" not in result:
        return result
    code, message = result["error"], _decoded(result["message"], "replace")
    if code == "memory":
        raise MemoryError(message)
    if code == "internal":
        raise RuntimeError(message)
    from . import Error
    raise Error(code, message)


def _artifact(source, method):
    """Arguments for a compiled network: contents as bytes, or the name of a file as text."""
    name = {"artifact": _file(source)} if isinstance(source, bytes) else {"artifact_file": os.fsencode(source)}
    return {**name, "method": method}


def _numbers(values):
    return [[_bytes(name), repr(value)] for name, value in values.items()]


def _graph_result(done):
    for finding in done["findings"]:
        for key in ("place", "argument", "text"):
            finding[key] = _decoded(finding[key], "replace")
    done["names"] = [_decoded(name) for name in done["names"]]
    done["outputs"] = _arrays(done["outputs"])
    for key in ("intermediates", "variables"):
        done[key] = _named_arrays(done[key])
    return done


def run_tosa(graph, inputs, variables, **options):
    kept = []
    return _graph_result(_invoke("run_tosa", {"graph": _file(graph), **_inputs(inputs, kept),
                                              "variables": _given_by_name(variables, kept), **options}))


def load_custom_ops(library):
    _invoke("load_custom_ops", {"library": library})


MAX_TOSA_WORK = _invoke("default_max_work", {})["max_work"]


def run_sim(artifact, method, inputs, params, before_ms, after_ms, **options):
    kept = []
    done = _invoke("run_sim", {**_artifact(artifact, method), **_inputs(inputs, kept), "params": _numbers(params),
                               "before_ms": repr(before_ms), "after_ms": repr(after_ms), **options})
    return {"outputs": _arrays(done["outputs"]), "names": [_decoded(name) for name in done["names"]],
            "report": _document(done["report"])}


def run_compare(graph, artifact, method, inputs, **options):
    kept = []
    given = {} if inputs is None else _inputs(inputs, kept)
    done = _invoke("run_compare", {"graph": _file(graph), **_artifact(artifact, method), **given, **options})
    return {"report": _document(done["report"]), "text": _document(done["text"]).decode("utf-8", "replace")}


def run_accuracy(reference, quantised, artifacts, inputs, labels, **options):
    kept = []
    more = {} if quantised is None else {"quantised": _file(quantised)}
    if labels is not None:
        more["labels"] = labels
    done = _invoke("run_accuracy", {"reference": _file(reference), **more, "artifacts": [_artifact(one, "") for one in artifacts],
                                    "inputs": [_given(array, None, kept) for array in inputs], **options})
    return {"report": _document(done["report"]), "text": _document(done["text"]).decode("utf-8", "replace")}


class _Described:
    """A network or session of the library."""

    def __init__(self, kind, created):
        self._owned = _Owned(created["object"])
        self._object = self._owned.address
        described = _invoke(f"describe_{kind}", {"object": self._object})
        self.inputs = [(_decoded(name), None if shape is None else tuple(shape)) for name, shape in described["inputs"]]
        self.output_names = [_decoded(name) for name in described["output_names"]]


class _Network(_Described):
    def __init__(self, kind, created):
        super().__init__(kind, created)
        self._run = f"run_{kind}"

    def run(self, inputs, threads, reshape, reinterpret):
        kept = []
        done = _invoke(self._run, {"object": self._object, "threads": threads, "reshape": reshape,
                                   "reinterpret": reinterpret, **_inputs(inputs, kept)})
        return _arrays(done["outputs"])


class SimNetwork(_Network):
    def __init__(self, artifact, method, accelerator):
        super().__init__("sim_network", _invoke("create_sim_network", {**_artifact(artifact, method), "accelerator": accelerator}))


class TfliteNetwork(_Network):
    def __init__(self, network):
        super().__init__("tflite_network", _invoke("create_tflite_network", {"network": _file(network)}))

    @property
    def tensors(self):
        """(name, dtype, shape, scale, zero point, axis, constant) of each tensor of the main subgraph."""
        tensors = _invoke("list_tflite_tensors", {"object": self._object})["tensors"]
        return [(_decoded(t["name"]), t["dtype"], tuple(t["shape"]), _array(t["scale"]), _array(t["zero_point"]), t["axis"],
                 None if t["constant"] is None else _array(t["constant"])) for t in tensors]


class TosaNetwork(_Network):
    def __init__(self, graph, level, profiles, extensions, precise, max_work):
        super().__init__("tosa_network", _invoke("create_tosa_network", {
            "graph": _file(graph), "level": level, "profiles": profiles, "extensions": extensions, "precise": precise,
            "max_work": max_work}))

    def run(self, inputs, threads, reshape, reinterpret):
        kept = []
        return _graph_result(_invoke("run_tosa_network", {"object": self._object, "threads": threads, "reshape": reshape,
                                                          "reinterpret": reinterpret, **_inputs(inputs, kept)}))


class _Callbacks:
    """The functions that a sequence calls, and what they raise."""

    def __init__(self, between, stop):
        self.functions = {"between": between, "stop": stop}
        self.raised = None
        self.pointer = _CALLBACK(self.answer)

    def answer(self, call, text):
        try:
            question = json.loads(text)
            outputs = _named_arrays(question["outputs"])
            result = self.functions[question["ask"]](question["step"], outputs)
            kept = []
            reply = ({"stop": bool(result)} if question["ask"] == "stop"
                     else {"inputs": _given_by_name({} if result is None else dict(result), kept)})
            _reply(call, json.dumps(reply).encode())
        except BaseException as error:  # which ctypes would only print
            self.raised = error


def _steps(name, array, steps, kept):
    """[name, whether the steps are along the first axis, arrays] for an input of a sequence."""
    if isinstance(array, (list, tuple)):
        return [_encoded(name), False, [_given(array[step], None, kept) for step in range(steps)]]
    return [_encoded(name), True, [_given(array, None, kept)]]


class _Session(_Described):
    def __init__(self, created):
        super().__init__("session", created)

    def run(self, inputs, reshape, reinterpret):
        kept = []
        return _arrays(_invoke("run_step", {"object": self._object, "reshape": reshape, "reinterpret": reinterpret,
                                            **_inputs(inputs, kept)})["outputs"])

    def sequence(self, steps, given, first, joined, classes, between, stop, names, reshape, reinterpret):
        kept = []
        arguments = {"object": self._object, "steps": steps, "reshape": reshape, "reinterpret": reinterpret,
                     "given": [_steps(name, array, steps, kept) for name, array in given.items()],
                     "first": _given_by_name(first, kept), **joined, "kept": sorted(names),
                     "between": between is not None, "stop": stop is not None}
        if classes is not None:
            arguments["classes"] = _given(classes, None, kept)
        done = _invoke("run_sequence", arguments, _Callbacks(between, stop))
        done["seconds"] = float(done["seconds"])
        done["outputs"] = [_arrays(outputs) for outputs in done["outputs"]]
        score = done.setdefault("score", None)
        if score is not None:
            for key in ("negative_log_likelihood", "perplexity"):
                score[key] = float(score[key])
        return done

    def state(self):
        return _named_arrays(_invoke("get_state", {"object": self._object})["state"])

    def set_state(self, contents):
        kept = []
        _invoke("set_state", {"object": self._object, "state": _given_by_name(contents, kept)})

    def reset(self):
        _invoke("reset_state", {"object": self._object})


class TosaSession(_Session):
    def __init__(self, graph, level, profiles, extensions, max_work, threads):
        super().__init__(_invoke("create_tosa_session", {"graph": _file(graph), "level": level, "profiles": profiles,
                                                         "extensions": extensions, "max_work": max_work, "threads": threads}))


class TfliteSession(_Session):
    def __init__(self, network):
        super().__init__(_invoke("create_tflite_session", {"network": _file(network)}))

    def run_with_tensors(self, inputs, reshape, reinterpret):
        """Outputs, and what operators wrote."""
        kept = []
        done = _invoke("run_with_tensors", {"object": self._object, "reshape": reshape, "reinterpret": reinterpret,
                                            **_inputs(inputs, kept)})
        return _arrays(done["outputs"]), _named_arrays(done["tensors"])


class SimSession(_Session):
    def __init__(self, artifact, method, accelerator, mode, system, memory_mode, config, timing_adapter, params, threads):
        super().__init__(_invoke("create_sim_session", {
            **_artifact(artifact, method), "accelerator": accelerator, "mode": mode, "system": system,
            "memory_mode": memory_mode, "config": config, "timing_adapter": timing_adapter, "params": _numbers(params),
            "threads": threads}))

    @property
    def cycles(self):
        return _invoke("get_cycles", {"object": self._object})["cycles"]

    @property
    def report(self):
        """The record of the last step with time, as JSON; None before it."""
        report = _invoke("get_report", {"object": self._object})["report"]
        return None if report is None else _document(report)
