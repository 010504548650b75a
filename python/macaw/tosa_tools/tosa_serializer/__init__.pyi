from tosa.DType import DType as DType
from tosa.Op import Op as Op
