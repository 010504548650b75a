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
    def __init__(
        self, name: str, type: str, shape: Optional[tuple[int, ...]], variable: Optional[str], constant: Any
    ) -> None: ...
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
    def __init__(
        self, op: str, inputs: list[Tensor], outputs: list[Tensor], attributes: dict[str, Any], location: str
    ) -> None: ...

class Block:
    name: str
    tensors: list[Tensor]
    operators: list[Operator]
    inputs: list[Tensor]
    outputs: list[Tensor]
    def __init__(
        self, name: str, tensors: list[Tensor], operators: list[Operator], inputs: list[Tensor], outputs: list[Tensor]
    ) -> None: ...

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
