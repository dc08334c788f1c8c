#!/usr/bin/env python3
"""Encode and decode times of the same questions in several cost profiles, beside each other.

usage: compare_profiles.py PROFILE.txtpb PROFILE.txtpb ...

A line for each scheme, size and number of ranks that the last profile and another one have: the sum
of encode and decode in each, and how many times longer it is than in the last. PyTorch's hooks are
profiled without some of the parameters that ours name, and fit any value of these.
"""

import pathlib
import re
import sys

FIELD = re.compile(r'^\s+(\w+): (?:"([^"]*)"|([-+.\w]+))\s*$', re.M)


def entries(path):
    """[(scheme name, {parameter: value}, (elements, tensors, ranks), seconds)]."""
    found = []
    for block in re.findall(r"^entry \{\n(.*?)^\}", path.read_text(encoding="utf-8"), re.M | re.S):
        fields = {name: text or value for name, text, value in FIELD.findall(block)}
        if "encode_s" not in fields and "encode_and_decode_s" not in fields:
            continue
        seconds = (float(fields["encode_and_decode_s"]) if "encode_and_decode_s" in fields
                   else float(fields["encode_s"]) + float(fields.get("decode_s", 0)))
        name, _, parameters = fields["scheme"].partition(":")
        parameters = dict(pair.split("=") for pair in parameters.split(",") if pair)
        size = tuple(int(fields.get(field, 0)) for field in ("elements", "tensors", "ranks"))
        found.append((name, parameters, size, seconds))
    return found


def fits(one, other):
    (name, parameters, size, _), (other_name, other_parameters, other_size, _) = one, other
    shared = parameters.keys() & other_parameters.keys()
    return (name == other_name and size[:2] == other_size[:2]
            and (size[2] == other_size[2] or 0 in (size[2], other_size[2]))
            and all(parameters[key] == other_parameters[key] for key in shared))


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    paths = [pathlib.Path(argument) for argument in arguments]
    profiles = [entries(path) if path.is_file() else [] for path in paths]
    lines = 0
    print("scheme,elements,tensors,ranks," + ",".join(f"{path.stem}_s" for path in paths) + ","
          + ",".join(f"{path.stem}_over_{paths[-1].stem}" for path in paths[:-1]))
    for ours in profiles[-1]:
        others = [next((entry[3] for entry in profile if fits(entry, ours)), None)
                  for profile in profiles[:-1]]
        if all(other is None for other in others):
            continue
        lines += 1
        name, parameters, size, seconds = ours
        spelling = ";".join([name] + [f"{key}={value}" for key, value in parameters.items()])
        times = [*others, seconds]
        ratios = [None if other is None or seconds <= 0 else other / seconds for other in others]
        print(",".join([spelling, *map(str, size),
                        *("" if time is None else f"{time:.4g}" for time in times),
                        *("" if ratio is None else f"{ratio:.3g}" for ratio in ratios)]))
    if lines == 0:
        print("compare_profiles: the profiles have no question in common", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
