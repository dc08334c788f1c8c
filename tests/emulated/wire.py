"""What each scheme sends, written down again here: the bytes of the collectives that really run.

Sources: PowerSGD as PyTorch's powerSGD_hook (P, Q, and vectors as they are); signs packed into
words of 32; Top-K with 4-byte values and 4-byte indices.
"""

import dataclasses
import math

SIGNS_A_WORD = 32


@dataclasses.dataclass(frozen=True)
class Collective:
    """`words`: 4-byte elements of one rank's buffer."""
    kind: str  # all_reduce, all_gather
    words: int


def collectives(scheme, shapes):
    """The collectives of one exchange of `shapes` under `scheme`: ("powersgd", rank),
    ("signsgd",), ("topk", fraction)."""
    elements = sum(math.prod(shape) for shape in shapes)
    if scheme[0] == "powersgd":
        matrices = [shape for shape in shapes if len(shape) > 1]
        ranks = [min(scheme[1], *shape) for shape in matrices]
        parts = (elements - sum(math.prod(shape) for shape in matrices),
                 sum(shape[0] * rank for shape, rank in zip(matrices, ranks)),
                 sum(shape[1] * rank for shape, rank in zip(matrices, ranks)))
        return [Collective("all_reduce", words) for words in parts if words > 0]
    if scheme[0] == "signsgd":
        return [Collective("all_gather", math.ceil(elements / SIGNS_A_WORD))]
    if scheme[0] == "topk":
        selected = max(1, math.floor(scheme[1] * elements))
        return [Collective("all_gather", selected)] * 2
    raise ValueError(scheme)
