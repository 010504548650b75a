#!/usr/bin/python3
"""Turns measurements of corpus folders into a measurement file (docs/FORMATS.md): convert.py FOLDER... FILE.json

Reads measurements.json (networks, sweeps of the timing adapter, boards), layers.json, boards.json and cells.json (runs with
the options of `macaw sim`), as far as they are there. Every entry becomes measurements, or stands under "left_out" with the reason."""
import json
import os
import pathlib
import re
import sys
import zlib

NETWORKS = {"rnn": "rnnoise", "rnnoise_INT8": "rnnoise", "kws_micronet_m": "kws"}
FITTED = ("rnnoise", "kws", "yolo")
# Classes of cells.json: the name in the tables, and of which network the cells are (None: each is one of its own).
CELLS = {"fvp-rnnoise-adapter": ("changed adapter", "rnnoise"), "fvp-u85-layer-base-conv3x3-512": ("single layers, 512 MACs", None),
         "silicon-stream": ("silicon, streams", None)}
BOARDS = {"Nuvoton M55M1": "nuvoton-m55m1"}
NO_ARTIFACT = ("w2l", "dnn_s")
# A TOTAL moves in steps of 1000 cycles above ACTIVE.
TOTAL_STEP = 1000
# Parameter of a sweep, by the words of its "knob": name of the class, the field that takes the setting (None: the
# setting is the number of MACs), what else is set.
KNOBS = (
    (r"EXT read latency", "EXT read latency", "axi1.read_latency", {}),
    (r"EXT read latency \(write 250\)", "EXT read latency", "axi1.read_latency", {"axi1.write_latency": 250}),
    (r"EXT write latency \(read 500\)", "EXT write latency", "axi1.write_latency", {"axi1.read_latency": 500}),
    (r"EXT latency read 0 write 0 .*", "no EXT latency", None, {"axi1.read_latency": 0, "axi1.write_latency": 0}),
    (r"EXT_MAXR at read latency (\d+)", "EXT MAXR", "axi1.max_reads", {"axi1.read_latency": None}),
    (r"SRAM_BWCAP", "SRAM BWCAP", "axi0.bandwidth_cap", {}),
    (r"EXT_BWCAP at read latency (\d+)", "EXT BWCAP", "axi1.bandwidth_cap", {"axi1.read_latency": None}),
)


