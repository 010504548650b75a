#!/usr/bin/python3
"""`macaw model llama_decoder --weights`: a checkpoint of llama2.c in int8 and int16 beside the same decoder in floats, on the interpreter
and the simulator."""
import itertools
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import numpy

import macaw

WIDTH, INSIDE, LAYERS, HEADS, KV_HEADS, VOCABULARY, CONTEXT = HEADER = (48, 64, 2, 6, 3, 90, 40)
HEAD = WIDTH // HEADS


def drawn(rng):
    """Weights in the order of the file."""
    kv = KV_HEADS * HEAD

    def matrix(rows, columns):
        return rng.normal(0, columns ** -0.5, (LAYERS, rows, columns)).astype(numpy.float32)

    def norm(*shape):
        return rng.uniform(0.8, 1.3, shape).astype(numpy.float32)

    return {"embedding": rng.normal(0, 1, (VOCABULARY, WIDTH)).astype(numpy.float32), "attention": norm(LAYERS, WIDTH),
            "q": matrix(WIDTH, WIDTH), "k": matrix(kv, WIDTH), "v": matrix(kv, WIDTH), "o": matrix(WIDTH, WIDTH),
            "feed": norm(LAYERS, WIDTH), "gate": matrix(INSIDE, WIDTH), "down": matrix(WIDTH, INSIDE), "up": matrix(INSIDE, WIDTH),
            "last": norm(WIDTH), "angles": numpy.zeros((CONTEXT, HEAD), numpy.float32)}


