"""Runs TOSA graphs as the specification says.

>>> result = macaw.tosa.run(open("net.tosa", "rb").read(), [x])
>>> result.outputs[0]

Types that numpy does not have are arrays of their bits: bfloat16 as uint16, fp8, fp6, fp4 and ue8m0 as uint8 (any array
of that width without a type of its own is taken as well: uint16, V2). int4 and mxint8 are int8, int48 and shapes int64.
Block-scaled types are uint8 (in a precise run float64), the scales after the values of each row: [..., C + C/32].
"""
from dataclasses import dataclass, field

from . import Error, _native, batch, session
from .arguments import file_name, graph_bytes, inputs_argument, text, texts, whole
from .shown import arrays

LEVELS = ("8K", "NONE")
MAX_WORK = _native.MAX_TOSA_WORK


class VerdictError(Error):
    """The graph is in ERROR (code invalid_graph), or its result is UNPREDICTABLE (code unpredictable). `result` is what
    run() would have returned, `findings` the rules that do not hold."""

    def __init__(self, result):
        first = next(f for f in result.findings if f["status"] == result.status)
        where = " ".join(part for part in (first["place"], first["argument"]) if part)
        super().__init__("invalid_graph" if result.status == "ERROR" else "unpredictable",
                         f"{result.status}: {where}: {first['text']} [{first['rule']}]")
        self.result = result
        self.findings = result.findings


@dataclass(repr=False)
class Result:
    """Results of a run. `outputs` are in the graph's order, and empty unless the run got to its end, which one that is
    UNPREDICTABLE may."""
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
    """Runs a graph: the bytes of a .tosa file, or its path. `inputs` is a list of arrays in the graph's order, or a
    dictionary by name.

    level          of the specification: 8K or NONE
    profiles       that the graph may use, "PRO-INT" or ["PRO-INT", "PRO-FP"]; what is outside is an ERROR, and so is an
                   operand that should be a compile-time constant. Without profiles and extensions everything is allowed
    extensions     that it may use, "EXT-INT16,EXT-BF16" or a list; need profiles
    precise        compute floating point in double precision, as the reference of the compliance rules; outputs are float64
    bounds         with `precise`: the bounds those rules need instead of the result
    intermediates  keep every tensor of the main block in Result.intermediates
    variables      contents of variables before the run, by name
    threads        0: as many as the machine has; never changes a bit of the result
    check          raise VerdictError unless the status is VALID
    reshape        take inputs of another shape with as many elements
    reinterpret    take the bytes of inputs of another type if the size fits
    max_work       multiply-accumulates or their equivalent beyond which a run ends in macaw.Error

    Raises macaw.Error if the file or the call is wrong."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
    if bounds and not precise:
        raise ValueError("bounds needs precise=True")
    done = _native.run_tosa(graph=graph_bytes(graph), inputs=inputs_argument(inputs), level=level,
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
    """A graph that is run again and again: the bytes of a .tosa file, or its path, with the arguments of run() that say
    what a graph may be. A run whose status is not VALID raises VerdictError."""

    def __init__(self, graph, *, level="8K", profiles=(), extensions=(), precise=False, max_work=MAX_WORK):
        if level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
        super().__init__(_native.TosaNetwork(graph_bytes(graph), level, texts(profiles, "a profile"),
                                             texts(extensions, "an extension"), bool(precise), _work(max_work)))

    def _one(self, inputs, threads, reshape, reinterpret):
        result = Result(**super()._one(inputs, threads, reshape, reinterpret))
        if result.status != "VALID":
            raise VerdictError(result)
        return result.outputs


def load(graph, *, level="8K", profiles=(), extensions=(), precise=False, max_work=MAX_WORK):
    """A graph as a Network.

    >>> macaw.tosa.load("net.tosa").run(images, threads=2)[0].argmax(axis=-1)
    """
    return Network(graph, level=level, profiles=profiles, extensions=extensions, precise=precise,
                   max_work=max_work)


class Session(session.Session):
    """A graph whose variables keep their contents from run to run: the bytes of a .tosa file, or its path, with the arguments
    of run() that say what a graph may be. A status other than VALID is a macaw.Error."""

    def __init__(self, graph, *, level="8K", profiles=(), extensions=(), max_work=MAX_WORK, threads=0):
        if level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
        super().__init__(_native.TosaSession(graph_bytes(graph), level, texts(profiles, "a profile"),
                                             texts(extensions, "an extension"), _work(max_work),
                                             whole(threads, "threads", 0, 256)))


def load_custom_ops(library):
    """Loads operators for CUSTOM, a shared library with the C interface of macaw/plugin/custom_op.h, for the rest of the
    process."""
    _native.load_custom_ops(file_name(library))


def _work(limit):
    return whole(limit, "max_work", 1, 2**63 - 1)
