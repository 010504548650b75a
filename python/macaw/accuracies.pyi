from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence
from .arguments import File

@dataclass
class Accuracy:
    report: dict[str, Any]
    text: str
    @property
    def records(self) -> list[dict[str, Any]]: ...

def accuracy(reference: File, quantised: Optional[File] = ..., artifacts: Iterable[File] = ..., *, inputs: Any,
             labels: Optional[Sequence[int]] = ..., accelerator: str = ..., threads: int = ...,
             input_scales: Iterable[tuple[float, int]] = ...) -> Accuracy: ...
