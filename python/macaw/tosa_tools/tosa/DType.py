"""Numbers of the data types in files of TOSA 1.x."""
from macaw import _functions

DType = type("DType", (), {"__doc__": __doc__, "__module__": __name__, **_functions.graph_numbers("types")})
