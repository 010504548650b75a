"""Runs compiled networks on a simulated Ethos-U.

>>> result = macaw.sim.run("net_vela.tflite", [x])
>>> result.outputs[0], result.report["cycles"], result.report["pmu"]["ETHOSU_PMU_NPU_ACTIVE"]
"""
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from . import _native
from .arguments import artifact_argument, inputs_argument
from .shown import arrays

MODES = ("functional", "timed", "timing")


@dataclass(repr=False)
class Result:
    outputs: list    # in the network's order; empty in mode "timing"
    names: list      # of the outputs
    report: dict     # report.json of `macaw sim`: cycles, pmu, operations, ...

    def __repr__(self):
        r = self.report
        lines = [f"Result of {r.get('network', 'a network')} on {r.get('accelerator')}, mode {r.get('mode')}"]
        if "cycles" in r:
            lines.append(f"  cycles {r['cycles']}, {r['milliseconds']:.3f} ms on {r['system']}, {r['memory_mode']}")
        if r.get("layers"):
            most = max(r["layers"], key=lambda layer: layer["exclusive"])
            lines.append(f"  {len(r['layers'])} layers, the longest {most['name']}: {100 * most['share']:.1f} %, {most['bound']}")
        return "\n".join([*lines, f"  outputs: {arrays(self.names, self.outputs)}"])

    @property
    def layers(self):
        """A flat record for each layer, in the network's order, as pandas.DataFrame takes them: report["layers"] with
        bytes_axi0_ifm, alive_axi0, ... in place of its tables by port."""
        rows = []
        for layer in self.report.get("layers", []):
            row = {key: value for key, value in layer.items() if key not in ("bytes", "alive")}
            for port, purposes in layer["bytes"].items():
                row.update({f"bytes_{port}_{purpose}": count for purpose, count in purposes.items()})
            row.update({f"alive_{port}": count for port, count in layer["alive"].items()})
            rows.append(row)
        return rows

    def __getitem__(self, name):
        """The output of that name."""
        try:
            return self.outputs[self.names.index(name)]
        except (ValueError, IndexError):
            raise KeyError(name) from None


class Network:
    """A compiled network that is run again and again without time: its streams are read and its weights decoded once.
    Any number of threads may run it."""

    def __init__(self, artifact, *, accelerator="", method=""):
        self._native = _native.SimNetwork(artifact_argument(artifact), method, accelerator)
        self.inputs = self._native.inputs              # (name, shape) of each
        self.output_names = self._native.output_names

    def run(self, inputs=(), *, threads=1, reshape=False, reinterpret=False):
        """The list of outputs. `inputs` is an array for a network of one input, a list in the network's order, or a
        dictionary by name. An array for one input may hold many sets along its first axis: outputs have them there, too,
        and `threads` run so many at the same time, where it otherwise shares the rows of large operations. The outputs
        are the same bytes for any number; 0: as many as the machine has. Raises macaw.Error."""
        if not 0 <= threads <= 256:
            raise ValueError("threads must be 0 to 256")
        if isinstance(inputs, (dict, list, tuple)) or len(self.inputs) != 1:
            return self._native.run(inputs_argument(inputs), threads, reshape, reinterpret)
        sets = self._sets_of(inputs)
        if sets is None:
            return self._native.run([inputs], threads, reshape, reinterpret)
        with ThreadPoolExecutor(threads or None) as pool:
            runs = list(pool.map(lambda one: self._native.run([one], 1, reshape, reinterpret), sets))
        return [_stacked(outputs) for outputs in zip(*runs)]

    def _sets_of(self, array):
        """The array if its first axis is one of sets, of which there may be a single one; None if it is one set."""
        shape = self.inputs[0][1]
        if array.ndim == len(shape) + 1:
            return array
        return array if array.ndim == len(shape) and shape[:1] == (1,) and array.shape[0] != 1 else None


def _stacked(outputs):
    """Runs along the first axis, in place of one of one element."""
    import numpy
    return numpy.concatenate(outputs) if outputs[0].shape[:1] == (1,) else numpy.stack(outputs)


def load(artifact, *, accelerator="", method=""):
    """The path of a Vela npz or tflite or an ExecuTorch pte, or its bytes, as a Network. `accelerator` is needed only where
    the artifact does not say it; `method` is one of an ExecuTorch program, by default its first.

    >>> macaw.sim.load("net_vela.tflite").run(images, threads=2)[0].argmax(axis=-1)
    """
    return Network(artifact, accelerator=accelerator, method=method)


def run(artifact, inputs=(), *, accelerator="", mode="timed", system="", memory_mode="", config="", timing_adapter=True,
        clock=None, params=None, steps=1, method="", reshape=False, reinterpret=False):
    """Runs a compiled network: the path of a Vela npz or tflite, or its bytes. `inputs` is a list of arrays in the network's
    order, or a dictionary by name.

    accelerator     "ethos-u55-128", ...; needed only where the artifact does not say it
    mode            functional: values only; timed: values and cycles; timing: cycles only
    system          a name of `macaw list systems` or of `config`, or a file; default: by accelerator
    memory_mode     Sram_Only, Shared_Sram or Dedicated_Sram; default: the system's
    config          a Vela configuration file whose systems and memory modes can be named
    timing_adapter  False: ideal memory
    clock           of the NPU in Hz, for milliseconds; default: the system's; changes no cycle
    params          timing constants to override, by name
    method          of an ExecuTorch program; default: its first
    reshape         take inputs of another arrangement in the order that they have
    reinterpret     take inputs of another type of the right size as bytes
    steps           run so many times with variables kept; the last run is reported

    Raises macaw.Error."""
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if steps < 1 or (steps > 1 and mode == "timing"):
        raise ValueError("steps must be at least 1, and 1 where there are no values")
    params = dict(params or {})
    if clock is not None:
        params["clock_hz"] = clock
    result = _native.run_sim(artifact=artifact_argument(artifact), method=method, inputs=inputs_argument(inputs),
                             accelerator=accelerator, mode=mode, system=str(system), memory_mode=memory_mode,
                             config=str(config), timing_adapter=timing_adapter, params=params, steps=steps,
                             reshape=reshape, reinterpret=reinterpret)
    return Result(outputs=result["outputs"], names=result["names"], report=json.loads(result["report"]))
