"""Networks that keep their state from run to run: the common part of macaw.tosa.Session, macaw.tflite.Session and
macaw.sim.Session.

>>> session = macaw.sim.Session("decoder.npz", mode="functional")
>>> session.sequence({"token": tokens}, count={"position": 0}, feedback={"k0_out": "k0"}, keep=["logits"])["logits"]
"""
import zipfile
from dataclasses import dataclass, field
from os import fsdecode, getpid, remove, replace
from os.path import exists

from .arguments import array_argument, file_name, inputs_argument, text, whole
from .shown import arrays


@dataclass(repr=False)
class Sequence:
    """The result of Session.sequence(). The first axis of each of `outputs` counts the steps; it replaces a first axis of one
    element. Outputs that were not kept are None."""
    outputs: list
    names: list                                  # of the outputs
    steps: int                                   # that were run
    seconds: float                               # of wall clock on this machine
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
    """A network whose variables keep their contents from run to run.

    inputs        list of (name, shape) in the network's order; the shape is None if any shape is accepted
    input_names   names of the inputs
    output_names  names of the outputs

    One thread at a time may use a session: a call from a second thread while a run is in progress raises macaw.Error with
    the code "usage". Functions given to sequence() are called in the thread of the sequence and may use the session."""

    def __init__(self, native):
        """`native` is the session of the native module."""
        self._native = native
        self.inputs = native.inputs              # (name, shape) of each; a shape that may be any is None
        self.input_names = [name for name, _ in self.inputs]
        self.output_names = native.output_names

    def run(self, inputs=(), *, reshape=False, reinterpret=False):
        """Runs one step and returns the list of its outputs.

        inputs       a list of arrays in the network's order, or a dictionary by name
        reshape      accept inputs of a different shape with the same number of elements
        reinterpret  accept inputs of a different type with the same number of bytes, as they are

        Raises macaw.Error."""
        return self._native.run(inputs_argument(inputs), bool(reshape), bool(reinterpret))

    def sequence(self, inputs=None, *, steps=None, feedback=None, initial=None, count=None, scale=None, requantize=False,
                 between=None, stop=None, score=None, keep=None, reshape=False, reinterpret=False):
        """Runs a number of steps and returns a Sequence. Each input gets its values from exactly one of `inputs`, `feedback`,
        `count` and `initial`.

        inputs       dictionary by name of arrays whose first axis counts the steps; or such an array for a network of one
                     input
        steps        number of steps; default: as many as `inputs` have
        feedback     {output: input}: the output is the input of the next step; type, shape, scale and zero point must agree
        initial      dictionary by name of arrays for the first step: for inputs that are fed back (default: their zero
                     point), and for inputs that keep their value until `between` changes it
        count        {input: first}: the input is the number of the step, counted from `first`
        scale        {port: scale} or {port: (scale, zero point)} for ports whose scale the file does not state
        requantize   convert real values in feedback where type, scale or zero point differ
        between      f(step, outputs), called after each step but the last one with a dictionary of outputs; it returns a
                     dictionary of inputs for the next step, or None
        stop         f(step, outputs), called after each step; a true result ends the sequence
        score        (output, classes): compute negative log-likelihood, perplexity and top-1 accuracy from the right class
                     of each step
        keep         names of the outputs to return; default: all
        reshape      accept inputs of a different shape with the same number of elements
        reinterpret  accept inputs of a different type with the same number of bytes, as they are

        Raises macaw.Error, and any exception that `between` or `stop` raises."""
        given = self._given(inputs)
        if steps is None:
            lengths = {name: _steps_of(name, array) for name, array in given.items()}
            if not lengths:
                raise ValueError("steps must be given where no input has them along its first axis")
            if len(set(lengths.values())) != 1:
                raise ValueError(f"inputs must have as many steps as each other, not {lengths}")
            steps = next(iter(lengths.values()))
        steps = whole(steps, "steps", 1, 10_000_000)
        for name, array in given.items():
            if _steps_of(name, array) < steps:
                raise ValueError(f"input {name!r} has {len(array)} steps, not {steps}")
        scored, classes = score if score is not None else ("", None)
        joined = {"feedback": [_joined(output, text(name, "a name")) for output, name in dict(feedback or {}).items()],
                  "count": [_joined(name, b"%d" % whole(first, "a count", -2**31, 2**31 - 1)) for name, first in dict(count or {}).items()],
                  "scale": [_joined(port, _scale(value)) for port, value in dict(scale or {}).items()],
                  "requantize": bool(requantize), "scored": text(scored, "the output of score")}
        if isinstance(keep, str):
            raise TypeError("keep must be a list of names, not str")
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
        """List of the cycles of each step so far; empty if steps are run without time."""
        return []

    @property
    def state(self):
        """Contents of the variables before the next step, by name. An assignment changes the variables that it names:
        `saved = session.state` and later `session.state = saved` restore a session."""
        return self._native.state()

    @state.setter
    def state(self, contents):
        self._native.set_state(dict(contents))

    def save(self, path):
        """Writes the state to a .npz file, which is complete or unchanged. As numpy.savez() does, it adds .npz to a name
        without it."""
        import numpy
        path = fsdecode(file_name(path))
        path = path if path.endswith(".npz") else path + ".npz"
        state = self.state
        part = f"{path}.{getpid()}.part"
        try:
            # numpy.savez() does not take names of its own parameters.
            with zipfile.ZipFile(part, "w") as file:
                for name, array in state.items():
                    with file.open(name + ".npy", "w", force_zip64=True) as member:
                        numpy.lib.format.write_array(member, array, allow_pickle=False)
            replace(part, path)
        except BaseException:
            if exists(part):
                remove(part)
            raise

    def restore(self, path):
        """Sets the state to that of a file that save() wrote."""
        import numpy
        contents = numpy.load(path)
        if not isinstance(contents, numpy.lib.npyio.NpzFile):
            raise ValueError(f"{path}: expected a .npz file that save() wrote")
        with contents:
            self.state = {name: contents[name] for name in contents.files}

    def reset(self):
        """Returns the session to the state before its first step."""
        self._native.reset()

    def _given(self, inputs):
        if inputs is None:
            return {}
        if isinstance(inputs, dict):
            return dict(inputs)
        if len(self.inputs) != 1:
            raise TypeError("inputs must be a dictionary by name for a network of several inputs")
        return {self.input_names[0]: array_argument(inputs)}


def _steps_of(name, array):
    try:
        return len(array)
    except TypeError:
        raise TypeError(f"input {name!r} must have the steps along its first axis") from None


def _joined(name, value):
    return text(name, "a name") + b"=" + value


def _scale(value):
    try:
        scale, zero_point = value
    except TypeError:
        return repr(float(value)).encode()
    return f"{float(scale)!r}:{whole(zero_point, 'a zero point', -2**63, 2**63 - 1)}".encode()


def _stacked(outputs):
    """The outputs of all steps as one array whose first axis counts the steps; it replaces a first axis of one element."""
    import numpy
    return numpy.concatenate(outputs) if outputs[0].shape[:1] == (1,) else numpy.stack(outputs)
