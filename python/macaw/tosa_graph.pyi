from typing import Any, NamedTuple, Optional

from .arguments import Array

class Version(NamedTuple):
    major: int
    minor: int
    patch: int
    draft: bool

class Tensor:
    name: str
    type: str
    shape: Optional[tuple[int, ...]]
    variable: Optional[str]
    @property
    def is_constant(self) -> bool: ...
    @property
    def data(self) -> Optional[Array]: ...
    @property
    def packed(self) -> Optional[bytes]: ...

class Operator:
    op: str
    inputs: list[Tensor]
    outputs: list[Tensor]
    attributes: dict[str, Any]
    location: str

class Block:
    name: str
    tensors: list[Tensor]
    operators: list[Operator]
    inputs: list[Tensor]
    outputs: list[Tensor]

class Graph:
    version: Version
    blocks: list[Block]
    def __init__(self, contents: bytes, name: bytes) -> None: ...
    @property
    def tensors(self) -> list[Tensor]: ...
    @property
    def operators(self) -> list[Operator]: ...
    @property
    def inputs(self) -> list[Tensor]: ...
    @property
    def outputs(self) -> list[Tensor]: ...
