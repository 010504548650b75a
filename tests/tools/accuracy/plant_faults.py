#!/usr/bin/python3
"""Plants quantisation faults in .tflite networks and counts how often macaw accuracy ranks the faulty layer first by "alone".

usage: plant_faults.py MACAW CORPUS [--count N] [--seed N] [--only TEXT] [--verbose]

A fault is planted in one operator of a sound network, whose float form is the reference:
  scale      its filter's scales are twice or half what they were, so that its results are
  zero       its results are 8 steps off, as with a zero point that is off by 8: its bias makes it so
  range      its output's range ends at a quarter of where its values reach
  dead       a channel that has at least the median energy of all channels loses its weights and bias
  table      its output has steps 16 times as large, as with a table of 16 entries (functions of one element)
  bits       its weights are rounded to 4 bits
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import tempfile

import numpy as np

from tflite_patch import Model
from with_functions import make_pair

SOUND = 20  # dB that every layer of a sound network keeps alone: ad01 does not, whose filters have one scale for all channels
FILTERED = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
FUNCTIONS = ("HARD_SWISH", "LEAKY_RELU", "PRELU")
SCALES_OF_THEIR_OWN = FILTERED + FUNCTIONS + ("ADD", "MUL", "SUB", "MEAN")


def networks(corpus, macaw, folder):
    """name -> (reference, quantised network, file of inputs or None). Sound networks of the corpus have no operator that is a table:
    three of its pairs are taken with such operators in place of their RELU as well."""
    pairs = corpus / "outside" / "accuracy"
    found = {name: (pairs / f"{name}_float.tflite", pairs / f"{name}_int8.tflite", None) for name in ("resnet8", "ad01", "vww")}
    found["kws"] = (pairs / "kws_float.tflite", pairs / "kws_int8.tflite", pairs / "kws01_x.npy")
    for name in ("MyMNISTModel_int8", "micro_speech_quantized", "keyword_scrambled_8bit"):
        network = corpus / "npu" / name / "model.tflite"
        found[name] = (network, network, None)
    found["person_detect"] = 2 * (corpus / "outside" / "verdicts" / "person_detect_himax" / "person_detect.tflite",) + (None,)
    for name in ("outside/verdicts/chain5", "outside/verdicts/chain328", "lab/rawcop2_output_offset/chain115", "lab/blockdep_u55_regor/chain300",
                 "lab/blockdep_u85_resize/chain337"):
        found[name.split("/")[-1]] = 2 * (corpus / (name + ".tflite"),) + (None,)
    found = {name: files for name, files in found.items() if files[1].exists()}
    for name, function in (("resnet8", "HARD_SWISH"), ("vww", "LEAKY_RELU"), ("kws", "HARD_SWISH")):
        if name in found:
            found[f"{name} with {function}"] = with_function(macaw, *found[name], function, folder / f"{name}_{function}")
    return found


def with_function(macaw, reference, quantised, given, function, folder):
    """The pair and the sets with which it was calibrated."""
    folder.mkdir()
    model = Model(quantised.read_bytes())
    tensor = model.tensors[model.inputs[0]]
    codes = np.load(given)[:24] if given else np.stack([drawn([tensor], seed)[tensor.name] for seed in range(16)])
    np.save(folder / "sets.npy", codes)
    return *make_pair(macaw, reference, quantised, function, model.real(tensor, codes).astype(np.float32), folder), folder / "sets.npy"


class Planter:
    def __init__(self, data, generator, layers):
        self.model, self.generator = Model(data), generator
        self.layers = {layer["operator"]: layer for layer in layers}
        self.readers = collections.defaultdict(list)
        for op in self.model.operators:
            for i in op.inputs:
                self.readers[i].append(op.kind)

    def filter_of(self, op):
        tensor = self.model.tensors[op.inputs[1]]
        return tensor if tensor.data and tensor.dtype == "i1" and tensor.scale[1] else None

    def plant(self, kind, place):
        """Whether the fault could be planted there."""
        op = self.model.operators[place]
        return place in self.layers and self.layers[place]["accumulated"]["sqnr_db"] is not None and getattr(self, "plant_" + kind)(op, place)

    def plant_scale(self, op, _):
        if op.kind not in FILTERED or not self.filter_of(op):
            return False
        self.model.scales(self.filter_of(op))[:] *= self.generator.choice((2.0, 0.5))
        return True

    def plant_zero(self, op, _):
        if op.kind not in FILTERED or not self.filter_of(op) or len(op.inputs) < 3 or op.inputs[2] < 0:
            return False
        source, bias, result = (self.model.tensors[i] for i in (op.inputs[0], op.inputs[2], op.outputs[0]))
        if not bias.data or bias.dtype != "<i4" or not source.scale[1]:
            return False
        step = self.model.scales(source)[0].astype(np.float64) * self.model.scales(self.filter_of(op))
        values = self.model.constant(bias)
        moved = values + np.round(8 * self.generator.choice((1, -1)) * self.model.scales(result)[0] / step)
        values[:] = np.clip(moved, -2 ** 31, 2 ** 31 - 1)
        return True

    def has_scale_of_its_own(self, op):
        """Whether no reader needs its input's scale to be its output's, and the operator itself does not."""
        same = ("RESHAPE", "AVERAGE_POOL_2D", "MAX_POOL_2D", "CONCATENATION", "PAD")
        return op.kind in SCALES_OF_THEIR_OWN and op.outputs[0] not in self.model.outputs and not any(k in same or k.isdigit() for k in self.readers[op.outputs[0]])

    def plant_range(self, op, place):
        codes, reach = self.layers[place].get("codes"), self.layers[place]["float_range"]
        if not codes or not reach or not self.has_scale_of_its_own(op):
            return False
        wanted = max(abs(reach[0]), abs(reach[1])) / 4
        zero = codes["zero_point"]
        available = (127 - zero if abs(reach[1]) >= abs(reach[0]) else zero + 128) * codes["scale"]
        if available <= 0 or wanted <= 0:
            return False
        self.change_scale(op.outputs[0], wanted / available)
        return True

    def change_scale(self, index, factor):
        """Changes the scale of a tensor; the biases of its readers are in units of that scale."""
        self.model.scales(self.model.tensors[index])[:] *= factor
        for op in self.model.operators:
            if op.kind in FILTERED and op.inputs[0] == index and len(op.inputs) > 2 and op.inputs[2] >= 0 and self.model.tensors[op.inputs[2]].data:
                values = self.model.constant(self.model.tensors[op.inputs[2]])
                values[:] = np.clip(np.round(values / factor), -2 ** 31, 2 ** 31 - 1)

    def plant_dead(self, op, place):
        if op.kind not in FILTERED or not self.filter_of(op):
            return False
        tensor = self.filter_of(op)
        axis = 3 if op.kind == "DEPTHWISE_CONV_2D" else 0
        energy = self.energy.get(place)
        if energy is None or len(energy) != tensor.shape[axis]:
            return False
        alive = [c for c in range(len(energy)) if energy[c] >= np.median(energy) and energy[c] > 0]
        if not alive:
            return False
        channel = self.generator.choice(alive)
        np.moveaxis(self.model.constant(tensor), axis, 0)[channel] = 0
        if len(op.inputs) > 2 and op.inputs[2] >= 0 and self.model.tensors[op.inputs[2]].data:
            self.model.constant(self.model.tensors[op.inputs[2]])[channel] = 0
        return True

    def plant_table(self, op, _):
        if op.kind not in FUNCTIONS or not self.has_scale_of_its_own(op):
            return False
        self.change_scale(op.outputs[0], 16)
        zeros = self.model.zero_points(self.model.tensors[op.outputs[0]])
        zeros[:] = np.where(zeros < -120, zeros, zeros // 16)
        return True

    def plant_bits(self, op, _):
        if op.kind not in FILTERED or not self.filter_of(op):
            return False
        weights = self.model.constant(self.filter_of(op))
        weights[:] = np.clip(np.round(weights / 16.0) * 16, -128, 112)
        return True


def smooth(shape, seed):
    """Values from 0 to 1 that change slowly along all axes but the last, or along that if it is the only one: white noise goes beyond what
    networks were calibrated for."""
    noise = np.random.default_rng(seed)
    extents = [n for n in shape if n > 1]
    spatial = extents[:-1] if len(extents) > 1 else extents
    value = noise.uniform(0, 1, (*(min(4, n) for n in spatial), *(extents[-1:] if len(extents) > 1 else [])))
    for axis, count in enumerate(spatial):
        at = np.linspace(0, value.shape[axis] - 1, count)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, value.shape[axis] - 1)
        share = (at - low).reshape([-1 if i == axis else 1 for i in range(value.ndim)])
        value = np.take(value, low, axis) * (1 - share) + np.take(value, high, axis) * share
    return value.reshape(shape)


def inputs_of(macaw, reference, network, given, folder):
    """Sets of inputs with which the sound network loses little: those given, or of 60 drawn ones the 8 that suit it best, since what it was
    calibrated for is not known."""
    model = Model(network.read_bytes())
    tensors = [model.tensors[i] for i in model.inputs]
    file = folder / "x.npz"
    if given:
        np.savez(file, **{tensors[0].name: np.load(given)[:24]})
        return file
    candidates = []
    for seed in range(60):
        values = drawn(tensors, seed)
        np.savez(file, **{name: value[None] for name, value in values.items()})
        result = measure(macaw, reference, network, file, folder)
        if not isinstance(result, str):
            candidates.append((least_alone(result), seed, values))
    candidates.sort(key=lambda c: c[:2], reverse=True)
    best = [c[2] for c in candidates[:8]] or [values]
    np.savez(file, **{name: np.stack([one[name] for one in best]) for name in best[0]})
    return file


def drawn(tensors, seed):
    """Values of each input, by name."""
    values = {}
    for number, tensor in enumerate(tensors):
        low, high = {"i1": (-128, 128), "u1": (0, 256), "<i2": (-20000, 20000)}.get(tensor.dtype, (-1, 1))
        noise, generator = smooth(tensor.shape, seed + 1000 * number), np.random.default_rng(1000 + seed + 1000 * number)
        value = np.clip((noise - 0.5) * generator.choice((1, 0.6, 0.35, 0.2, 0.1)) + generator.uniform(0.1, 0.9), 0, 1) * (high - low - 1) + low
        values[tensor.name] = value.astype("<f4") if tensor.dtype == "<f4" else np.round(value).astype(tensor.dtype)
    return values


def least_alone(result):
    """The SQNR of the layer that loses most."""
    figures = [(layer["alone"] or layer["accumulated"])["sqnr_db"] for layer in result["layers"]]
    return min((f for f in figures if f is not None), default=0)


def measure(macaw, reference, network, inputs, folder):
    result = folder / "accuracy.json"
    done = subprocess.run([macaw, "accuracy", reference, network, "--inputs", inputs, "--json", result, "--force"], capture_output=True, text=True)
    return json.loads(result.read_text()) if done.returncode == 0 else done.stderr.strip()


def channel_energy(macaw, network, inputs, folder):
    """By operator, the energy of each channel of its output in the first set."""
    model = Model(network.read_bytes())
    arguments = []
    for number, (name, values) in enumerate(np.load(inputs).items()):
        np.save(folder / f"one{number}.npy", values[0])
        arguments += ["--input", f"{name}={folder}/one{number}.npy"]
    subprocess.run([macaw, "tflite", network, *arguments, "--output-dir", folder / "o", "--dump-tensors", folder / "d", "--force"], check=True, capture_output=True)
    energy = {}
    for place, op in enumerate(model.operators):
        tensor = model.tensors[op.outputs[0]]
        file = folder / "d" / (tensor.name.replace("/", "_") + ".npy")
        if len(tensor.name) > 180:
            file = next(iter((folder / "d").glob(tensor.name.replace("/", "_")[:150].replace("[", "?") + "*")), file)
        if file.exists() and tensor.scale[1]:
            real = model.real(tensor, np.load(file))
            energy[place] = ((real - real.mean(axis=tuple(range(real.ndim - 1)), keepdims=True)) ** 2 if real.size > real.shape[-1] else real ** 2).reshape(-1, real.shape[-1]).sum(axis=0)
    return energy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("macaw")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", default="", help="plant in networks whose name has this text alone")
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    if not pathlib.Path(arguments.macaw).exists():
        parser.error(f"{arguments.macaw} is not there")
    first = collections.Counter()
    planted = collections.Counter()
    by_network = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        sound = {}
        for network, (reference, quantised, given) in networks(arguments.corpus, arguments.macaw, pathlib.Path(name)).items():
            if arguments.only not in network:
                continue
            folder = pathlib.Path(name) / network
            folder.mkdir()
            inputs = inputs_of(arguments.macaw, reference, quantised, given, folder)
            result = measure(arguments.macaw, reference, quantised, inputs, folder)
            if isinstance(result, str):
                print(f"{network}: left out: {result}")
                continue
            if least_alone(result) < SOUND:
                print(f"{network}: left out: {least_alone(result):.1f} dB alone in a layer, with the inputs that suit it best")
                continue
            sound[network] = (reference, quantised, inputs, folder, result, channel_energy(arguments.macaw, quantised, inputs, folder))
            print(f"{network}: sound, {len(result['layers'])} layers, {len(result['advice'])} pieces of advice")
            for advice in result["advice"]:
                print(f"  operator {advice['operator']}: {advice['what']}: {advice['evidence']}")
        if not sound:
            parser.exit(1, "no sound network to plant faults in\n")
        kinds = ["scale", "zero", "range", "dead", "table", "bits"]
        attempts = 0
        while sum(planted.values()) < arguments.count and attempts < 100 * arguments.count:
            attempts += 1
            network = generator.choice(sorted(sound))
            kind = generator.choice(kinds)
            reference, quantised, inputs, folder, original, energy = sound[network]
            planter = Planter(quantised.read_bytes(), generator, original["layers"])
            planter.energy = energy
            place = generator.randrange(len(planter.model.operators))
            if not planter.plant(kind, place):
                continue
            faulty = folder / "faulty.tflite"
            faulty.write_bytes(planter.model.bytes)
            result = measure(arguments.macaw, reference, faulty, inputs, folder)
            if isinstance(result, str):
                print(f"{network} {kind} in {place}: not measured: {result}")
                continue
            planted[kind] += 1
            by_network[network] += 1
            if result["ranking"] and result["ranking"][0] == place:
                first[kind] += 1
            elif arguments.verbose:
                own = {l["operator"]: (l["alone"] or l["accumulated"])["sqnr_db"] for l in result["layers"]}
                before = {l["operator"]: (l["alone"] or l["accumulated"])["sqnr_db"] for l in original["layers"]}
                print(f"{network} {kind} in {place}: {own.get(place)} dB (sound {before.get(place)}), first is {result['ranking'][0]} with {own[result['ranking'][0]]} dB")
    for kind in kinds:
        print(f"{kind:6} {first[kind]:4} of {planted[kind]:4} first")
    total = sum(planted.values())
    print(f"all    {sum(first.values()):4} of {total:4} first ({100 * sum(first.values()) / max(total, 1):.1f} %), {len(by_network)} networks: {dict(by_network)}")


if __name__ == "__main__":
    main()
