from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Optional, Union

from numpy.typing import ArrayLike

from . import Error, batch, session
from .arguments import Array, File, Inputs
from .tosa_graph import Block as Block, Graph as Graph, Operator as Operator, Tensor as Tensor, Version as Version

LEVELS: tuple[str, ...]
MAX_WORK: int

class VerdictError(Error):
    result: Result
    findings: list[dict[str, str]]
    def __init__(self, result: Result) -> None: ...

@dataclass
class Result:
    status: str
    outputs: list[Array]
    names: list[str]
    types: list[str]
    findings: list[dict[str, str]]
    intermediates: dict[str, Array] = field(default_factory=dict)
    variables: dict[str, Array] = field(default_factory=dict)
    def __getitem__(self, name: str) -> Array: ...

def run(
    graph: File,
    inputs: Inputs = ...,
    *,
    level: str = ...,
    profiles: Union[str, Iterable[str]] = ...,
    extensions: Union[str, Iterable[str]] = ...,
    precise: bool = ...,
    bounds: bool = ...,
    intermediates: bool = ...,
    variables: Optional[Mapping[str, ArrayLike]] = ...,
    threads: int = ...,
    check: bool = ...,
    reshape: bool = ...,
    reinterpret: bool = ...,
    max_work: int = ...,
) -> Result: ...
class Network(batch.Network):
    def __init__(
        self,
        graph: File,
        *,
        level: str = ...,
        profiles: Union[str, Iterable[str]] = ...,
        extensions: Union[str, Iterable[str]] = ...,
        precise: bool = ...,
        max_work: int = ...,
    ) -> None: ...

def load(
    graph: File,
    *,
    level: str = ...,
    profiles: Union[str, Iterable[str]] = ...,
    extensions: Union[str, Iterable[str]] = ...,
    precise: bool = ...,
    max_work: int = ...,
) -> Network: ...
class Session(session.Session):
    def __init__(
        self,
        graph: File,
        *,
        level: str = ...,
        profiles: Union[str, Iterable[str]] = ...,
        extensions: Union[str, Iterable[str]] = ...,
        max_work: int = ...,
        threads: int = ...,
    ) -> None: ...

def read(graph: File) -> Graph: ...
def load_custom_ops(library: Union[str, PathLike[str]]) -> None: ...
