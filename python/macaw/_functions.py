"""The functions and objects of the library that macaw uses: the native side of the modules that users import."""
import functools
import json
import struct

import numpy

from ._library import Owned, Result, Table, address_of, call, checked, decoded, encoded, invoke, json_value, reply


def _numbers(values):
    return [[json_value(name), repr(value)] for name, value in values.items()]


def _graph_result(done):
    findings = [{key: decoded(value, "replace") if key in ("place", "argument", "text") else value
                 for key, value in finding.items()} for finding in done["findings"]]
    return {"status": done["status"], "findings": findings, "names": done.names("names"), "types": list(done["types"]),
            "outputs": done.arrays("outputs"), "intermediates": done.named_arrays("intermediates"),
            "variables": done.named_arrays("variables")}


def run_tosa(graph, inputs, variables, **options):
    table = Table()
    by_name, arrays = table.inputs(inputs)
    done = invoke("run_tosa", table, graph=table.file(graph), by_name=by_name, inputs=arrays,
                   variables=table.named(variables), **options)
    return {**_graph_result(done), "before_evaluation": done["before_evaluation"]}


def _attribute(value):
    if isinstance(value, dict):
        (kind, text), = value.items()
        return float(text) if kind == "float" else text.encode("latin-1")
    return decoded(value) if isinstance(value, str) else value


def read_graph(contents, name):
    """The description of a graph, with names as text, and a function: constant(block, tensor)(packed=...) is the contents of a
    constant."""
    table = Table()
    owned = Owned(invoke("create_graph", table, graph=table.file(contents), name=name)["object"])
    described = invoke("describe_graph", object=owned.address).values
    for block in described["blocks"]:
        block["name"] = decoded(block["name"])
        for tensor in block["tensors"]:
            tensor["name"] = decoded(tensor["name"])
            tensor["shape"] = None if tensor["shape"] is None else tuple(tensor["shape"])
            tensor["variable"] = None if tensor["variable"] is None else decoded(tensor["variable"])
        for op in block["operators"]:
            op["attributes"] = {key: _attribute(value) for key, value in op["attributes"].items()}
            op["location"] = decoded(op["location"])

    def constant(block, tensor, packed):
        done = invoke("graph_constant", object=owned.address, block=block, tensor=tensor, packed=packed)
        return done.document("contents") if packed else done.array(done["contents"])

    return described, lambda block, tensor: functools.partial(constant, block, tensor)


def graph_numbers(kind):
    """Names and numbers of "ops" or "types" in files of TOSA 1.x."""
    numbers = invoke("graph_numbers")[kind]
    return dict(sorted(numbers.items(), key=lambda row: row[1]))


def load_custom_ops(library):
    invoke("load_custom_ops", library=library)


MAX_TOSA_WORK = invoke("default_max_work")["max_work"]


def run_sim(artifact, method, inputs, params, before_ms, after_ms, **options):
    table = Table()
    by_name, arrays = table.inputs(inputs)
    done = invoke("run_sim", table, **table.artifact(artifact, method), by_name=by_name, inputs=arrays,
                   params=_numbers(params), before_ms=repr(before_ms), after_ms=repr(after_ms), **options)
    return {"outputs": done.arrays("outputs"), "names": done.names("names"), "report": done.document("report")}


def run_compare(graph, artifact, method, inputs, **options):
    table = Table()
    if inputs is not None:
        options["by_name"], options["inputs"] = table.inputs(inputs)
    done = invoke("run_compare", table, graph=table.file(graph), **table.artifact(artifact, method), **options)
    return {"report": done.document("report"), "text": done.text("text")}


def run_accuracy(reference, quantised, artifacts, inputs, labels, **options):
    table = Table()
    if quantised is not None:
        options["quantised"] = table.file(quantised)
    if labels is not None:
        options["labels"] = labels
    done = invoke("run_accuracy", table, reference=table.file(reference), inputs=table.inputs(inputs)[1],
                   artifacts=[table.artifact(one, "") for one in artifacts], **options)
    return {"report": done.document("report"), "text": done.text("text")}


