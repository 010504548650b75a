"""Runs TensorFlow Lite networks with the integers of the reference kernels (double rounding).

>>> result = macaw.tflite.run("net.tflite", [x])
>>> result.outputs[0]
"""
from dataclasses import dataclass, field

from . import _functions, batch, session
from .arguments import graph_bytes, inputs_argument
from .shown import arrays


@dataclass(repr=False)
class Result:
    """The result of a run. `outputs` are in the network's order."""
    outputs: list
    names: list                                   # of the outputs
    tensors: dict = field(default_factory=dict)   # results of operators of the main subgraph, by name, if they were kept

    def __repr__(self):
        return f"Result\n  outputs: {arrays(self.names, self.outputs)}"

    def __getitem__(self, name):
        """The output of that name."""
        try:
            return self.outputs[self.names.index(name)]
        except ValueError:
            raise KeyError(name) from None


class Session(session.Session):
    """A network whose variables keep their contents from run to run. `network` is the path of a .tflite file, or its
    bytes. `state` has the variable tensors and the variables of VAR_HANDLE ("NAME", or "CONTAINER/NAME"), and for each
    CALL_ONCE ("operator 0 (CALL_ONCE)") whether it has run: it sets its variables in the next step while that is False."""

    def __init__(self, network):
        super().__init__(_functions.TfliteSession(graph_bytes(network)))

    def run(self, inputs=(), *, tensors=False, reshape=False, reinterpret=False):
        """Runs one step and returns a Result.

        inputs       a list of arrays in the network's order, or a dictionary by name
        tensors      keep the result of every operator of the main subgraph in Result.tensors
        reshape      accept inputs of a different shape with the same number of elements
        reinterpret  accept inputs of a different type with the same number of bytes, as they are

        Raises macaw.Error if something does not fit or is not supported."""
        if not tensors:
            return Result(super().run(inputs, reshape=reshape, reinterpret=reinterpret), self.output_names)
        outputs, kept = self._native.run_with_tensors(inputs_argument(inputs), bool(reshape), bool(reinterpret))
        return Result(outputs, self.output_names, kept)


@dataclass
class Tensor:
    """A tensor of the main subgraph: real value = scale * (stored value - zero_point)."""
    name: str
    dtype: str          # "INT8", "FP32", ...
    shape: tuple
    scale: object       # array: one, one for each slice along `axis`, or none
    zero_point: object  # array
    axis: int
    constant: object    # array; None: computed, an input or a variable


class Network(batch.Network):
    """A network for repeated runs, each of which starts from fresh variables. `network` is the path of a .tflite file, or its
    bytes. The threads of a run share sets of inputs; a single set runs on one thread."""

    def __init__(self, network):
        super().__init__(_functions.TfliteNetwork(graph_bytes(network)))

    @property
    def tensors(self):
        """List of a Tensor for each tensor of the main subgraph, in its order."""
        return [Tensor(*values) for values in self._native.tensors]


def load(network):
    """Loads a .tflite file, given by its path or its bytes, and returns it as a Network.

    >>> macaw.tflite.load("net.tflite").run(images, threads=2)[0].argmax(axis=-1)
    """
    return Network(network)


def run(network, inputs=(), *, tensors=False, reshape=False, reinterpret=False):
    """Runs a network once from fresh variables and returns a Result. `network` is the path of a .tflite file, or its bytes;
    the other arguments and the errors are those of Session.run()."""
    return Session(network).run(inputs, tensors=tensors, reshape=reshape, reinterpret=reinterpret)
