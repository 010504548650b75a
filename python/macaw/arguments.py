"""Converts arguments of callers to the form that the native module takes."""
from operator import index
from os import fsdecode, fsencode

import numpy

from . import Error


def inputs_argument(inputs):
    if isinstance(inputs, dict):
        return inputs
    if isinstance(inputs, (str, bytes, bytearray, memoryview)) or not hasattr(inputs, "__iter__"):
        raise TypeError("inputs must be a list of arrays in the network's order or a dictionary by name, "
                        f"not {type(inputs).__name__}")
    return list(inputs)


def array_argument(array):
    """An array for the one input of a network, as one of numpy."""
    if isinstance(array, numpy.ndarray):
        return array
    if not isinstance(array, memoryview) and not any(
            hasattr(array, protocol) for protocol in ("__array__", "__array_interface__", "__array_struct__")):
        raise TypeError(f"inputs must be an array, a list of arrays or a dictionary by name, not {type(array).__name__}")
    return numpy.asarray(array)


def file_name(path):
    """The bytes that the system knows a file by."""
    try:
        name = fsencode(path)
    except UnicodeEncodeError as error:
        raise Error("io", f"{ascii(path)}: no name of a file: {error.reason}") from error
    if b"\0" in name:
        raise Error("io", f"{ascii(path)}: no name of a file: it has a zero byte")
    return name


def graph_bytes(graph):
    if isinstance(graph, (bytes, bytearray, memoryview)):
        return bytes(graph)
    try:
        with open(file_name(graph), "rb") as file:
            return file.read()
    except OSError as error:
        raise Error("io", str(error)) from error


def artifact_argument(artifact):
    """Contents as bytes, the name of a file as text."""
    return bytes(artifact) if isinstance(artifact, (bytes, bytearray, memoryview)) else fsdecode(file_name(artifact))


def text(value, name):
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    return file_name(value)


def texts(values, name):
    """From a list, or from one text with commas as the command line has it."""
    given = values.split(",") if isinstance(values, str) else values
    return [text(value, name) for value in given if value != ""]


def whole(value, name, least, most):
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least} to {most}, not {number}")
    return number
