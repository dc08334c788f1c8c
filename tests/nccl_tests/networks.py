"""Message lines from outputs of nccl-tests: what a message of a ring takes by its size, and what a
hop of NCCL's double tree takes and its bandwidth. All are least squares of relative residuals."""

import dataclasses

from outputs import MIB, messages_in_turn

# Rows this much faster than the ring's line can be no rings.
NO_RING = 0.95
# Faster than any link: what a closed form has left is what does not go over NICs.
UNBOUNDED = "100000000Gbps"
KNOWN = "8Gbps"
KNOWN_BYTES_PER_S = 1e9


@dataclasses.dataclass
class Line:
    algorithm: str
    first_message: int
    latency_s: float
    bytes_per_s: float  # None: not determined

    def message_time(self, size):
        return self.latency_s + (size / self.bytes_per_s if self.bytes_per_s else 0.0)


def ring_lines(fit, least_size):
    """Of the pieces with a size of `least_size` or more, as a ring's messages."""
    ranks = fit["ranks"]
    turns = messages_in_turn(fit["collective"], ranks)
    lines = []
    for piece in fit["pieces"]:
        if piece["last_bytes"] < least_size:
            continue
        slope = piece["seconds_per_byte"]
        lines.append(Line("ring", piece["first_bytes"] // ranks, piece["latency_s"] / turns,
                          turns / ranks / slope if slope else None))
    return lines


def ring_time(lines, collective, size, ranks):
    """Seconds of a ring by `lines`, all links alike."""
    message = size / ranks
    line = [line for line in lines[1:] if line.first_message <= message][-1:] or lines[:1]
    return messages_in_turn(collective, ranks) * line[0].message_time(message)


def first_without_ring(points, lines, ranks, least_size):
    """Sizes of an all-reduce from `least_size` on, up to the last before one that a ring can be."""
    sizes = []
    for size in sorted(points):
        if size < least_size:
            continue
        if points[size] > NO_RING * ring_time(lines, "all_reduce", size, ranks):
            break
        sizes.append(size)
    return sizes


class TreeForm:
    """Of a double tree of the program: seconds that do not go over NICs, and bytes that do."""

    def __init__(self, outputs, gpus_per_node, intra_bandwidth):
        self.outputs, self.gpus, self.intra = outputs, gpus_per_node, intra_bandwidth

    def time(self, size, ranks, bandwidth):
        return self.outputs.run(
            "collective", "--algorithm", "double_tree", "--engine", "formula", "--json",
            "--size", f"{size}B", "--ranks", ranks, "--gpus-per-node", self.gpus,
            "--bandwidth", bandwidth, "--latency", "0s",
            "--intra-bandwidth", self.intra, "--intra-latency", "0s")["time_s"]

    def inside_and_bytes(self, size, ranks):
        inside = self.time(size, ranks, UNBOUNDED)
        return inside, (self.time(size, ranks, KNOWN) - inside) * KNOWN_BYTES_PER_S

    def hops(self, ranks):
        return 2 * (self.gpus - 1 + (ranks // self.gpus).bit_length() - 1)


def tree_line(form, rows):
    """The line through `rows` of (ranks, size, seconds), two or more; None where latency or
    bandwidth came out below zero."""
    weighted = []
    for ranks, size, seconds in rows:
        inside, crossing = form.inside_and_bytes(size, ranks)
        weighted.append((form.hops(ranks) / seconds, crossing / seconds, 1 - inside / seconds))
    hop_hop = sum(hop * hop for hop, _, _ in weighted)
    hop_byte = sum(hop * byte for hop, byte, _ in weighted)
    byte_byte = sum(byte * byte for _, byte, _ in weighted)
    hop_rest = sum(hop * rest for hop, _, rest in weighted)
    byte_rest = sum(byte * rest for _, byte, rest in weighted)
    determinant = hop_hop * byte_byte - hop_byte**2
    latency = (hop_rest * byte_byte - byte_rest * hop_byte) / determinant
    per_byte = (byte_rest * hop_hop - hop_rest * hop_byte) / determinant
    if latency < 0 or per_byte <= 0:
        return None
    return Line("double_tree", 0, latency, 1 / per_byte)