def logits(w, tokens):
    """The decoder in floats, neighbours of a head rotated against each other (run.c of karpathy/llama2.c)."""
    keys, values, out = [[] for _ in range(LAYERS)], [[] for _ in range(LAYERS)], []

    def norm(x, weight):
        return x / numpy.sqrt((x * x).mean() + 1e-5) * weight

    for position, token in enumerate(tokens):
        angle = position * 10000.0 ** (-numpy.arange(0, HEAD, 2) / HEAD)

        def rotated(x):
            even, odd = x.reshape(-1, HEAD)[:, ::2], x.reshape(-1, HEAD)[:, 1::2]
            turned = numpy.empty((x.size // HEAD, HEAD))
            turned[:, ::2] = even * numpy.cos(angle) - odd * numpy.sin(angle)
            turned[:, 1::2] = even * numpy.sin(angle) + odd * numpy.cos(angle)
            return turned

        x = w["embedding"][token].astype(float)
        for n in range(LAYERS):
            z = norm(x, w["attention"][n])
            query = rotated(w["q"][n] @ z)
            keys[n].append(rotated(w["k"][n] @ z))
            values[n].append((w["v"][n] @ z).reshape(KV_HEADS, HEAD))
            mixed = []
            for head in range(HEADS):
                shared = head // (HEADS // KV_HEADS)
                e = numpy.exp(numpy.array([key[shared] @ query[head] for key in keys[n]]) / HEAD ** 0.5)
                mixed.append(e / e.sum() @ numpy.array([value[shared] for value in values[n]]))
            x = x + w["o"][n] @ numpy.concatenate(mixed)
            z = norm(x, w["feed"][n])
            gate = w["gate"][n] @ z
            x = x + w["down"][n] @ (gate / (1 + numpy.exp(-gate)) * (w["up"][n] @ z))
        out.append(w.get("classifier", w["embedding"]) @ norm(x, w["last"]))
    return numpy.array(out)

NAMES = {"q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.o_proj", "gate": "mlp.gate_proj",
         "down": "mlp.down_proj", "up": "mlp.up_proj", "attention": "input_layernorm", "feed": "post_attention_layernorm"}
CONFIG = {"hidden_size": WIDTH, "intermediate_size": INSIDE, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
          "num_key_value_heads": KV_HEADS, "vocab_size": VOCABULARY, "max_position_embeddings": CONTEXT, "rms_norm_eps": 1e-5,
          "hidden_act": "silu", "rope_scaling": None, "tie_word_embeddings": True}


def halves(matrix):
    """Query or key rows in the order of Hugging Face, which pairs the halves of a head (permute() of convert_llama_weights_to_hf.py)."""
    return matrix.reshape(-1, HEAD // 2, 2, WIDTH).swapaxes(1, 2).reshape(-1, WIDTH)


def tensors_of(weights):
    """The tensors of a checkpoint under the names of Hugging Face's LlamaForCausalLM."""
    tensors = {"model.embed_tokens.weight": weights["embedding"], "model.norm.weight": weights["last"]}
    for key, name in NAMES.items():
        for layer in range(LAYERS):
            value = weights[key][layer]
            tensors[f"model.layers.{layer}.{name}.weight"] = halves(value) if key in "qk" else value
    return tensors


def safetensors(tensors, dtype="F32", **changed):
    """A file of the format; `changed` replaces entries of its header."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, value in tensors.items():
        raw = {"F32": lambda: value.tobytes(), "F16": lambda: value.astype(numpy.float16).tobytes(),
               "BF16": lambda: (value.view(numpy.uint32) >> 16).astype(numpy.uint16).tobytes()}[dtype]()
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    for name, entry in changed.items():
        header[name] = {**header[name], **entry}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Checkpoint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def macaw(self, *words, code=0):
        done = subprocess.run([os.environ["MACAW"], *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def write(self, weights, header=HEADER):
        file = self.folder / "weights.bin"
        file.write_bytes(struct.pack("<7i", *header) + b"".join(a.tobytes() for a in weights.values()))
        return file

    def scores(self, weights, tokens, activations):
        """Logits of the floats and of the decoder, which are the same on both engines."""
        self.macaw("model", "llama_decoder", "--weights", "weights.bin", "--activations", activations, "-o", "net.tosa", "--force")
        self.macaw("compile", "net.tosa", "-a", "ethos-u85-256", "-o", "net.npz", "--force")
        given = tokens.astype(numpy.int32).reshape(-1, 1, 1)
        session = macaw.tosa.Session(self.folder / "net.tosa")
        caches = [name for name in session.input_names if name[0] in "kv"]
        got = session.sequence({"token": given}, count={"position": 0},
                               feedback={f"{name}_out": name for name in caches}).outputs[0].reshape(CONTEXT, -1).astype(float)
        simulated = macaw.sim.Session(self.folder / "net.npz", mode="functional").sequence(
            {"input_0": given}, count={"input_1": 0}, feedback={f"output_{2 + i}": f"input_{2 + i}" for i in range(len(caches))})
        numpy.testing.assert_array_equal(simulated.outputs[0].reshape(CONTEXT, -1).astype(float), got)
        return logits(weights, tokens), got

    def test_the_decoder_follows_the_floats(self):
        rng = numpy.random.default_rng(5)
        for own_classifier in (False, True):
            weights, header = drawn(rng), list(HEADER)
            if own_classifier:
                weights["classifier"] = rng.normal(0, 1, (VOCABULARY, WIDTH)).astype(numpy.float32)
                header[5] = -VOCABULARY
            self.write(weights, header)
            tokens = rng.integers(0, VOCABULARY, CONTEXT)
            # With the embedding as classifier it writes one token; int16 loses what the weights lose.
            for activations, most in (("int8", 0.05 if own_classifier else 0.2), ("int16", 0.002)):
                with self.subTest(own_classifier=own_classifier, activations=activations):
                    wanted, got = self.scores(weights, tokens, activations)
                    step = (wanted * got).sum() / (got * got).sum()
                    self.assertLess(((wanted - step * got) ** 2).sum() / (wanted ** 2).sum(), most)

    def test_scales_of_outputs_are_printed(self):
        weights = drawn(numpy.random.default_rng(4))
        self.write(weights)
        tokens = numpy.random.default_rng(4).integers(0, VOCABULARY, CONTEXT)
        wanted, got = self.scores(weights, tokens, "int16")
        facts = json.loads(subprocess.run([os.environ["MACAW"], "model", "llama_decoder", "--weights", "weights.bin", "--activations", "int16",
                                           "--describe"], capture_output=True, text=True, cwd=self.folder, check=True).stdout)
        self.assertEqual(sorted(facts["scales"]), ["k0_out", "k1_out", "logits", "v0_out", "v1_out"])
        step = (wanted * got).sum() / (got * got).sum()
        self.assertAlmostEqual(facts["scales"]["logits"] / step, 1, delta=0.01)

    def test_weights_of_zeros_and_terms_that_cancel(self):
        """Ranges of nothing still give scales that the operators can be written with."""
        weights = drawn(numpy.random.default_rng(2))
        cases = ((("q", "k", "v"), 0), (tuple(weights), 0), (("o",), 9999), (("embedding", "down"), 1e-9))
        for (names, value), activations in itertools.product(cases, ("int8", "int16")):
            with self.subTest(names=names, activations=activations):
                self.write({name: numpy.full_like(a, value) if name in names else a for name, a in weights.items()})
                done = subprocess.run([os.environ["MACAW"], "model", "llama_decoder", "--weights", "weights.bin", "--activations", activations,
                                       "-o", "net.tosa", "--force"], capture_output=True, text=True, cwd=self.folder)
                self.assertIn(done.returncode, (0, 3), done.stderr)
                if done.returncode == 0:  # the interpreter checks every multiplier and shift
                    session = macaw.tosa.Session(self.folder / "net.tosa")
                    session.sequence({"token": numpy.ones((1, 1, 1), numpy.int32)}, count={"position": 0},
                                     feedback={f"{name}_out": name for name in session.input_names if name[0] in "kv"})

    def test_safetensors_are_the_same_weights(self):
        for dtype, rounded in (("F32", lambda w: w), ("F16", lambda w: w.astype(numpy.float16).astype(numpy.float32)),
                               ("BF16", lambda w: (w.view(numpy.uint32) & 0xffff0000).view(numpy.float32))):
            with self.subTest(dtype=dtype):
                weights = {name: rounded(value) for name, value in drawn(numpy.random.default_rng(3)).items()}
                weights["embedding"][0, :2] = 3e-6, -3e-6  # a subnormal number of F16
                weights["embedding"] = rounded(weights["embedding"])
                self.write(weights)
                self.macaw("model", "llama_decoder", "--weights", "weights.bin", "-o", "bin.tosa", "--force")
                (self.folder / "model.safetensors").write_bytes(safetensors(tensors_of(weights), dtype))
                (self.folder / "config.json").write_text(json.dumps(CONFIG))
                self.macaw("model", "llama_decoder", "--weights", "model.safetensors", "-o", "st.tosa", "--force")
                self.assertEqual((self.folder / "st.tosa").read_bytes(), (self.folder / "bin.tosa").read_bytes())

    def test_safetensors_that_are_not_a_llama_decoder(self):
        tensors = tensors_of(drawn(numpy.random.default_rng(1)))
        whole = safetensors(tensors)
        norm = {"model.norm.weight": {}}

        def changed(**entry):
            return safetensors(tensors, **{name: entry for name in norm})

        for content, config, message in (
                (b"", {}, "0 bytes"), (whole[:9], {}, "in a file of 9"), (struct.pack("<Q", 2 ** 63) + whole[8:], {}, "a header of 9223372036854775808 bytes"),
                (whole[:8] + b"[" + whole[9:], {}, "its header is not a JSON object"), (whole[:-4], {}, "the data offsets of"),
                (changed(shape=[WIDTH + 1]), {}, "the shape of 'model.norm.weight' is [49], expected [48]"),
                (changed(dtype="I8"), {}, "has type \"I8\"; supported: F32, F16, BF16"),
                (changed(data_offsets=[-4, 188]), {}, "the data offsets of 'model.norm.weight' are [-4,188]"),
                (changed(data_offsets=[2 ** 63, 2 ** 63 + 192]), {}, "the data offsets of 'model.norm.weight'"),
                (safetensors({k: v for k, v in tensors.items() if "norm" not in k}), {}, "it has no tensor 'model.layers.0.input_layernorm.weight'"),
                (whole, {"hidden_size": None}, "does not state the integer \"hidden_size\""), (whole, {"vocab_size": 131072}, "fewer than its sizes need"),
                (whole, {"num_hidden_layers": 2 ** 62}, "n_layers is"), (whole, {"rope_theta": -1}, "is -1, not a positive number"),
                (whole, {"rope_scaling": {"type": "linear"}}, "\"rope_scaling\" of config.json is"), (whole, {"hidden_act": "gelu"}, "is \"gelu\"")):
            with self.subTest(message=message):
                (self.folder / "wrong.safetensors").write_bytes(content)
                (self.folder / "config.json").write_text(json.dumps({**CONFIG, **config}))
                said = self.macaw("model", "llama_decoder", "--weights", "wrong.safetensors", "-o", "net.tosa", code=3)
                self.assertIn("wrong.safetensors: ", said)
                self.assertIn(message, said)
                self.assertFalse((self.folder / "net.tosa").exists())
        (self.folder / "config.json").unlink()
        self.assertIn("config.json", self.macaw("model", "llama_decoder", "--weights", "wrong.safetensors", "-o", "net.tosa", code=3))

    def test_files_that_are_not_checkpoints(self):
        weights = drawn(numpy.random.default_rng(1))
        whole = self.write(weights).read_bytes()
        file = self.folder / "wrong.bin"

        def header(**changes):
            names = ("dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len")
            return struct.pack("<7i", *(changes.get(name, value) for name, value in zip(names, HEADER, strict=True))) + whole[28:]

        for content, message in (
                (b"", "0 bytes, the header has 28"), (whole[:-4], f"{len(whole) - 4} bytes, sizes in its header call for {len(whole)}"),
                (whole + b"\0", f"call for {len(whole)}"), (header(dim=0), "dim is 0"), (header(n_layers=-3), "n_layers is -3"),
                (header(vocab_size=0), "vocab_size is 0"), (header(n_heads=5), "5 heads of 48 columns"),
                (header(n_kv_heads=4), "with 4 key heads"), (header(n_layers=256, hidden_dim=131072), "sizes in its header call for at least"),
                (whole[:28] + struct.pack("<f", float("nan")) + whole[32:], "weight 0 is nan"),
                (whole[:28] + struct.pack("<f", 1e4) + whole[32:], "weight 0 is 10000, expected a magnitude below 10000")):
            with self.subTest(message=message):
                file.write_bytes(content)
                said = self.macaw("model", "llama_decoder", "--weights", "wrong.bin", "-o", "net.tosa", code=3)
                self.assertIn("wrong.bin: not a checkpoint of a Llama decoder: ", said)
                self.assertIn(message, said)
                self.assertFalse((self.folder / "net.tosa").exists())
        file.write_bytes(struct.pack("<7i", *HEADER) + numpy.full((len(whole) - 28) // 4, 9999, numpy.float32).tobytes())
        said = self.macaw("model", "llama_decoder", "--weights", "wrong.bin", "-o", "net.tosa", code=3)
        self.assertIn("wrong.bin: an activation of the decoder in floats is not below 10000", said)
        self.assertIn("cannot be used together",
                      self.macaw("model", "llama_decoder", "--weights", "weights.bin", "--size", "15m", "-o", "net.tosa", code=2))
        self.assertIn("--activations int4: expected one of int8, int16",
                      self.macaw("model", "llama_decoder", "--activations", "int4", "-o", "net.tosa", code=2))
        self.assertIn("--activations int16: the network does not have this option",
                      self.macaw("model", "gru", "--activations", "int16", "-o", "net.tosa", code=2))
        self.assertIn("gru takes no weights", self.macaw("model", "gru", "--weights", "weights.bin", "-o", "net.tosa", code=2))


if __name__ == "__main__":
    unittest.main()
