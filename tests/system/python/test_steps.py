#!/usr/bin/python3
"""Networks that are one step of a sequence: a Llama decoder, a diffusion UNet, a keyword spotter; on the interpreter and
the simulator, with their state outside and inside, in one command and by macaw's sessions."""
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import numpy

import macaw

ACCELERATOR = "ethos-u85-256"


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def macaw(self, *words, code=0):
        done = subprocess.run([os.environ["MACAW"], *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def model(self, name, form, size="tiny", *options):
        """The graph of a form and what was compiled of it."""
        self.macaw("model", name, "--size", size, "--form", form, *options, "-o", f"{form}.tosa")
        self.macaw("compile", f"{form}.tosa", "-a", ACCELERATOR, "-o", f"{form}.npz")
        return self.folder / f"{form}.tosa", self.folder / f"{form}.npz"

    def decoder(self, size, tokens, context, *options):
        """Tokens one by one on both engines, with a cache outside and inside, beside the whole context at once."""
        rng = numpy.random.default_rng(3)
        given = rng.integers(0, 32, (tokens, 1, 1)).astype(numpy.int32)
        self.macaw("model", "llama_decoder", "--size", size, "--form", "whole", *options, "-o", "whole.tosa")
        padded = numpy.zeros((1, context), numpy.int32)
        padded[0, :tokens] = given[:, 0, 0]
        whole = macaw.tosa.run(self.folder / "whole.tosa", [padded])["logits"].reshape(context, -1)[:tokens]
        results = []
        for form in ("cache", "variable"):
            graph, network = self.model("llama_decoder", form, size, *options)
            first = macaw.tosa.Session(graph)
            caches = [name for name in first.input_names if name[0] in "kv"]
            run = first.sequence({"token": given}, count={"position": 0}, feedback={f"{name}_out": name for name in caches})
            results.append(run)
            second = macaw.sim.Session(network, mode="functional")
            by_number = {f"output_{2 + i}": f"input_{2 + i}" for i in range(len(caches))}
            results.append(second.sequence({"input_0": given}, count={"input_1": 0}, feedback=by_number))
        for run in results:
            numpy.testing.assert_array_equal(run.outputs[0].reshape(tokens, -1), whole)
            numpy.testing.assert_array_equal(run.outputs[1].reshape(-1), results[0].outputs[1].reshape(-1))
        self.assertGreater(len(numpy.unique(whole, axis=0)), tokens // 2)
        return given

    def test_cached_decode_is_full_recomputation(self):
        given = self.decoder("tiny", 16, 16)
        numpy.save(self.folder / "tokens.npy", given)
        self.macaw("tosa", "variable.tosa", "--sequence", "tokens.npy", "--count", "position=0", "--output-dir", "tosa")
        self.macaw("sim", "variable.npz", "--sequence", "tokens.npy", "--count", "1=0", "--output-dir", "sim")
        for number in (0, 1):
            expected, actual = (numpy.load(self.folder / kind / f"output_{number}.npy") for kind in ("tosa", "sim"))
            numpy.testing.assert_array_equal(actual.reshape(expected.shape), expected)
        report = json.loads((self.folder / "sim" / "report.json").read_text())
        self.assertEqual(report["sequence"]["steps"], 16)
        self.assertGreater(report["sequence"]["steps_per_second"], 0)

    def test_cached_decode_of_int16_is_full_recomputation(self):
        self.decoder("tiny", 16, 16, "--activations", "int16")

    def test_masked_positions_do_not_count_in_int16(self):
        """Whatever the caches hold behind the position, outputs are the same."""
        graph, network = self.model("llama_decoder", "cache", "tiny", "--activations", "int16")
        rng = numpy.random.default_rng(8)
        for session in (macaw.tosa.Session(graph), macaw.sim.Session(network, mode="functional")):
            token, position = numpy.full((1, 1), 7, numpy.int32), numpy.full((1, 1), 5, numpy.int32)
            before = [rng.integers(-32768, 32768, (2, 16, 4)).astype(numpy.int16) for _ in session.inputs[2:]]
            changed = [array.copy() for array in before]
            for array in changed:
                array[:, 6:] = rng.choice([-32768, 32767], (2, 10, 4))
            logits = [session.run([token, position, *arrays])[0] for arrays in (before, changed)]
            numpy.testing.assert_array_equal(*logits)

    def test_a_variable_is_written_in_place(self):
        """A step with its cache inside moves a row of it; outside, it copies all of it."""
        cycles = {}
        for form in ("cache", "variable"):
            _, network = self.model("llama_decoder", form)
            cycles[form] = macaw.sim.run(network, mode="timing").report["cycles"]
        self.assertLess(cycles["variable"], cycles["cache"])

    def test_state_is_saved_and_restored(self):
        graph, network = self.model("kws_streaming", "variable")
        frames = numpy.random.default_rng(5).integers(-100, 100, (12, 1, 1, 1, 8)).astype(numpy.int8)
        for session in (macaw.tosa.Session(graph), macaw.sim.Session(network, mode="functional")):
            whole = session.sequence(frames)
            session.reset()
            session.sequence(frames[:5])
            saved = session.state
            session.save(self.folder / "state.npz")
            rest = session.sequence(frames[5:]).outputs[0]
            numpy.testing.assert_array_equal(rest, whole.outputs[0][5:])
            session.reset()
            self.assertFalse(any(array.any() for array in session.state.values()))
            session.state = saved
            numpy.testing.assert_array_equal(session.run([frames[5]])[0], whole.outputs[0][5:6])
            session.restore(self.folder / "state.npz")
            numpy.testing.assert_array_equal(session.sequence(frames[5:]).outputs[0], rest)
            with self.assertRaises(macaw.Error):
                session.state = {"nothing": numpy.zeros(1, numpy.int8)}

    def test_a_stream_is_the_same_with_its_state_outside_and_inside(self):
        frames = numpy.random.default_rng(6).integers(-100, 100, (30, 1, 1, 1, 8)).astype(numpy.int8)
        graph, network = self.model("kws_streaming", "variable")
        expected = macaw.tosa.Session(graph).sequence(frames).outputs[0]
        self.assertGreater(len(numpy.unique(expected)), 12)
        timed = macaw.sim.Session(network)
        numpy.testing.assert_array_equal(timed.sequence(frames).outputs[0], expected)
        self.assertEqual((len(timed.cycles), len(set(timed.cycles))), (30, 1))
        graph, network = self.model("kws_streaming", "cache")
        states = macaw.tosa.Session(graph).input_names[1:]
        for session, feedback in ((macaw.tosa.Session(graph), {f"{name}_out": name for name in states}),
                                  (macaw.sim.Session(network, mode="functional"),
                                   {f"output_{1 + i}": f"input_{1 + i}" for i in range(len(states))})):
            frame = session.input_names[0]
            outputs = session.sequence({frame: frames}, feedback=feedback).outputs[0]
            numpy.testing.assert_array_equal(outputs.reshape(expected.shape), expected)

    def test_four_diffusion_steps_by_both_ways(self):
        noise_graph, noise_network = self.model("unet_step", "noise")
        _, network = self.model("unet_step", "scheduled")
        start = numpy.random.default_rng(1).integers(-60, 60, (1, 4, 4, 4)).astype(numpy.int8)
        numpy.save(self.folder / "start.npy", start)
        results = []
        for session, sample, step, noise in ((macaw.tosa.Session(noise_graph), "sample", "step", "noise"),
                                             (macaw.sim.Session(noise_network), "input_0", "input_1", "output_0")):
            latent = start.astype(numpy.float64)

            def scheduler(index, outputs):
                nonlocal latent
                latent = 1.1 * latent - 0.2 * outputs[noise]
                return {sample: numpy.clip(numpy.round(latent), -128, 127).astype(numpy.int8)}

            run = session.sequence(steps=4, initial={sample: start}, count={step: 0}, between=scheduler)
            results.append((run[noise], latent))
        numpy.testing.assert_array_equal(results[0][0], results[1][0])
        numpy.testing.assert_array_equal(results[0][1], results[1][1])
        self.assertEqual(results[0][0].shape[0], 4)
        call = ("--sequence", 4, "--output-dir")
        self.macaw("tosa", "scheduled.tosa", "--feedback", "sample_out=sample", "--initial", "sample=start.npy", "--count",
                   "step=0", *call, "tosa")
        self.macaw("sim", "scheduled.npz", "--feedback", "1=0", "--initial", "0=start.npy", "--count", "1=0", *call, "sim")
        for number in (0, 1):
            expected, actual = (numpy.load(self.folder / kind / f"output_{number}.npy") for kind in ("tosa", "sim"))
            numpy.testing.assert_array_equal(actual, expected)
        self.assertGreater(len(numpy.unique(expected, axis=0)), 3)

    def test_random_indices_are_rows(self):
        """Every command that draws inputs runs on a network that picks rows."""
        self.model("llama_decoder", "cache")
        self.macaw("sim", "cache.npz", "--random-inputs", 3, "--mode", "functional")
        self.macaw("sim", "cache.npz", "--random-inputs", 3, "--advise")
        self.macaw("compare", "cache.tosa", "cache.npz", "--inputs", 2)
        self.macaw("prove", "cache.tosa", "cache.npz", "--inputs", 2)
        text = self.macaw("sim", "cache.npz", "--random-inputs", 3, "--range", "0=40:50", "--mode", "functional", code=5)
        self.assertIn("outside 0..31", text)
        text = self.macaw("compare", "cache.tosa", "cache.npz", "--range", "token=1", code=2)
        self.assertIn("--range token=1: expected IN=LEAST:MOST", text)
        (self.folder / "golden.toml").write_text('[[network]]\nname = "decoder"\nartifact = "cache.npz"\nseed = 3\n')
        self.macaw("golden", "record", ".", "--reason", "test")
        self.macaw("golden", "check", ".")
        (self.folder / "study.toml").write_text('[[network]]\nartifact = "cache.npz"\n')
        self.macaw("sweep", "run", "study.toml", "-o", "study")

    def test_compare_names_the_step_that_differs(self):
        self.model("llama_decoder", "variable")
        numpy.save(self.folder / "tokens.npy", numpy.arange(6, dtype=numpy.int32).reshape(6, 1, 1))
        call = ("compare", "variable.tosa", "other.npz", "--sequence", "tokens.npy", "--count", "position=0")
        (self.folder / "other.npz").write_bytes((self.folder / "variable.npz").read_bytes())
        self.assertIn("step 5", self.macaw(*call))
        # Weights of another seed, from a table of which step 0 reads another row.
        self.macaw("model", "llama_decoder", "--size", "tiny", "--form", "variable", "--seed", 2, "-o", "two.tosa")
        self.macaw("compile", "two.tosa", "-a", ACCELERATOR, "-o", "other.npz", "--force")
        done = subprocess.run([os.environ["MACAW"], *call], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("step 0", done.stdout)

    def test_goldens_of_a_sequence_name_the_step(self):
        self.model("kws_streaming", "variable")
        numpy.save(self.folder / "frames.npy", numpy.random.default_rng(2).integers(-90, 90, (3, 1, 1, 1, 8)).astype(numpy.int8))
        (self.folder / "golden.toml").write_text(
            '[[network]]\nname = "kws"\nartifact = "variable.npz"\ninputs = ["frames.npy"]\nsteps = 3\n')
        self.macaw("golden", "record", ".", "--reason", "test")
        self.macaw("golden", "check", ".")
        frames = numpy.load(self.folder / "frames.npy")
        frames[1] += 1
        numpy.save(self.folder / "frames.npy", frames)
        done = subprocess.run([os.environ["MACAW"], "golden", "check", "."], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("step 0001", done.stdout)

    def test_a_session_is_of_one_thread_at_a_time(self):
        graph, network = self.model("kws_streaming", "variable")
        frames = numpy.zeros((3, 1, 1, 1, 8), numpy.int8)
        for session in (macaw.tosa.Session(graph), macaw.sim.Session(network, mode="functional")):
            refused = []

            def attempt(call):
                try:
                    call()
                except macaw.Error as error:
                    refused.append(error)

            def meanwhile(step, outputs):
                for call in (lambda: session.run([frames[0]]), session.reset, lambda: session.sequence(frames),
                             lambda: session.state, lambda: setattr(session, "state", {})):
                    other = threading.Thread(target=attempt, args=[call])
                    other.start()
                    other.join()
                session.state  # its own thread may use it

            self.assertEqual(session.sequence(frames, between=meanwhile).steps, 3)
            self.assertEqual([error.code for error in refused], ["usage"] * 10)
            self.assertIn("the session is in use by another thread", str(refused[0]))
            other = threading.Thread(target=attempt, args=[lambda: session.run([frames[0]])])
            other.start()
            other.join()
            self.assertEqual(len(refused), 10)

    def test_runs_of_two_threads_end_in_a_result_or_an_error(self):
        graph, _ = self.model("kws_streaming", "variable")
        session, frame = macaw.tosa.Session(graph), numpy.zeros((1, 1, 1, 8), numpy.int8)
        done = []

        def repeat():
            for _ in range(50):
                try:
                    session.run([frame])
                    done.append("ran")
                except macaw.Error as error:
                    done.append(error.code)

        threads = [threading.Thread(target=repeat) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(done), 200)
        self.assertLessEqual(set(done), {"ran", "usage"})
        self.assertIn("ran", done)

    def test_an_exception_of_a_function_ends_a_sequence(self):
        graph, _ = self.model("kws_streaming", "variable")
        frames = numpy.zeros((4, 1, 1, 1, 8), numpy.int8)
        session = macaw.tosa.Session(graph)
        with self.assertRaises(ZeroDivisionError):
            session.sequence(frames, stop=lambda step, outputs: 1 / 0)
        self.assertEqual(session.sequence(frames, stop=lambda step, outputs: step == 1).steps, 2)
        with self.assertRaises(ValueError):
            session.sequence()
        with self.assertRaisesRegex(macaw.Error, 'input "other" does not exist or has another source'):
            session.sequence({"frame": frames, "other": frames})
        with self.assertRaises(TypeError):
            session.sequence(steps=2, count={"frame": 1.5})

    def test_a_run_of_time_alone_has_no_score(self):
        _, network = self.model("kws_streaming", "variable")
        session = macaw.sim.Session(network, mode="timing")
        with self.assertRaisesRegex(macaw.Error, "time alone has no outputs"):
            session.sequence(steps=2, score=(session.output_names[0], numpy.zeros(2, numpy.int32)),
                             scale={session.output_names[0]: 0.5})

    def test_a_wrong_value_of_a_variable_is_named(self):
        graph, network = self.model("kws_streaming", "variable")
        for session in (macaw.tosa.Session(graph), macaw.sim.Session(network, mode="functional")):
            name = next(iter(session.state))
            with self.assertRaisesRegex(macaw.Error, f"variable '{name}' is INT8 .*, not INT16"):
                session.state = {name: session.state[name].astype(numpy.int16)}
            session.save(self.folder / "state")
            session.restore(self.folder / "state.npz")


if __name__ == "__main__":
    unittest.main()
