"""Builds TensorFlow Lite for Microcontrollers for the host, its sources and its ethos-u kernel as they are, above
libmacaw_device (CMakeLists.txt here), and runs person detection and keyword spotting compiled for three NPUs. Outputs
equal those of the reference kernels: of the same build for person detection, in the corpus for keyword spotting.
MACAW_TFLM is the folder of tflite-micro after its third_party_downloads, MACAW_ETHOSU_DRIVER that of Arm's core driver,
MACAW_CORPUS the corpus; without one of them nothing is tested."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from build_project import build_project  # noqa: E402  (found beside this folder)

ROOT = HERE.parents[3]
COMPILED = {
    "ethos-u55-128": "Ethos_U55_High_End_Embedded-Shared_Sram",
    "ethos-u65-256": "Ethos_U65_High_End-Dedicated_Sram",
    "ethos-u85-256": "Ethos_U85_SYS_DRAM_Mid-Dedicated_Sram",
}


def build(folder, tflm, driver, library):
    """The folder of the programs infer-NPU."""
    downloads = tflm / "tensorflow/lite/micro/tools/make/downloads"
    settings = {"MACAW_ROOT": ROOT, "MACAW_LIBRARY": library, "TFLM": tflm, "DRIVER": driver, "DOWNLOADS": downloads}
    return build_project(HERE, folder, settings)


def infer(program, folder, network, tensor, *options):
    """The output, and what was said."""
    (folder / "input").write_bytes(tensor)
    done = subprocess.run([program, network, folder / "input", folder / "output", *options], check=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return (folder / "output").read_bytes(), done.stdout


def picture(file):
    """Grey int8 from a bitmap of 8 bits a pixel, whose rows go upwards."""
    data = file.read_bytes()
    pixels = np.frombuffer(data, np.uint8, 96 * 96, int.from_bytes(data[10:14], "little")).reshape(96, 96)
    return (pixels[::-1] ^ 0x80).tobytes()


def person_detection(tflm, corpus, npu):
    """Network, input and output of each case, the latter null for the reference kernels to compute."""
    images = tflm / "tensorflow/lite/micro/examples/person_detection/testdata"
    network = corpus / f"unlabelled/npu/person_detect/{npu}-{COMPILED[npu]}-tflite/person_detect_vela.tflite"
    for image in ("person", "no_person"):
        yield image, network, picture(images / f"{image}.bmp"), None


def keyword_spotting(corpus, npu):
    model = corpus / "npu/kws_ref_model"
    network = model / f"{npu}-{COMPILED[npu]}-tflite/kws_ref_model_vela.tflite"
    for case in json.loads((model / "cases.json").read_text())["cases"]:
        read = lambda tensor: np.load(model / tensor["file"]).tobytes()
        yield f"keyword, {case['kind']}", network, read(case["inputs"][0]), read(case["outputs"][0])


def warns_of_missing_memory(programs, folder, tflm, corpus):
    """Dedicated_Sram without the driver's fast memory: the arena is in the place of region 2."""
    _, network, tensor, _ = next(person_detection(tflm, corpus, "ethos-u85-256"))
    _, said = infer(programs / "infer-ethos-u85-256", folder, network, tensor, "without-fast-memory")
    print(f"without fast memory: {said.strip()}")
    return "fast_memory" in said


def main(library):
    missing = [name for name in ("MACAW_TFLM", "MACAW_ETHOSU_DRIVER", "MACAW_CORPUS") if not os.environ.get(name)]
    if missing:
        print(f"skipped: TensorFlow Lite for Microcontrollers (set {', '.join(missing)})")
        return 77
    tflm, driver, corpus = (pathlib.Path(os.environ[name]).resolve()
                            for name in ("MACAW_TFLM", "MACAW_ETHOSU_DRIVER", "MACAW_CORPUS"))
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = build(folder / "build", tflm, driver, library)
        for npu in COMPILED:
            program = programs / f"infer-{npu}"
            for case, network, tensor, golden in (*person_detection(tflm, corpus, npu), *keyword_spotting(corpus, npu)):
                if golden is None:
                    golden, _ = infer(program, folder, tflm / "tensorflow/lite/micro/models/person_detect.tflite", tensor)
                equal = infer(program, folder, network, tensor) == (golden, "")
                print(f"{npu}, {case}: {'equal' if equal else 'NOT EQUAL'}")
                failed += not equal
        failed += not warns_of_missing_memory(programs, folder, tflm, corpus)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
