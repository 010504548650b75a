#!/usr/bin/python3
"""Writes text with a decoder of `macaw model llama_decoder`, on the TOSA interpreter (.tosa) or on the simulated NPU (.npz of `macaw compile`).

    macaw model llama_decoder --weights stories260K.bin --activations int16 -o decoder.tosa
    macaw compile decoder.tosa -a ethos-u85-256 -o decoder.npz
    python3 generate_text.py decoder.npz tok512.bin --prompt "Once upon a time"

The tokenizer is a tokenizer.bin of llama2.c (tokenizer.py of karpathy/llama2.c, export()): the length of the longest token as int32, then for each
token its score as float32, its length as int32 and its bytes. Token 0 is unknown, 1 begins and 2 ends a text, 3 to 258 are the bytes."""
import argparse
import codecs
import math
import os
import struct
import sys

import numpy

import macaw

BEGIN, END, FIRST_BYTE = 1, 2, 3
MOST_BYTES, LONGEST_TOKEN = 1 << 26, 1 << 12  # of a tokenizer that is read


class TokenizerError(Exception):
    """A file that is not a tokenizer of llama2.c."""


class Tokenizer:
    def __init__(self, path):
        """Raises TokenizerError or OSError."""
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                raise TokenizerError(f"{path}: larger than {MOST_BYTES >> 20} MiB")
            content = file.read(MOST_BYTES)
        if len(content) < 4:
            raise TokenizerError(f"{path}: {len(content)} bytes, expected the length of the longest token in 4 bytes")
        self.longest, = struct.unpack_from("<i", content)
        if not 1 <= self.longest <= LONGEST_TOKEN:
            raise TokenizerError(f"{path}: the longest token has {self.longest} bytes, expected 1 to {LONGEST_TOKEN}")
        self.pieces, self.scores, at = [], [], 4
        while at < len(content):
            number = len(self.pieces)
            if len(content) - at < 8:
                raise TokenizerError(f"{path}: byte {at}: token {number} has no score and length")
            score, length = struct.unpack_from("<fi", content, at)
            at += 8
            if not math.isfinite(score):
                raise TokenizerError(f"{path}: byte {at - 8}: the score of token {number} is {score}")
            if not 0 <= length <= self.longest:
                raise TokenizerError(f"{path}: byte {at - 4}: token {number} has {length} bytes, expected 0 to {self.longest}")
            if length > len(content) - at:
                raise TokenizerError(f"{path}: byte {at}: token {number} has {length} bytes, of which {len(content) - at} are there")
            self.pieces.append(content[at:at + length])
            self.scores.append(score)
            at += length
        for byte in range(256):
            number, expected = FIRST_BYTE + byte, b"<0x%02X>" % byte
            if number >= len(self.pieces) or self.pieces[number] != expected:
                raise TokenizerError(f"{path}: token {number} is not {expected.decode()}")
            self.pieces[number] = bytes([byte])
        # The first of equal pieces; tokens of bytes stand for bytes that no other token has.
        self.numbers = {}
        for number in range(FIRST_BYTE + 256, len(self.pieces)):
            self.numbers.setdefault(self.pieces[number], number)

    def encode(self, text):
        """Tokens of a text after the one that begins it: those of its characters, of which the pair with the best score is joined until
        none is a token."""
        pieces = [" ", *text] if text else []  # a text starts with a space (add_dummy_prefix of SentencePiece)
        tokens = []
        for character in (piece.encode() for piece in pieces):
            number = self.numbers.get(character)
            tokens += [FIRST_BYTE + byte for byte in character] if number is None else [number]

        def joined(first, second):
            """(score, token) of a pair."""
            number = self.numbers.get(self.pieces[first] + self.pieces[second])
            return (-math.inf, None) if number is None else (self.scores[number], number)

        pairs = [joined(*pair) for pair in zip(tokens, tokens[1:])]
        while pairs:
            best = max(range(len(pairs)), key=lambda i: pairs[i][0])
            if pairs[best][1] is None:
                break
            tokens[best:best + 2] = [pairs[best][1]]
            del pairs[best]
            for i in (best - 1, best):
                if 0 <= i < len(pairs):
                    pairs[i] = joined(tokens[i], tokens[i + 1])
        return tokens

    def bytes_after(self, previous, token):
        """The bytes that a token adds to a text."""
        piece = self.pieces[token]
        return piece[1:] if previous == BEGIN and piece.startswith(b" ") else piece


