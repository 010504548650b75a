from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Optional, Union

from numpy.typing import ArrayLike

from .arguments import Array, Inputs

@dataclass
class Sequence:
    outputs: list[Optional[Array]]
    names: list[str]
    steps: int
    seconds: float
    cycles: list[int] = field(default_factory=list)
    score: Optional[dict[str, float]] = None
    def __getitem__(self, name: str) -> Array: ...

class Session:
    inputs: list[tuple[str, Optional[tuple[int, ...]]]]
    input_names: list[str]
    output_names: list[str]
    state: dict[str, Array]
    def __init__(self, native: Any) -> None: ...
    @property
    def cycles(self) -> list[int]: ...
    def run(self, inputs: Inputs = ..., *, reshape: bool = ..., reinterpret: bool = ...) -> list[Array]: ...
    def sequence(
        self,
        inputs: Union[None, ArrayLike, Mapping[str, ArrayLike]] = ...,
        *,
        steps: Optional[int] = ...,
        feedback: Optional[Mapping[str, str]] = ...,
        initial: Optional[Mapping[str, ArrayLike]] = ...,
        count: Optional[Mapping[str, int]] = ...,
        scale: Optional[Mapping[str, Union[float, tuple[float, int]]]] = ...,
        requantize: bool = ...,
        between: Optional[Callable[[int, dict[str, Array]], Optional[Mapping[str, ArrayLike]]]] = ...,
        stop: Optional[Callable[[int, dict[str, Array]], bool]] = ...,
        score: Optional[tuple[str, ArrayLike]] = ...,
        keep: Optional[Iterable[str]] = ...,
        reshape: bool = ...,
        reinterpret: bool = ...,
    ) -> Sequence: ...
    def save(self, path: Union[str, PathLike[str]]) -> None: ...
    def restore(self, path: Union[str, PathLike[str]]) -> None: ...
    def reset(self) -> None: ...
