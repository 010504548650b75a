"""The interpreter beside the simulator: macaw.compare."""
import json
from dataclasses import dataclass

from . import _functions
from .arguments import artifact_argument, graph_bytes, inputs_argument, text, whole
from .shown import html_table


@dataclass
class Comparison:
    """str() of it is what `macaw compare` prints."""
    equal: bool          # every tensor and constant that was recognised, bit for bit
    outputs: list        # dictionaries: name, elements, different, and first (index, tosa, sim) where one differs
    first_wrong: dict    # the first operator whose result differs although what it reads is right; None: there is none or
                         # it cannot be told. operator, kind, tensor, recognised_by, first, commands, ...
    recognised: list     # dictionaries of tensors that were found in what the commands wrote
    not_found: list      # names of the others
    constants: dict      # weights, biases, scales and tables beside the graph's: how many were compared, and differences
    coverage: dict       # tensors that were compared, with the range of their values, and why others were not
    text: str

    def __bool__(self):
        return self.equal

    def __str__(self):
        return self.text

    def _repr_html_(self):
        """Notebook representation: the verdict, the outputs and the first operator that is wrong, as tables."""
        wrong = self.first_wrong
        facts = [("verdict", "no difference found" if self.equal else "different"),
                 ("first mismatch", f"operator {wrong['operator']} ({wrong['kind']}), tensor {wrong['tensor']}" if wrong else "none"),
                 ("tensors recognised", len(self.recognised))]
        return html_table(facts) + html_table([(o["name"], f"{o['elements']:,}", f"{o['different']:,}") for o in self.outputs],
                                              ("output", "elements", "different"))


def compare(graph, artifact, inputs=None, *, accelerator="", seed=1, matches=False, method="", reshape=False,
            reinterpret=False):
    """Runs a TOSA graph and the network compiled from it on the same inputs, lays every tensor
    and constant side by side, and names the first operator that is wrong.

    graph        the bytes of a .tosa file, or its path
    artifact     the compiled network's path, or its bytes
    inputs       a list of arrays in the graph's order, or a dictionary by name; None: random ones
    accelerator  "ethos-u55-128", ...; needed only where the artifact does not say it
    seed         of random inputs
    method       of an ExecuTorch program; default: its first
    reshape      accept inputs of a different shape with the same number of elements
    reinterpret  accept inputs of a different type with the same number of bytes, as they are
    matches      list in the text how each tensor was recognised

    Raises macaw.Error."""
    result = _functions.run_compare(graph=graph_bytes(graph), artifact=artifact_argument(artifact),
                                    method=text(method, "method"), inputs=None if inputs is None else inputs_argument(inputs),
                                    accelerator=text(accelerator, "accelerator"), seed=whole(seed, "seed", 0, 2**32 - 1),
                                    matches=bool(matches), reshape=bool(reshape), reinterpret=bool(reinterpret))
    report = json.loads(result["report"])
    run = report["runs"][0]
    return Comparison(equal=report["equal"], outputs=run["outputs"], first_wrong=run.get("first_wrong"),
                      recognised=run["recognised"], not_found=run["not_found"], constants=report["constants"],
                      coverage=report["coverage"], text=result["text"].rstrip("\n"))