class Converter:
    def __init__(self, target):
        self.folder, self.target = None, target
        self.measurements, self.left_out = [], []
        self.layers = []  # artifacts of single layers; every other one is fitted on
        self.canonical = {}  # (accelerator, network) -> the measurement of the first set, whose artifact sweeps use

    def leave_out(self, entry, reason):
        self.left_out.append({"id": entry["id"], "reason": reason})

    def path(self, file):
        return os.path.relpath((self.folder / file).resolve(), self.target.resolve())

    def numbered(self, stem):
        files = []
        while (self.folder / f"io/{stem}{len(files)}.npy").exists():
            files.append(self.path(f"io/{stem}{len(files)}.npy"))
        return files

    def check_crcs(self, entry, stem):
        """The outputs that networks are checked against must be those of which the platform printed the CRC32."""
        printed = entry.get("output_crc32_fvp")
        if not printed or "artifact_third_party" in entry:
            return
        found = []
        while (file := self.folder / f"io/{stem}_ref_out{len(found)}.npy").exists():
            content = file.read_bytes()
            elements = content[10 + int.from_bytes(content[8:10], "little"):]  # behind the header of format 1.0
            found.append(f"{len(found)}:{len(elements)}:{zlib.crc32(elements):08X}")
        if " ".join(found) != printed:
            sys.exit(f"{entry['id']}: the platform printed {printed}, the files in io/ have {' '.join(found)}")

    def base(self, entry, group, network, accelerator=None, artifact=None):
        """Fields that every measurement has; None, with the entry omitted, if it has no artifact."""
        artifact = artifact or entry.get("artifact")
        if not artifact:
            return self.leave_out(entry, "no artifact")
        row = {"id": entry["id"], "group": group, "network": network,
               "accelerator": accelerator or accelerator_of(entry["npu"], entry["macs"]), "artifact": self.path(artifact)}
        if entry.get("memory_mode") and "artifact_third_party" not in entry:
            row["memory_mode"] = entry["memory_mode"]
        stem = entry.get("workload", "")
        self.check_crcs(entry, stem)
        if self.numbered(f"{stem}_ref_out") and "artifact_third_party" not in entry:
            row |= {"inputs": self.numbered(f"{stem}_in"), "outputs": self.numbered(f"{stem}_ref_out")}
        row |= {"set": "unseen", "counters": {}}
        return row

    def add(self, entry):
        network = NETWORKS.get(entry.get("workload"), entry.get("workload"))
        kind = entry["set"]
        if network in NO_ARTIFACT:
            return self.leave_out(entry, f"no artifact of {network}")
        adders = {"S1": self.add_network, "S2": self.add_network, "S3": self.add_network, "S4 interventions": self.add_sweep,
                  "S5": self.add_board, "S5E": self.add_board_events, "S7": self.add_third_party}
        reasons = {"S3L per-layer": "per layer, its stream had an interrupt after each layer",
                   "S10": "no stream; MAC_ACTIVE is checked by tests/corpus/sim"}
        if kind in adders:
            return adders[kind](entry, network)
        return self.leave_out(entry, reasons.get(kind, "no stream"))

    def add_network(self, entry, network):
        kind = entry["set"]
        group = {"S1": "adapter on", "S2": "adapter off", "S3": "other memory mode or compilation"}[kind]
        row = self.base(entry, group, network)
        if not row:
            return
        if kind == "S3":
            row["case"] = f"{row['accelerator']}, {network}, {row['memory_mode']}"
        else:
            row["error_bar"] = True
            row["set"] = "fit" if network in FITTED else "unseen"
        if kind == "S2":
            row["timing_adapter"] = False
        metrics = entry["metrics"]
        row["counters"] = cycles_of(metrics) | exact_counters(metrics)
        if kind == "S1":
            self.canonical[row["accelerator"], network] = row
        self.measurements.append(row)

    def add_sweep(self, entry, network):
        for pattern, group, field, others in KNOBS:
            match = re.fullmatch(pattern, entry["knob"])
            if match:
                break
        else:
            return self.leave_out(entry, "a knob that is not known")
        for setting, value in sorted(entry["metrics"]["NPU_TOTAL by setting"].items()):
            accelerator = accelerator_of(entry["npu"], entry["macs"] if field else setting)
            name = f"{entry['id']} {setting}"
            base = self.canonical.get((accelerator, network))
            if base is None:
                self.leave_out({"id": name}, "no artifact")
                continue
            overrides = {key: int(match[1]) if fixed is None else fixed for key, fixed in others.items()}
            if field:
                # The six bits of the register make 64 a 0.
                overrides[field] = 0 if field == "axi1.max_reads" and setting == "64" else int(setting)
            counted = {"value": value}
            active = "(ACTIVE)" in name
            if not active:
                counted["resolution"] = TOTAL_STEP
            row = {key: base[key] for key in base if key not in ("set", "counters", "error_bar", "inputs", "outputs")}
            row |= {"id": name, "group": group, "case": name.split("-", 1)[1], "overrides": overrides, "set": "unseen"}
            beats = {key: beat for key, beat in base["counters"].items() if not key.startswith("NPU_")}
            row["counters"] = {"NPU_ACTIVE" if active else "NPU_TOTAL": counted} | beats
            self.measurements.append(row)

    def add_board(self, entry, network):
        row = self.base(entry, "FPGA", network)
        if row:
            row["case"] = f"{row['accelerator']}, {network}, {row.get('memory_mode', '')}"
            row["system"] = "mps4-fpga-u85-1024"
            row["counters"] = {"NPU_ACTIVE": {"value": entry["metrics"]["NPU_ACTIVE_B3"]}}
            self.measurements.append(row)

    def add_board_events(self, entry, network):
        """The board's counters per event, taken with every region in its slow DRAM: its cycles depend on that DRAM."""
        if "artifact" not in entry:
            return self.leave_out(entry, "no stream")
        row = self.base(entry, "FPGA", network)
        if row:
            metrics = entry["metrics"]
            row["memory_mode"] = "Dram_Only"
            row["case"] = f"{row['accelerator']}, {network}, Dram_Only"
            row["system"] = "mps4-fpga-u85-1024"
            row["counters"] = {"EXT_RD_DATA_BEAT_RECEIVED": {"value": metrics["ext_rd_beats"]},
                               "EXT_WR_DATA_BEAT_WRITTEN": {"value": metrics["ext_wr_beats"]},
                               "MAC_ACTIVE": {"value": metrics["mac_active"], "tolerance": 0.002}}
            self.measurements.append(row)

    def add_third_party(self, entry, network):
        """Its memory system is not known: MAC_ACTIVE alone can be compared."""
        found = sorted(self.folder.glob(entry["artifact_third_party"]))
        if not found:
            return self.leave_out(entry, "no artifact")
        row = self.base(entry, "third party", network, artifact=os.path.relpath(found[0], self.folder))
        row["case"] = f"{row['accelerator']}, {network}, "
        row["counters"] = exact_counters(entry["metrics"])
        if network == "kws":
            for counter in row["counters"].values():
                counter["tolerance"] = 0.002
        self.measurements.append(row)

    def add_layer(self, entry):
        latency = "without latency" if entry["args"] else "as it is"
        name = entry["id"].removeprefix("h3r-u85-256-").rsplit("-", 1)[0]
        row = self.base(entry, f"single layers, adapter {latency}", name, entry["accelerator"])
        row["case"] = f"{entry['accelerator']}, {name}"
        row["overrides"] = {key: float(value) for key, value in (text.split("=") for text in entry["args"][1::2])}
        row["counters"] = cycles_of(entry["measured"]) | exact_counters(entry["measured"])
        if entry["artifact"] not in self.layers:
            self.layers.append(entry["artifact"])
        row["set"] = "unseen" if self.layers.index(entry["artifact"]) % 2 else "fit"
        self.measurements.append(row)

    def add_cell(self, entry):
        """A run with options: fields of the system by -C, or another system."""
        group, network = CELLS[entry["cls"]]
        row = self.base(entry, group, network or entry["id"], entry["accelerator"])
        row["case"] = f"{entry['accelerator']}, {entry['id']}"
        pairs = list(zip(entry["args"][::2], entry["args"][1::2]))
        row["overrides"] = {key: float(value) for key, value in (text.split("=") for option, text in pairs if option == "-C")}
        for option, text in pairs:
            if option == "--system":
                row["system"] = text
        cycles = entry["measured"]["NPU_ACTIVE"]
        row["counters"] = cycles_of({"NPU_ACTIVE" if entry["grid"] == 1 else "NPU_TOTAL": cycles}) | exact_counters(entry["measured"])
        self.measurements.append(row)

    def add_silicon(self, entry):
        """Cycles from a published rate, driver included; which memory holds the constants is not stated."""
        name = entry["id"].removeprefix("si-m55m1-").removesuffix("-corstone")
        row = self.base(entry, "silicon, memory not stated", name, entry["accelerator"])
        row["case"] = f"{entry['system']}, {name}"
        row["system"] = BOARDS[entry["system"]]
        row["counters"] = cycles_of(entry["measured"])
        self.measurements.append(row)


