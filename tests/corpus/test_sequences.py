#!/usr/bin/python3
"""`macaw compare --sequence` on networks with variables, in tensors and behind handles, beside what Vela made of them; and the
state of sessions on such networks."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

try:
    import macaw
except ImportError:  # a build without the Python modules
    macaw = None

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


@unittest.skipUnless(macaw, "no Python module")
class State(unittest.TestCase):
    """Wake words of ESPHome (microWakeWord): rings of frames in variables that CALL_ONCE sets up."""

    def test_variables_behind_handles_are_saved_and_restored(self):
        networks = sorted((CORPUS / "outside/sequence/streaming").glob("*okay_nabu.tflite"))
        if not networks:
            print(f"{CORPUS}: no wake words")
        for network in networks:
            with self.subTest(network=network.name), tempfile.TemporaryDirectory() as folder:
                session = macaw.tflite.Session(network)
                (name, shape), = session.inputs
                steps = numpy.random.default_rng(3).integers(-128, 128, (8, *shape)).astype(numpy.int8)
                fresh = session.state
                flags = [key for key in fresh if key.endswith("(CALL_ONCE)")]
                self.assertTrue(flags)
                self.assertGreater(len(fresh), len(flags))
                first = [session.run([step]).outputs[0].tobytes() for step in steps]
                self.assertTrue(all(session.state[key].all() for key in flags))
                session.reset()
                again = [session.run([step]).outputs[0].tobytes() for step in steps[:4]]
                session.save(pathlib.Path(folder) / "state.npz")
                saved = session.state
                self.assertEqual(again + [session.run([step]).outputs[0].tobytes() for step in steps[4:]], first)
                other = macaw.tflite.Session(network)
                other.restore(pathlib.Path(folder) / "state.npz")
                self.assertEqual([other.run([step]).outputs[0].tobytes() for step in steps[4:]], first[4:])
                self.assertEqual({key: array.tobytes() for key, array in other.state.items()},
                                 {key: array.tobytes() for key, array in session.state.items()})
                session.state = saved
                self.assertEqual(session.run([steps[4]]).outputs[0].tobytes(), first[4])
                session.state = fresh
                self.assertEqual(session.run([steps[0]]).outputs[0].tobytes(), first[0])


if __name__ == "__main__":
    unittest.main()
