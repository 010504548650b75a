"""Networks that are loaded once and run again and again, on one set of inputs or on many."""
from concurrent.futures import ThreadPoolExecutor

from .arguments import array_argument, inputs_argument, whole


class Network:
    """A network that load() of macaw.sim, macaw.tosa or macaw.tflite returns. Any number of threads may run it.

    inputs        list of (name, shape) in the network's order; the shape is None if any shape is accepted
    output_names  names of the outputs"""

    def __init__(self, native):
        self._native = native
        self.inputs = native.inputs              # (name, shape) of each; a shape that may be any is None
        self.output_names = native.output_names

    def run(self, inputs=(), *, threads=1, reshape=False, reinterpret=False):
        """Runs the network and returns the list of its outputs. Variables start anew in each run.

        inputs       an array for a network of one input, a list of arrays in the network's order, or a dictionary by name.
                     The array for a network of one input may have one more axis in front that counts sets of inputs; the
                     outputs then have this axis as well
        threads      number of threads, which share the sets, or the large operations of a single set; 0: as many as the
                     machine has. The outputs do not depend on it
        reshape      accept inputs of a different shape with the same number of elements
        reinterpret  accept inputs of a different type with the same number of bytes, as they are

        Raises macaw.Error."""
        threads, reshape, reinterpret = whole(threads, "threads", 0, 256), bool(reshape), bool(reinterpret)
        if isinstance(inputs, (dict, list, tuple)) or len(self.inputs) != 1:
            return self._one(inputs_argument(inputs), threads, reshape, reinterpret)
        array = array_argument(inputs)
        sets = self._sets_of(array)
        if sets is None:
            return self._one([array], threads, reshape, reinterpret)
        with ThreadPoolExecutor(threads or None) as pool:
            runs = list(pool.map(lambda one: self._one([one], 1, reshape, reinterpret), sets))
        return [_stacked(outputs) for outputs in zip(*runs)]

    def _one(self, inputs, threads, reshape, reinterpret):
        return self._native.run(inputs, threads, reshape, reinterpret)

    def _sets_of(self, array):
        """The array if its first axis counts sets of inputs, of which there may be a single one; None if it is one set."""
        shape = self.inputs[0][1]
        if shape is None:
            return None
        if array.ndim == len(shape) + 1:
            return array
        return array if array.ndim == len(shape) and shape[:1] == (1,) and array.shape[0] != 1 else None


def _stacked(outputs):
    """The outputs of all runs as one array whose first axis counts the runs; it replaces a first axis of one element."""
    import numpy
    return numpy.concatenate(outputs) if outputs[0].shape[:1] == (1,) else numpy.stack(outputs)