def accelerator_of(npu, macs):
    return f"{npu}-{macs}".lower()


def cycles_of(metrics):
    if "NPU_ACTIVE" in metrics:
        return {"NPU_ACTIVE": {"value": metrics["NPU_ACTIVE"]}}
    return {"NPU_TOTAL": {"value": metrics["NPU_TOTAL"], "resolution": TOTAL_STEP}}


def exact_counters(metrics):
    """Beats of the ports and MAC_ACTIVE, by the names of the driver, sorted."""
    return {name: {"value": value} for name, value in sorted(metrics.items()) if "_DATA_BEAT_" in name or name == "MAC_ACTIVE"}


def main(folders, target):
    target = pathlib.Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    converter = Converter(target.parent)
    for folder in map(pathlib.Path, folders):
        converter.folder = folder
        # Sweeps use the artifacts of the first set, which comes first.
        for file, add in (("measurements.json", converter.add), ("layers.json", converter.add_layer), ("boards.json", converter.add_silicon),
                          ("cells.json", converter.add_cell)):
            if (folder / file).exists():
                entries = json.loads((folder / file).read_text())
                for entry in entries["cells"] if file == "cells.json" else entries:
                    add(entry)
    document = {"schema_version": 1, "measurements": converter.measurements, "left_out": converter.left_out}
    target.write_text(json.dumps(document, indent=1) + "\n")
    print(f"{target}: {len(converter.measurements)} measurements, {len(converter.left_out)} left out")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:-1], sys.argv[-1])
