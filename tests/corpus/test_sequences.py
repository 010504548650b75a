#!/usr/bin/python3
"""`macaw compare --sequence` on networks with variables, in tensors and behind handles, beside what Vela made of them."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

CORPUS = pathlib.Path(os.environ.get("MACAW_CORPUS", "build/corpus"))
VARIABLES = (("lab/lstm_state_zero_point", "dtln_noise_suppression.tflite", "dtln_noise_suppression_vela.tflite"),
             ("outside/lab3/resource_variables_vad", "vad.tflite", "vad_ethos-u55-256_vela.tflite"),
             ("outside/lab3/resource_variables_vad", "vad.tflite", "vad_ethos-u85-128_vela.tflite"))


def compare(network, compiled, *words):
    done = subprocess.run([os.environ["MACAW"], "compare", network, compiled, *map(str, words), "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


class Variables(unittest.TestCase):
    def test_operators_are_compared_in_the_first_step_and_outputs_in_all(self):
        for folder, source, vela in VARIABLES:
            folder = CORPUS / folder
            if not folder.is_dir():
                print(f"{folder}: not there")
                continue
            network, compiled = folder / source, folder / vela
            first = numpy.load(folder / "in_0_0.npy")
            with tempfile.TemporaryDirectory() as temporary:
                steps = pathlib.Path(temporary) / "steps.npy"
                numpy.save(steps, numpy.stack([first, numpy.roll(first, 3), first]))
                code, result = compare(network, compiled, "--sequence", steps)
            self.assertEqual(code, 0, vela)
            self.assertEqual([run["inputs"] for run in result["runs"]], ["step 0", "step 2"], vela)
            self.assertEqual(result["notes"][-1], "the network has variables: operators are compared in step 0 alone, outputs in steps 0 to 2")


if __name__ == "__main__":
    unittest.main()
