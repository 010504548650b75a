from typing import Any, Optional, Union

from .arguments import Array, Inputs

class Network:
    inputs: list[tuple[str, Optional[tuple[int, ...]]]]
    output_names: list[str]
    def __init__(self, native: Any) -> None: ...
    def run(
        self,
        inputs: Union[Array, Inputs] = ...,
        *,
        threads: int = ...,
        reshape: bool = ...,
        reinterpret: bool = ...,
    ) -> list[Array]: ...
