from dataclasses import dataclass, field
from typing import Optional

from . import batch, session
from .arguments import Array, File, Inputs

@dataclass
class Result:
    outputs: list[Array]
    names: list[str]
    tensors: dict[str, Array] = field(default_factory=dict)
    def __getitem__(self, name: str) -> Array: ...

class Session(session.Session):
    def __init__(self, network: File) -> None: ...
    def run(  # type: ignore[override]
        self, inputs: Inputs = ..., *, tensors: bool = ..., reshape: bool = ..., reinterpret: bool = ...
    ) -> Result: ...

@dataclass
class Tensor:
    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: Array
    zero_point: Array
    axis: int
    constant: Optional[Array]

class Network(batch.Network):
    def __init__(self, network: File) -> None: ...
    @property
    def tensors(self) -> list[Tensor]: ...

def load(network: File) -> Network: ...
def run(network: File, inputs: Inputs = ..., *, tensors: bool = ..., reshape: bool = ..., reinterpret: bool = ...) -> Result: ...