class Decoder:
    """One step of a network, token to logits; its caches are fed back here, or are its variables."""

    def __init__(self, path):
        self.session = macaw.tosa.Session(path) if path.endswith(".tosa") else macaw.sim.Session(path, mode="functional")
        shapes = [shape for _, shape in self.session.inputs]
        if len(shapes) < 2 or any(shape is None or math.prod(shape) != 1 for shape in shapes[:2]):
            raise ValueError(f"{path}: not a step of a decoder: its first inputs must be one token and one position")
        states = [*shapes[2:], *(array.shape for array in self.session.state.values())]
        if not states or any(shape is None or len(shape) != 3 for shape in states):
            raise ValueError(f"{path}: not a step of a decoder: it has no caches of [heads, positions, width]")
        self.context = states[0][1]

    def run(self, steps, choose):
        """Runs steps from position 0 and token BEGIN. `choose`(position, logits) returns the next token, or None to stop."""
        names, outputs = self.session.input_names, self.session.output_names
        following = None

        def stop(position, results):
            nonlocal following
            following = choose(position, results[outputs[0]].reshape(-1))
            return following is None

        def between(position, results):
            return {names[0]: numpy.full(self.session.inputs[0][1], following, numpy.int32)}

        self.session.sequence(steps=steps, initial={names[0]: numpy.full(self.session.inputs[0][1], BEGIN, numpy.int32)}, count={names[1]: 0},
                              feedback=dict(zip(outputs[2:], names[2:])), between=between, stop=stop, keep=[], reshape=True)


def likeliest(logits):
    return int(logits.argmax())


def sampler(scale, temperature, seed):
    """Draws a token by the probabilities that the logits, integers of `scale`, have at a temperature."""
    rng = numpy.random.default_rng(seed)

    def draw(logits):
        weights = numpy.exp((logits.astype(float) - logits.max()) * (scale / temperature))
        return int(rng.choice(weights.size, p=weights / weights.sum()))
    return draw


def generate(decoder, tokenizer, prompt, count, pick):
    """Prints the prompt and up to `count` tokens that `pick` chooses from the logits, until the text ends or the context is full."""
    if len(prompt.encode()) > decoder.context * tokenizer.longest:
        raise ValueError(f"the prompt has {len(prompt.encode())} bytes, more than the {decoder.context} tokens of the decoder's context hold")
    given = tokenizer.encode(prompt)
    if len(given) >= decoder.context:
        raise ValueError(f"the prompt has {len(given)} tokens, of which the decoder takes {decoder.context - 1}")
    text = codecs.getincrementaldecoder("utf-8")(errors="replace")
    previous = BEGIN

    def choose(position, logits):
        nonlocal previous
        if logits.size != len(tokenizer.pieces):
            raise ValueError(f"the tokenizer has {len(tokenizer.pieces)} tokens, the decoder {logits.size}")
        token = given[position] if position < len(given) else pick(logits)
        if position >= len(given) and token in (BEGIN, END):
            return None
        print(text.decode(tokenizer.bytes_after(previous, token)), end="", flush=True)
        previous = token
        return token

    decoder.run(min(len(given) + count, decoder.context), choose)
    print(text.decode(b"", final=True))


def main():
    parser = argparse.ArgumentParser(description="Write text with a decoder of `macaw model llama_decoder`.")
    parser.add_argument("decoder", help=".tosa file, or what was compiled of it (.npz); --form cache or variable")
    parser.add_argument("tokenizer", help="tokenizer.bin of llama2.c")
    parser.add_argument("--prompt", default="", help="start of the text")
    parser.add_argument("--tokens", type=int, default=64, help="number of tokens to write after the prompt, 64 by default; the context limits it")
    parser.add_argument("--temperature", type=float, default=0, help="0 (default): always the likeliest token; above: draw tokens")
    parser.add_argument("--seed", type=int, default=1, help="seed of what is drawn")
    parser.add_argument("--scale", type=float, help="scale of the logits, needed to draw tokens (macaw model --describe prints it)")
    options = parser.parse_args()
    if options.tokens < 1:
        parser.error(f"--tokens {options.tokens}: expected 1 or more")
    if options.temperature != 0 and not 0.01 <= options.temperature <= 100:
        parser.error(f"--temperature {options.temperature}: expected 0, or 0.01 to 100")
    if options.seed < 0:
        parser.error(f"--seed {options.seed}: expected 0 or more")
    if options.temperature > 0 and not 0 < (options.scale or 0) < math.inf:
        parser.error("--temperature requires --scale, the scale of the logits, which is above 0")
    pick = sampler(options.scale, options.temperature, options.seed) if options.temperature > 0 else likeliest
    try:
        generate(Decoder(options.decoder), Tokenizer(options.tokenizer), options.prompt, options.tokens, pick)
    except (macaw.Error, OSError, TokenizerError, ValueError) as error:
        sys.exit(f"generate_text: {error}")


if __name__ == "__main__":
    main()