class _Described:
    """A network or session of the library."""

    def __init__(self, kind, created):
        self._owned = Owned(created["object"])
        self._object = self._owned.address
        described = invoke(f"describe_{kind}", object=self._object)
        self.inputs = [(decoded(name), None if shape is None else tuple(shape)) for name, shape in described["inputs"]]
        self.output_names = described.names("output_names")


class _Network(_Described):
    """Most runs are like the one before, on other arrays of the same types and shapes: their call is prepared once."""

    def __init__(self, kind, table, **arguments):
        super().__init__(kind, invoke(f"create_{kind}", table, **arguments))
        self._function = f"run_{kind}"
        self._prepared = None  # options, types and shapes of inputs, those of outputs, template, text, format

    def run(self, inputs, threads, reshape, reinterpret):
        options = threads, reshape, reinterpret
        if self._prepared is not None and type(inputs) is list:
            known, kinds, output_kinds, template, text, pack = self._prepared
            if options == known and kinds == [
                    (array.dtype, array.shape) if type(array) is numpy.ndarray and array.flags.c_contiguous else None
                    for array in inputs]:
                outputs = [numpy.empty(shape, dtype) for dtype, shape in output_kinds]
                returned = call(text, pack(*[address_of(array) for array in inputs + outputs]), None)
                if returned == b"\n{}":
                    return self._fill(template, outputs)
                return self._result(checked(returned))
        table = Table()
        by_name, arrays = table.inputs(inputs)
        arguments = {"object": self._object, "threads": threads, "reshape": reshape, "reinterpret": reinterpret,
                     "by_name": by_name, "inputs": arrays}
        done = self._result(invoke(self._function, table, **arguments))
        if not by_name:
            self._prepare(options, table, arguments, done)
        return done

    def _prepare(self, options, table, arguments, done):
        """Prepares the call for the next run with equal options, types and shapes."""
        template, outputs = self._split(done)
        kinds = [(array.dtype, array.shape) for array in table.kept]
        arguments["outputs"] = [table.array(array) for array in outputs]
        text = json.dumps({"function": self._function, **arguments}).encode()
        pack = struct.Struct(f"{len(table.addresses)}Q").pack
        self._prepared = options, kinds, [(array.dtype, array.shape) for array in outputs], template, text, pack

    def _result(self, done):
        return done.arrays("outputs")

    def _split(self, result):
        """(template for _fill(), outputs) of a result."""
        return None, result

    def _fill(self, template, outputs):
        """A result like that of the template, with other outputs."""
        return outputs


class SimNetwork(_Network):
    def __init__(self, artifact, method, accelerator):
        table = Table()
        super().__init__("sim_network", table, **table.artifact(artifact, method), accelerator=accelerator)


class TfliteNetwork(_Network):
    def __init__(self, network):
        table = Table()
        super().__init__("tflite_network", table, network=table.file(network))

    @property
    def tensors(self):
        """(name, dtype, shape, scale, zero point, axis, constant) of each tensor of the main subgraph."""
        done = invoke("list_tflite_tensors", object=self._object)
        return [(decoded(t["name"]), t["dtype"], tuple(t["shape"]), done.array(t["scale"]), done.array(t["zero_point"]),
                 t["axis"], None if t["constant"] is None else done.array(t["constant"])) for t in done["tensors"]]


class TosaNetwork(_Network):
    def __init__(self, graph, level, profiles, extensions, precise, max_work):
        table = Table()
        super().__init__("tosa_network", table, graph=table.file(graph), level=level, profiles=profiles, extensions=extensions,
                         precise=precise, max_work=max_work)

    def _result(self, done):
        return _graph_result(done)

    def _split(self, result):
        return (result["status"], tuple(result["names"]), tuple(result["types"])), result["outputs"]

    def _fill(self, template, outputs):
        status, names, types = template
        return {"status": status, "findings": [], "names": list(names), "types": list(types), "outputs": outputs,
                "intermediates": {}, "variables": {}}


