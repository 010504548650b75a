"""Calls libmacaw_python.so through ctypes: python/native.h describes its interface.

Arrays are passed without copies; large ones of results keep their part of the library's memory alive."""
import ctypes
import json
import os
import pathlib
import struct


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
    _fields_ = [(name, ctypes.c_void_p) for name in ("save_thread", "restore_thread", "check_signals", "call_function", "decrease_reference")]


# As PyDLL, calls keep the interpreter's lock, which the library releases while a network runs, and raise what a signal
# handler or a callback has raised meanwhile.
_library = ctypes.PyDLL(str(pathlib.Path(__file__).with_name("libmacaw_python.so")))
_initialize, call, reply, _free = (getattr(_library, f"macaw_py_{name}") for name in ("initialize", "call", "reply", "free"))
_initialize.restype, _initialize.argtypes = None, [ctypes.c_void_p]
call.restype, call.argtypes = ctypes.c_char_p, [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
reply.restype, reply.argtypes = None, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
_free.restype, _free.argtypes = None, [ctypes.c_void_p]
_initialize(ctypes.byref(_Interpreter(*(
    ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
    for name in ("PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals", "PyObject_CallFunction", "Py_DecRef")))))


# Arrays of results up to this size are copied, which takes less time than an owner for their memory.
_MOST_BYTES_COPIED = 4096
_string_at, _from_buffer, _addressof = ctypes.string_at, ctypes.c_char.from_buffer, ctypes.addressof


class Owned:
    """An object of the library that is freed with this one."""
    __slots__ = ("address",)

    def __init__(self, address):
        self.address = address

    def __del__(self, free=_free):
        free(self.address)


class _Memory(Owned):
    """Memory of the library, as numpy takes it."""
    __slots__ = ("__array_interface__",)

    def __init__(self, address, kind, shape, owner):
        self.address = owner
        self.__array_interface__ = {"data": (address, False), "typestr": kind, "shape": tuple(shape), "version": 3}


def encoded(name):
    """A name as the text whose characters are its bytes."""
    if not isinstance(name, str):
        raise TypeError(f"names must be text, not {type(name).__name__}")
    if name.isascii():
        return name
    try:
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        raise TypeError("names must be text that can be written in UTF-8") from None


def decoded(text, errors="surrogateescape"):
    """The other way round; bytes that are not UTF-8 are surrogates, as in Python's names of files."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", errors)


def address_of(array):
    try:
        return _addressof(_from_buffer(array))
    except (TypeError, ValueError):  # read-only, empty, or of a type that has no buffer
        return array.__array_interface__["data"][0]


def json_value(value):
    """A JSON value for bytes (not for the contents of files), and for texts that stand for themselves."""
    return value.decode("latin-1") if isinstance(value, bytes) else value


class Table:
    """The memory that a call reads, and its description in the arguments."""
    __slots__ = ("addresses", "kept")

    def __init__(self):
        self.addresses = []
        self.kept = []  # until the call has returned

    def packed(self):
        return struct.pack(f"{len(self.addresses)}Q", *self.addresses)

    def file(self, contents):
        self.kept.append(contents)
        self.addresses.append(ctypes.cast(contents, ctypes.c_void_p).value)
        return len(self.addresses) - 1, len(contents)

    def array(self, value, name=None):
        try:
            array = numpy.asarray(value, order="C")
        except MemoryError:
            return "unsupported", None, ": no memory for a copy of the array", name
        except Exception:  # whatever the conversion of a caller's object raises
            return "mismatch", None, " is not an array", name
        self.kept.append(array)
        addresses = self.addresses
        addresses.append(address_of(array))
        return len(addresses) - 1, array.dtype.str, array.shape, name, array.nbytes

    def named(self, arrays):
        names = [encoded(name) for name in arrays]
        return tuple([self.array(array, name) for name, array in zip(names, arrays.values())])

    def inputs(self, inputs):
        """Whether they have names, and the arrays."""
        if isinstance(inputs, dict):
            return True, self.named(inputs)
        return False, tuple([self.array(array) for array in inputs])

    def artifact(self, source, method):
        """Arguments for a compiled network: contents as bytes, or the name of a file as text."""
        name = {"artifact": self.file(source)} if isinstance(source, bytes) else {"artifact_file": os.fsencode(source)}
        return {**name, "method": method}


class Result:
    """The values of a result, and the memory that belongs to the caller from now on."""
    __slots__ = ("values", "numbers")

    def __init__(self, text):
        numbers, values = text.split(b"\n", 1)
        self.numbers = [int(number) for number in numbers.split()]
        self.values = json.loads(values)

    def __getitem__(self, key):
        return self.values[key]

    def array(self, value):
        index, kind, shape, _, size = value
        address, owner = self.numbers[2 * index:2 * index + 2]
        if size > _MOST_BYTES_COPIED:
            return numpy.asarray(_Memory(address, kind, shape, owner))
        contents = bytearray(_string_at(address, size))
        _free(owner)
        return numpy.ndarray(shape, kind, contents)

    def arrays(self, key):
        return [self.array(value) for value in self.values[key]]

    def named_arrays(self, key):
        return {decoded(value[3]): self.array(value) for value in self.values[key]}

    def names(self, key):
        return [decoded(name) for name in self.values[key]]

    def document(self, key):
        """The bytes of a JSON document or of a text."""
        index, _, _, _, size = self.values[key]
        address, owner = self.numbers[2 * index:2 * index + 2]
        contents = _string_at(address, size)
        _free(owner)
        return contents

    def text(self, key):
        return self.document(key).decode("utf-8", "replace")


def invoke(function, table=None, callback=None, **arguments):
    """The result of a function of the library. What `callback` raises passes through it."""
    text = json.dumps({"function": function, **arguments}, default=json_value).encode()
    table = table or Table()
    return checked(call(text, table.packed(), None if callback is None else id(callback)))


def checked(returned):
    """The result; raises what it reports."""
    result = Result(returned)
    if "error" not in result.values:
        return result
    code, message = result["error"], decoded(result["message"], "replace")
    if code == "memory":
        raise MemoryError(message)
    if code == "internal":
        raise RuntimeError(message)
    from . import Error
    raise Error(code, message)
