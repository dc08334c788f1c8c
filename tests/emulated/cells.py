"""Which cells are measured. Encode and decode times are free, so they are chosen to put the cells
where a verdict is hard: a plain formula says which speed-up they would give, and one is asked for.
"""

import dataclasses
import math
from typing import Optional

import models
import wire

PAYLOAD = 0.95  # of a link's rate; only to choose encode and decode times
DECODE_SHARE = 0.3
SHORTEST_S = 0.002
MIB = 2**20


@dataclasses.dataclass(frozen=True)
class SecondJob:
    payload_bytes: int
    compute_s: float


@dataclasses.dataclass(frozen=True)
class Setup:
    """What a pair of cells shares. `mbit`: Mbit/s of each link in each direction."""
    model: str
    ranks: int
    mbit: int
    bucket_mib: int
    slowness: float = 1.0
    second_job: Optional[SecondJob] = None

    def name(self):
        slow = f" slow x{self.slowness:g}" if self.slowness != 1.0 else ""
        second = " second job" if self.second_job else ""
        return f"{self.model} p{self.ranks} {self.mbit} Mbps cap {self.bucket_mib}{slow}{second}"

    def layers(self):
        return models.DEVICE_LIKE[self.model]


@dataclasses.dataclass(frozen=True)
class Variant:
    """One compression, and the speed-up over none that its encode and decode times are to give."""
    scheme: tuple
    wanted: float
    overlapped: bool = False


@dataclasses.dataclass(frozen=True)
class Cell:
    setup: Setup
    compression: Optional[dict]  # as hook.Compression; None for none
    first: bool = False  # the first iteration, uncompressed

    def name(self):
        if self.compression is None:
            return self.setup.name() + (" first iteration" if self.first else "")
        mode = "overlapped" if self.compression["overlapped"] else "serial"
        scheme = "-".join(str(part) for part in self.compression["scheme"])
        both = (self.compression["encode_s"] + self.compression["decode_s"]) * 1e3
        return f"{self.setup.name()} {scheme} {mode} {both:.1f} ms"


def _rate(setup):
    return setup.mbit * 1e6 / 8 * PAYLOAD


def _buckets(setup):
    """(shapes, ready) of DDP's rebuilt buckets."""
    cap, shapes, ready, found = MIB, [], 0.0, []
    for shape, gap in models.ready_order(setup.layers()):
        ready += gap * setup.slowness
        shapes.append(shape)
        if 4 * _elements(shapes) >= cap:
            found.append((shapes, ready))
            cap, shapes = setup.bucket_mib * MIB, []
    return found + ([(shapes, ready)] if shapes else [])


def _elements(shapes):
    return sum(math.prod(shape) for shape in shapes)


def _sending_s(setup, collectives):
    n = setup.ranks
    factors = {"all_reduce": 2 * (n - 1) / n, "all_gather": n - 1}
    return sum(factors[one.kind] * 4 * one.words / _rate(setup) for one in collectives)


def uncompressed_s(setup):
    """Backward plus synchronisation: buckets in order, each behind the one before it."""
    end = 0.0
    for shapes, ready in _buckets(setup):
        whole = [wire.Collective("all_reduce", _elements(shapes))]
        end = max(end, ready) + _sending_s(setup, whole)
    return end


def compressed_s(setup, variant, both):
    """The same with `both` seconds of encoding and decoding all gradients."""
    buckets = _buckets(setup)
    if not variant.overlapped:
        buckets = [([shape for shapes, _ in buckets for shape in shapes], buckets[-1][1])]
    all_elements = sum(_elements(shapes) for shapes, _ in buckets)
    both *= setup.slowness
    encoded = sent = decoded = 0.0
    for shapes, ready in buckets:
        share = _elements(shapes) / all_elements * both
        encoded += share * (1 - DECODE_SHARE)
        sent = max(sent, ready + encoded)
        sent += _sending_s(setup, wire.collectives(variant.scheme, shapes))
        decoded = max(decoded, sent) + share * DECODE_SHARE
    return decoded


