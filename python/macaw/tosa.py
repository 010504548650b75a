"""Reads TOSA graphs, and runs them as the specification says.

>>> result = macaw.tosa.run(open("net.tosa", "rb").read(), [x])
>>> result.outputs[0]

>>> graph = macaw.tosa.read("net.tosa")
>>> [(op.op, op.attributes.get("stride")) for op in graph.operators]

Types that numpy does not have are arrays of their bits: bfloat16 as uint16, fp8, fp6, fp4 and ue8m0 as uint8 (any array
of that width without a type of its own is taken as well: uint16, V2). int4 and mxint8 are int8, int48 and shapes int64.
Block-scaled types are uint8 (in a precise run float64), the scales after the values of each row: [..., C + C/32].
"""
from dataclasses import dataclass, field

from . import Error, _functions, batch, session
from .arguments import file_name, graph_bytes, inputs_argument, text, texts, whole
from .shown import arrays
from .tosa_graph import Block, Graph, Operator, Tensor, Version  # noqa: F401  (types of what read() returns)

LEVELS = ("8K", "NONE")
MAX_WORK = _functions.MAX_TOSA_WORK


class VerdictError(Error):
    """The graph is in ERROR (code invalid_graph), or its result is UNPREDICTABLE (code unpredictable). `result` is the Result
    that run() returns with check=False, `findings` are the rules that do not hold."""

    def __init__(self, result):
        first = next(f for f in result.findings if f["status"] == result.status)
        where = " ".join(part for part in (first["place"], first["argument"]) if part)
        super().__init__("invalid_graph" if result.status == "ERROR" else "unpredictable",
                         f"{result.status}: {where}: {first['text']} [{first['rule']}]")
        self.result = result
        self.findings = result.findings


@dataclass(repr=False)
class Result:
    """The result of run(). `outputs` are in the graph's order. They are empty if the run did not reach its end; a run that is
    UNPREDICTABLE may reach it."""
    status: str                                       # VALID, UNPREDICTABLE or ERROR
    outputs: list
    names: list                                       # of the outputs
    types: list                                       # of the outputs, as the specification spells them
    findings: list                                    # dictionaries: status, place, argument, rule, text
    intermediates: dict = field(default_factory=dict)
    variables: dict = field(default_factory=dict)     # contents after the run, by name

    def __repr__(self):
        lines = [f"Result: {self.status}", *(f"  {finding['text']}" for finding in self.findings[:2])]
        if len(self.findings) > 2:
            lines.append(f"  ... and {len(self.findings) - 2} more findings")
        return "\n".join([*lines, f"  outputs: {arrays(self.names, self.outputs)}"])

    def __getitem__(self, name):
        """The output of that name."""
        try:
            return self.outputs[self.names.index(name)]
        except (ValueError, IndexError):
            raise KeyError(name) from None


def run(graph, inputs=(), *, level="8K", profiles=(), extensions=(), precise=False, bounds=False, intermediates=False,
        variables=None, threads=0, check=True, reshape=False, reinterpret=False, max_work=MAX_WORK):
    """Runs a graph and returns a Result.

    graph          the path of a .tosa file, or its bytes
    inputs         a list of arrays in the graph's order, or a dictionary by name
    level          level of the specification: "8K" or "NONE"
    profiles       profiles that the graph may use: "PRO-INT" or ["PRO-INT", "PRO-FP"]. Anything outside them is an ERROR, and
                   so is an operand that must be a compile-time constant and is not. Without profiles and extensions
                   everything is allowed
    extensions     extensions that the graph may use: "EXT-INT16,EXT-BF16" or a list; they need profiles
    precise        compute floating point in double precision, as the reference of the compliance rules; outputs are float64
    bounds         with `precise`: return the bounds that those rules need in place of the result
    intermediates  keep every tensor of the main block in Result.intermediates
    variables      dictionary by name of the contents of variables before the run
    threads        number of threads; 0: as many as the machine has. The result does not depend on it
    check          raise VerdictError unless the status is VALID
    reshape        accept inputs of a different shape with the same number of elements
    reinterpret    accept inputs of a different type with the same number of bytes, as they are
    max_work       end a run that needs more than this many multiply-accumulates, or equivalents, with macaw.Error

    Raises macaw.Error if the file or the call is wrong."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    if bounds and not precise:
        raise ValueError("bounds needs precise=True")
    done = _functions.run_tosa(graph=graph_bytes(graph), inputs=inputs_argument(inputs), level=level,
                               profiles=texts(profiles, "a profile"), extensions=texts(extensions, "an extension"),
                               precise=bool(precise), bounds=bool(bounds), intermediates=bool(intermediates),
                               variables=dict(variables or {}), threads=whole(threads, "threads", 0, 256), raw=False,
                               reshape=bool(reshape), reinterpret=bool(reinterpret), max_work=_work(max_work))
    del done["before_evaluation"]
    result = Result(**done)
    if check and result.status != "VALID":
        raise VerdictError(result)
    return result


class Network(batch.Network):
    """A graph for repeated runs. `graph` is the path of a .tosa file, or its bytes; the other arguments are those of the
    function run(). A run whose status is not VALID raises VerdictError."""

    def __init__(self, graph, *, level="8K", profiles=(), extensions=(), precise=False, max_work=MAX_WORK):
        if level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
        super().__init__(_functions.TosaNetwork(graph_bytes(graph), level, texts(profiles, "a profile"),
                                                texts(extensions, "an extension"), bool(precise), _work(max_work)))

    def _one(self, inputs, threads, reshape, reinterpret):
        result = Result(**super()._one(inputs, threads, reshape, reinterpret))
        if result.status != "VALID":
            raise VerdictError(result)
        return result.outputs


def load(graph, *, level="8K", profiles=(), extensions=(), precise=False, max_work=MAX_WORK):
    """Loads a graph and returns it as a Network, with its arguments.

    >>> macaw.tosa.load("net.tosa").run(images, threads=2)[0].argmax(axis=-1)
    """
    return Network(graph, level=level, profiles=profiles, extensions=extensions, precise=precise,
                   max_work=max_work)


class Session(session.Session):
    """A graph whose variables keep their contents from run to run. `graph` is the path of a .tosa file, or its bytes; the other
    arguments are those of the function run(). A run whose status is not VALID raises macaw.Error."""

    def __init__(self, graph, *, level="8K", profiles=(), extensions=(), max_work=MAX_WORK, threads=0):
        if level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
        super().__init__(_functions.TosaSession(graph_bytes(graph), level, texts(profiles, "a profile"),
                                                texts(extensions, "an extension"), _work(max_work),
                                                whole(threads, "threads", 0, 256)))


def read(graph):
    """Reads a graph and returns it as a Graph: its tensors, operators and their attributes, by the names of TOSA 1.x whatever the
    version of the file. It is checked as a file, not against the rules of the specification. `graph` is the path of a file that
    run() takes, or its bytes.

    Raises macaw.Error if the file is wrong."""
    name = b"graph" if isinstance(graph, (bytes, bytearray, memoryview)) else file_name(graph)
    return Graph(graph_bytes(graph), name)


def load_custom_ops(library):
    """Loads implementations of the operator CUSTOM for the rest of the process. `library` is the path of a shared library with
    the C interface of macaw/plugin/custom_op.h."""
    _functions.load_custom_ops(file_name(library))


def _work(limit):
    return whole(limit, "max_work", 1, 2**63 - 1)
