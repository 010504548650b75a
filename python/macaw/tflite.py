"""Runs TensorFlow Lite networks with the integers of the reference kernels (double rounding).

>>> result = macaw.tflite.run("net.tflite", [x])
>>> result.outputs[0]
"""
from dataclasses import dataclass, field

from . import _native, batch, session
from .arguments import graph_bytes, inputs_argument
from .shown import arrays


@dataclass(repr=False)
class Result:
    """Results of a run. `outputs` are in the network's order."""
    outputs: list
    names: list                                   # of the outputs
    tensors: dict = field(default_factory=dict)   # what operators of the main subgraph wrote, by name, if it was wanted

    def __repr__(self):
        return f"Result\n  outputs: {arrays(self.names, self.outputs)}"

    def __getitem__(self, name):
        """The output of that name."""
        try:
            return self.outputs[self.names.index(name)]
        except ValueError:
            raise KeyError(name) from None


class Session(session.Session):
    """A network whose variables keep their contents from run to run, from its bytes or its path."""

    def __init__(self, network):
        super().__init__(_native.TfliteSession(graph_bytes(network)))

    def run(self, inputs=(), *, tensors=False, reshape=False, reinterpret=False):
        """A Result. `inputs` is a list of arrays in the network's order, or a dictionary by name; `tensors` keeps what every
        operator of the main subgraph wrote; `reshape` takes inputs of another shape with as many elements,
        `reinterpret` those of another type of the right size as bytes. Raises macaw.Error if something does not fit or is not
        supported."""
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
    """A network that is run again and again, from fresh variables each time: its bytes, or its path. `threads` share sets
    of inputs; a single set runs on one."""

    def __init__(self, network):
        super().__init__(_native.TfliteNetwork(graph_bytes(network)))

    @property
    def tensors(self):
        """A Tensor for each tensor of the main subgraph, in its order."""
        return [Tensor(*values) for values in self._native.tensors]


def load(network):
    """A network as a Network.

    >>> macaw.tflite.load("net.tflite").run(images, threads=2)[0].argmax(axis=-1)
    """
    return Network(network)


def run(network, inputs=(), *, tensors=False, reshape=False, reinterpret=False):
    """Runs a network once, from fresh variables: the bytes of a .tflite, or its path. Arguments and errors are those of
    Session."""
    return Session(network).run(inputs, tensors=tensors, reshape=reshape, reinterpret=reinterpret)
