import enum
from collections.abc import Sequence
from typing import Any, Optional, Union

from numpy.typing import ArrayLike, NDArray

class GraphStatus(enum.IntEnum):
    TOSA_VALID = 0
    TOSA_UNPREDICTABLE = 1
    TOSA_ERROR = 2

def run(
    tosa_binary: Union[bytes, str],
    inputs: Sequence[ArrayLike],
    *,
    inst_id: int = ...,
    debug_filename: Optional[str] = ...,
    is_unbuffered: bool = ...,
    debug_mode: Optional[str] = ...,
    verbosity: str = ...,
    dump_intermediates: int = ...,
    initialize_variable_tensor_from_numpy: int = ...,
    fp_format: str = ...,
    precise_mode: int = ...,
    bounds_mode: bool = ...,
    tosa_level: str = ...,
    tosa_profile: Any = ...,
) -> tuple[list[NDArray[Any]], GraphStatus]: ...
