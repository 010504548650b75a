"""Networks that keep their state from run to run: what macaw.tosa.Session, macaw.tflite.Session and macaw.sim.Session have
in common.

>>> session = macaw.sim.Session("decoder.npz", mode="functional")
>>> session.sequence({"token": tokens}, count={"position": 0}, feedback={"k0_out": "k0"}, keep=["logits"])["logits"]
"""
from dataclasses import dataclass, field

from .arguments import array_argument, inputs_argument, text, whole
from .shown import arrays


@dataclass(repr=False)
class Sequence:
    """The steps of a sequence. `outputs` have them along their first axis, in place of one of one element; those that were
    not kept are None."""
    outputs: list
    names: list
    steps: int
    seconds: float                               # on this machine
    cycles: list = field(default_factory=list)   # of each step; empty without time
    score: object = None                         # classes, negative_log_likelihood, perplexity, top1

    def __repr__(self):
        lines = [f"Sequence of {self.steps} steps, {self.seconds:.2f} s"]
        if self.cycles:
            lines.append(f"  cycles {min(self.cycles)} to {max(self.cycles)} in a step")
        kept = [(name, array) for name, array in zip(self.names, self.outputs) if array is not None]
        return "\n".join([*lines, f"  outputs: {arrays([name for name, _ in kept], [array for _, array in kept])}"])

    def __getitem__(self, name):
        """The output of that name."""
        try:
            return self.outputs[self.names.index(name)]
        except ValueError:
            raise KeyError(name) from None


class Session:
    def __init__(self, native):
        self._native = native
        self.inputs = native.inputs              # (name, shape) of each; a shape that may be any is None
        self.input_names = [name for name, _ in self.inputs]
        self.output_names = native.output_names

    def run(self, inputs=(), *, reshape=False, reinterpret=False):
        """The list of outputs of one step. `inputs` is a list of arrays in the network's order, or a dictionary by name;
        `reshape` takes inputs of another shape with as many elements, `reinterpret` those of another type of the
        right size as bytes. Raises macaw.Error."""
        return self._native.run(inputs_argument(inputs), bool(reshape), bool(reinterpret))

    def sequence(self, inputs=None, *, steps=None, feedback=None, initial=None, count=None, scale=None, requantize=False,
                 between=None, stop=None, score=None, keep=None, reshape=False, reinterpret=False):
        """Runs step after step. An input is fed from exactly one of `inputs`, `feedback`, `count` and `initial`.

        inputs      by name, arrays with the steps along their first axis; an array for a network of one input
        steps       how many; default: those of `inputs`
        feedback    {output: input}: the output is the input of the next step; type, shape, scale and zero point must agree
        initial     by name, arrays for the first step: of inputs that are fed back (default: their zero point), and of
                    others, which stay as they are until `between` changes them
        count       {input: first}: the input gets the number of the step
        scale       {port: scale} or {port: (scale, zero point)}, where the file states none
        requantize  feed back real values where type, scale or zero point differ
        between     f(step, outputs), called after each step but the last with a dictionary of outputs; it returns a dictionary
                    of inputs for the next step, or None
        stop        f(step, outputs): true ends the sequence
        score       (output, classes): negative log-likelihood, perplexity and top-1 of the right class of each step
        keep        names of the outputs to return; default: all

        Returns a Sequence. Raises macaw.Error, and what `between` and `stop` raise."""
        given = self._given(inputs)
        if steps is None:
            lengths = {name: len(array) for name, array in given.items()}
            if not lengths:
                raise ValueError("steps must be given where no input has them along its first axis")
            if len(set(lengths.values())) != 1:
                raise ValueError(f"inputs must have as many steps as each other, not {lengths}")
            steps = next(iter(lengths.values()))
        steps = whole(steps, "steps", 1, 10_000_000)
        for name, array in given.items():
            if len(array) < steps:
                raise ValueError(f"input {name!r} has {len(array)} steps, not {steps}")
        scored, classes = score if score is not None else ("", None)
        joined = {"feedback": [_joined(output, text(name, "a name")) for output, name in dict(feedback or {}).items()],
                  "count": [_joined(name, b"%d" % first) for name, first in dict(count or {}).items()],
                  "scale": [_joined(port, _scale(value)) for port, value in dict(scale or {}).items()],
                  "requantize": bool(requantize), "scored": text(scored, "the output of score")}
        kept = self.output_names if keep is None else list(keep)
        for name in kept:
            if name not in self.output_names:
                raise KeyError(name)
        before = len(self.cycles)
        done = self._native.sequence(steps, given, dict(initial or {}), joined, classes, between, stop,
                                     {text(name, "a name") for name in kept}, bool(reshape), bool(reinterpret))
        outputs = [_stacked(arrays) if arrays else None for arrays in done["outputs"]]
        return Sequence(outputs, self.output_names, done["steps"], done["seconds"], self.cycles[before:], done["score"])

    @property
    def cycles(self):
        """Cycles of each step so far; empty without timing."""
        return []

    @property
    def state(self):
        """Contents of the variables before the next step, by name. Setting it sets those that are given:
        `saved = session.state` and later `session.state = saved` restore a session."""
        return self._native.state()

    @state.setter
    def state(self, contents):
        self._native.set_state(dict(contents))

    def save(self, path):
        """Writes the state as .npz."""
        import numpy
        numpy.savez(path, **self.state)

    def restore(self, path):
        """Reads the state that save() wrote."""
        import numpy
        with numpy.load(path) as contents:
            self.state = {name: contents[name] for name in contents.files}

    def reset(self):
        """Back to the state before the first step."""
        self._native.reset()

    def _given(self, inputs):
        if inputs is None:
            return {}
        if isinstance(inputs, dict):
            return dict(inputs)
        if len(self.inputs) != 1:
            raise TypeError("inputs must be a dictionary by name for a network of several inputs")
        return {self.input_names[0]: array_argument(inputs)}


def _joined(name, value):
    return text(name, "a name") + b"=" + value


def _scale(value):
    try:
        scale, zero_point = value
    except TypeError:
        return repr(float(value)).encode()
    return f"{float(scale)!r}:{int(zero_point)}".encode()


def _stacked(outputs):
    """Steps along the first axis, in place of one of one element."""
    import numpy
    return numpy.concatenate(outputs) if outputs[0].shape[:1] == (1,) else numpy.stack(outputs)
