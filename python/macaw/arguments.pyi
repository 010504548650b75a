from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Union

from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Inputs = Union[Sequence[ArrayLike], Mapping[str, ArrayLike]]
File = Union[str, PathLike[str], bytes, bytearray, memoryview]

def inputs_argument(inputs: Inputs) -> Union[list[ArrayLike], dict[str, ArrayLike]]: ...
def graph_bytes(graph: File) -> bytes: ...
def artifact_argument(artifact: File) -> Union[str, PathLike[str], bytes]: ...