def _answer(between, stop, address, text):
    """Calls one of the functions of a sequence and passes its answer on."""
    question, table = Result(text), Table()
    outputs = question.named_arrays("outputs")
    if question["ask"] == "stop":
        values = {"stop": bool(stop(question["step"], outputs))}
    else:
        inputs = between(question["step"], outputs)
        values = {"inputs": table.named({} if inputs is None else dict(inputs))}
    reply(address, json.dumps(values).encode(), table.packed())


class _Session(_Described):
    def __init__(self, kind, table, **arguments):
        super().__init__("session", invoke(f"create_{kind}_session", table, **arguments))

    def run(self, inputs, reshape, reinterpret):
        table = Table()
        by_name, arrays = table.inputs(inputs)
        return invoke("run_step", table, object=self._object, reshape=reshape, reinterpret=reinterpret, by_name=by_name,
                       inputs=arrays).arrays("outputs")

    def sequence(self, steps, given, first, joined, classes, between, stop, names, reshape, reinterpret):
        table = Table()
        more = {} if classes is None else {"classes": [table.array(classes)]}
        done = invoke("run_sequence", table, functools.partial(_answer, between, stop), object=self._object, steps=steps,
                       given=[_steps(table, name, array, steps) for name, array in given.items()], first=table.named(first),
                       kept=sorted(names), between=between is not None, stop=stop is not None, reshape=reshape,
                       reinterpret=reinterpret, **joined, **more)
        score = done.values.get("score")
        if score is not None:
            score = {key: float(value) if isinstance(value, str) else value for key, value in score.items()}
        return {"steps": done["steps"], "seconds": float(done["seconds"]), "score": score,
                "outputs": [[done.array(value) for value in output] for output in done["outputs"]]}

    def state(self):
        return invoke("get_state", object=self._object).named_arrays("state")

    def set_state(self, contents):
        table = Table()
        invoke("set_state", table, object=self._object, state=table.named(contents))

    def reset(self):
        invoke("reset_state", object=self._object)


def _steps(table, name, array, steps):
    """[name, whether the steps are along the first axis, arrays] for an input of a sequence."""
    if isinstance(array, (list, tuple)):
        return [encoded(name), False, [table.array(array[step]) for step in range(steps)]]
    return [encoded(name), True, [table.array(array)]]


class TosaSession(_Session):
    def __init__(self, graph, level, profiles, extensions, max_work, threads):
        table = Table()
        super().__init__("tosa", table, graph=table.file(graph), level=level, profiles=profiles, extensions=extensions,
                         max_work=max_work, threads=threads)


class TfliteSession(_Session):
    def __init__(self, network):
        table = Table()
        super().__init__("tflite", table, network=table.file(network))

    def run_with_tensors(self, inputs, reshape, reinterpret):
        """Outputs, and what operators wrote."""
        table = Table()
        by_name, arrays = table.inputs(inputs)
        done = invoke("run_with_tensors", table, object=self._object, reshape=reshape, reinterpret=reinterpret,
                       by_name=by_name, inputs=arrays)
        return done.arrays("outputs"), done.named_arrays("tensors")


class SimSession(_Session):
    def __init__(self, artifact, method, accelerator, mode, system, memory_mode, config, timing_adapter, params, threads):
        table = Table()
        super().__init__("sim", table, **table.artifact(artifact, method), accelerator=accelerator, mode=mode, system=system,
                         memory_mode=memory_mode, config=config, timing_adapter=timing_adapter, params=_numbers(params),
                         threads=threads)

    @property
    def cycles(self):
        return list(invoke("get_cycles", object=self._object)["cycles"])

    @property
    def report(self):
        """The record of the last step with time, as JSON; None before it."""
        done = invoke("get_report", object=self._object)
        return None if done["report"] is None else done.document("report")
