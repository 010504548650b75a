from dataclasses import dataclass
from typing import Any, Optional

from .arguments import File, Inputs

@dataclass
class Comparison:
    equal: bool
    outputs: list[dict[str, Any]]
    first_wrong: Optional[dict[str, Any]]
    recognised: list[dict[str, Any]]
    not_found: list[str]
    constants: dict[str, Any]
    coverage: dict[str, Any]
    text: str
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

def compare(
    graph: File,
    artifact: File,
    inputs: Optional[Inputs] = ...,
    *,
    accelerator: str = ...,
    seed: int = ...,
    matches: bool = ...,
    method: str = ...,
    reshape: bool = ...,
    reinterpret: bool = ...,
) -> Comparison: ...
