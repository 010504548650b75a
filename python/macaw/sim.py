"""Runs compiled networks on a simulated Ethos-U.

>>> result = macaw.sim.run("net_vela.tflite", [x])
>>> result.outputs[0], result.report["cycles"], result.report["pmu"]["ETHOSU_PMU_NPU_ACTIVE"]
"""
import json
from dataclasses import dataclass

from . import _functions, batch, session
from .arguments import artifact_argument, file_name, inputs_argument, text, whole
from .shown import arrays, html_table

MODES = ("functional", "timed", "timing")


@dataclass(repr=False)
class Result:
    """The result of run(): values, and the report of the run."""
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

    def _repr_html_(self):
        """HTML for notebooks: the run and its longest layers, as tables."""
        r = self.report
        facts = [("network", r.get("network")), ("accelerator", r.get("accelerator")), ("mode", r.get("mode"))]
        if "cycles" in r:
            facts += [("predicted cycles", f"{r['cycles']:,}"), ("milliseconds", f"{r['milliseconds']:.3f}"),
                      ("system", f"{r['system']}, {r['memory_mode']}")]
            if r["bounds"]:
                facts.append(("limited most by", f"{r['bounds'][0]['bound']} ({100 * r['bounds'][0]['share']:.1f} %)"))
        facts.append(("outputs", arrays(self.names, self.outputs)))
        longest = sorted(r.get("layers", []), key=lambda layer: -layer["exclusive"])[:10]
        rows = [(layer["name"], f"{100 * layer['share']:.1f} %", f"{layer['exclusive']:,}", layer["bound"],
                 "" if layer["lanes"] is None else f"{100 * layer['lanes']:.1f} %",
                 f"{layer['weights']['encoded']:,}" if layer["weights"] else "") for layer in longest]
        return html_table(facts) + (html_table(rows, ("layer", "share", "cycles", "bound by", "MAC lanes used", "weight bytes")) if rows else "")

    @property
    def layers(self):
        """A flat record for each layer, in the network's order, as pandas.DataFrame takes them: report["layers"] with
        bytes_axi0_ifm, alive_axi0, weights_encoded, ... in place of its tables, and texts in place of its lists of reasons."""
        rows = []
        for layer in self.report.get("layers", []):
            row = {key: value for key, value in layer.items() if key not in ("bytes", "alive", "weights", "why", "change")}
            row.update({f"weights_{name}": value for name, value in (layer["weights"] or {}).items()})
            row.update({key: "; ".join(layer[key]) for key in ("why", "change")})
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


class Network(batch.Network):
    """A compiled network for repeated runs without time: its streams are read and its weights decoded once. The threads of a
    run share the rows of large operations, or sets of inputs."""

    def __init__(self, artifact, *, accelerator="", method=""):
        super().__init__(_functions.SimNetwork(artifact_argument(artifact), text(method, "method"),
                                               text(accelerator, "accelerator")))


def load(artifact, *, accelerator="", method=""):
    """Loads a compiled network and returns it as a Network.

    artifact     the path of a Vela .npz or .tflite or of an ExecuTorch .pte, or the bytes of such a file
    accelerator  "ethos-u55-128", ...; needed only if the artifact does not state it
    method       name of a method of an ExecuTorch program; default: its first method

    >>> macaw.sim.load("net_vela.tflite").run(images, threads=2)[0].argmax(axis=-1)
    """
    return Network(artifact, accelerator=accelerator, method=method)


class Session(session.Session):
    """A compiled network whose variables keep their contents from run to run. The arguments are those of run() with the same
    names; `threads` is the number of threads that share large operations, 0: as many as the machine has.

    Cycles depend on values only if streams branch or move rows by index. If they do neither, only the first step is run with
    time. In mode "timing" steps have no outputs, and inputs may be omitted."""

    def __init__(self, artifact, *, accelerator="", mode="timed", system="", memory_mode="", config="", timing_adapter=True,
                 clock=None, params=None, method="", threads=1):
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
        super().__init__(_functions.SimSession(
            artifact_argument(artifact), text(method, "method"), text(accelerator, "accelerator"), mode, file_name(system),
            text(memory_mode, "memory_mode"), file_name(config), bool(timing_adapter), _params(params, clock),
            whole(threads, "threads", 0, 256)))

    @property
    def cycles(self):
        """List of the cycles of each step so far; empty in mode "functional"."""
        return self._native.cycles

    @property
    def report(self):
        """report.json of the last step that was run with time, as a dictionary; None if no step was."""
        text = self._native.report
        return None if text is None else json.loads(text)


def run(artifact, inputs=(), *, accelerator="", mode="timed", system="", memory_mode="", config="", timing_adapter=True,
        clock=None, params=None, steps=1, method="", reshape=False, reinterpret=False, cpu=None, before_ms=0.0, after_ms=0.0, npu_only=False):
    """Runs a compiled network and returns a Result.

    artifact        the path of a Vela .npz or .tflite or of an ExecuTorch .pte, or the bytes of such a file
    inputs          a list of arrays in the network's order, or a dictionary by name
    accelerator     "ethos-u55-128", ...; needed only if the artifact does not state it
    mode            "functional": values only; "timed": values and cycles; "timing": cycles only
    system          a name of `macaw list systems` or of `config`, or the path of a system file; default: by accelerator
    memory_mode     Sram_Only, Shared_Sram or Dedicated_Sram; default: that of the system
    config          a Vela configuration file, whose systems and memory modes can be named
    timing_adapter  False: ideal memory
    clock           clock of the NPU in Hz, from which milliseconds are computed; cycles do not depend on it. Default: that
                    of the system
    params          dictionary of timing constants to override
    steps           number of inferences; variables are kept between them, and the last one is reported
    method          name of a method of an ExecuTorch program; default: its first method
    reshape         accept inputs of a different shape with the same number of elements
    reinterpret     accept inputs of a different type with the same number of bytes, as they are
    cpu             the CPU of the whole inference, by the names of [cpu] in system files: {"core": "cortex-m55", "clock_hz": 400e6, ...}
    before_ms       milliseconds of the application before the network
    after_ms        milliseconds of the application after the network
    npu_only        True: omit report["inference"], the time of the whole inference

    Raises macaw.Error."""
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    steps = whole(steps, "steps", 1, 1 if mode == "timing" else 2**32 - 1)
    params = _params(params, clock)
    result = _functions.run_sim(artifact=artifact_argument(artifact), method=text(method, "method"),
                                inputs=inputs_argument(inputs), accelerator=text(accelerator, "accelerator"), mode=mode,
                                system=file_name(system), memory_mode=text(memory_mode, "memory_mode"),
                                config=file_name(config), timing_adapter=bool(timing_adapter), params=params, steps=steps,
                                reshape=bool(reshape), reinterpret=bool(reinterpret),
                                cpu=[text(f"{name}={value}", "a name and value of cpu") for name, value in dict(cpu or {}).items()],
                                before_ms=float(before_ms), after_ms=float(after_ms), npu_only=bool(npu_only))
    return Result(outputs=result["outputs"], names=result["names"], report=json.loads(result["report"]))


def _params(params, clock):
    values = {text(name, "a name of params"): float(value) for name, value in dict(params or {}).items()}
    if clock is not None:
        values[b"clock_hz"] = float(clock)
    return values
