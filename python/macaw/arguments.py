"""What callers may give, in the form that the native half takes."""
from os import fspath
from pathlib import Path

from . import Error


def inputs_argument(inputs):
    return inputs if isinstance(inputs, dict) else list(inputs)


def graph_bytes(graph):
    if isinstance(graph, (bytes, bytearray, memoryview)):
        return bytes(graph)
    try:
        return Path(fspath(graph)).read_bytes()
    except OSError as error:
        raise Error("io", str(error)) from error


def artifact_argument(artifact):
    return bytes(artifact) if isinstance(artifact, (bytearray, memoryview)) else artifact
