"""Numbers of the operators in files of TOSA 1.x."""
from macaw import _functions

Op = type("Op", (), {"__doc__": __doc__, "__module__": __name__, **_functions.graph_numbers("ops")})
