from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, Optional, Union

from . import batch, session
from .arguments import Array, File, Inputs

MODES: tuple[str, ...]

@dataclass
class Result:
    outputs: list[Array]
    names: list[str]
    report: dict[str, Any]
    def _repr_html_(self) -> str: ...
    @property
    def layers(self) -> list[dict[str, Any]]: ...
    def __getitem__(self, name: str) -> Array: ...

class Network(batch.Network):
    def __init__(self, artifact: File, *, accelerator: str = ..., method: str = ...) -> None: ...

def load(artifact: File, *, accelerator: str = ..., method: str = ...) -> Network: ...

class Session(session.Session):
    @property
    def report(self) -> Optional[dict[str, Any]]: ...
    def __init__(
        self,
        artifact: File,
        *,
        accelerator: str = ...,
        mode: str = ...,
        system: Union[str, PathLike[str]] = ...,
        memory_mode: str = ...,
        config: Union[str, PathLike[str]] = ...,
        timing_adapter: bool = ...,
        clock: Optional[float] = ...,
        params: Optional[Mapping[str, float]] = ...,
        method: str = ...,
        threads: int = ...,
    ) -> None: ...

def run(
    artifact: File,
    inputs: Inputs = ...,
    *,
    accelerator: str = ...,
    mode: str = ...,
    system: Union[str, PathLike[str]] = ...,
    memory_mode: str = ...,
    config: Union[str, PathLike[str]] = ...,
    timing_adapter: bool = ...,
    clock: Optional[float] = ...,
    params: Optional[Mapping[str, float]] = ...,
    steps: int = ...,
    method: str = ...,
    reshape: bool = ...,
    reinterpret: bool = ...,
    cpu: Optional[Mapping[str, Union[str, float]]] = ...,
    before_ms: float = ...,
    after_ms: float = ...,
    npu_only: bool = ...,
) -> Result: ...