def cell_of(setup, variant):
    """Its encode and decode times, to a tenth of a millisecond, give about the wanted speed-up; at
    least SHORTEST_S where nothing would."""
    wanted = uncompressed_s(setup) / variant.wanted
    low, high = SHORTEST_S, 100.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        low, high = (middle, high) if compressed_s(setup, variant, middle) < wanted \
            else (low, middle)
    decode = round(low * DECODE_SHARE, 4)
    return Cell(setup, {"scheme": list(variant.scheme), "encode_s": round(low - decode, 4),
                        "decode_s": decode, "overlapped": variant.overlapped})


_NEAR = (Variant(("powersgd", 4), 1.06), Variant(("powersgd", 8), 0.94, True),
         Variant(("signsgd",), 1.08), Variant(("topk", 0.01), 0.92))
_FAR = (Variant(("powersgd", 4), 1.4), Variant(("powersgd", 16), 1.15),
        Variant(("signsgd",), 0.75), Variant(("topk", 0.02), 0.85, True))
_MIXED = (Variant(("powersgd", 4), 1.8), Variant(("signsgd",), 1.2, True),
          Variant(("topk", 0.01), 1.3), Variant(("topk", 0.1), 0.9), Variant(("powersgd", 8), 0.8))

FULL = (
    (Setup("even", 2, 300, 25), _NEAR), (Setup("even", 4, 300, 25), _FAR),
    (Setup("even", 8, 300, 25), _MIXED), (Setup("even", 4, 500, 10), _NEAR),
    (Setup("even", 8, 500, 5), _FAR), (Setup("even", 2, 200, 40), _MIXED),
    (Setup("even", 3, 500, 25), _MIXED), (Setup("even", 4, 1000, 25), _NEAR),
    (Setup("late", 2, 200, 10), _FAR), (Setup("late", 4, 200, 25), _MIXED),
    (Setup("late", 8, 200, 25), _NEAR), (Setup("late", 4, 300, 5), _NEAR),
    (Setup("late", 8, 300, 40), _FAR), (Setup("late", 4, 100, 10), _MIXED),
    (Setup("late", 6, 500, 10), _NEAR), (Setup("late", 2, 1000, 25), _FAR),
    (Setup("early", 2, 300, 25), _MIXED), (Setup("early", 4, 300, 10), _NEAR),
    (Setup("early", 8, 300, 10), _FAR), (Setup("early", 4, 500, 25), _MIXED),
    (Setup("early", 8, 500, 25), _NEAR), (Setup("early", 4, 200, 40), _FAR),
    (Setup("early", 3, 1000, 5), _MIXED),
    (Setup("even", 4, 300, 25, slowness=1.5), _NEAR),
    (Setup("late", 8, 200, 10, slowness=1.3), _MIXED),
)

_SHARED = (
    (Setup("even", 4, 500, 25, second_job=SecondJob(4 * MIB, 0.1)), _NEAR[:2]),
    (Setup("late", 4, 300, 25, second_job=SecondJob(2 * MIB, 0.05)), _NEAR[:2]),
)

_SHORT = ((Setup("late", 3, 300, 10), (_NEAR[0], _NEAR[2], _MIXED[1])),)

_FIRST = (Setup("even", 2, 300, 25), Setup("even", 4, 500, 10), Setup("late", 2, 200, 10),
          Setup("late", 4, 300, 5), Setup("early", 4, 300, 10), Setup("early", 3, 1000, 5))

REAL = tuple(Setup(model, 2, mbit, 25) for model in models.REAL for mbit in (200, 1000))


def _listed(table):
    cells = []
    for setup, variants in table:
        cells.append(Cell(setup, None))
        cells += [cell_of(setup, variant) for variant in variants]
    return cells


def full():
    return (_listed(FULL) + _listed(_SHARED) + [Cell(setup, None) for setup in REAL]
            + [Cell(setup, None, True) for setup in _FIRST])


def short():
    return _listed(_SHORT)
