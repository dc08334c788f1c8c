"""The text of a validation set (docs/formats/validation.md) from pairs of field and value.

A message is a list of pairs; a repeated field is a tuple of texts or a list of messages.
"""

import json


def seconds(value):
    return f"{value:.6g}s"


def gbps(bytes_per_s):
    return f"{bytes_per_s * 8e-9:.4g}Gbps"


def set_text(remark, fields):
    lines = [f"# {line}" for line in remark]
    for name, value in fields:
        for one in values_of(value):
            lines += field_lines(name, one)
    return "\n".join(lines) + "\n"


def values_of(value):
    """A repeated field's values; of any other the one."""
    if isinstance(value, tuple):
        return value
    return value if isinstance(value, list) and isinstance(value[0], list) else [value]


def field_lines(name, value):
    if not isinstance(value, list):
        return [f"{name}: {scalar(value)}"]
    return [f"{name} {{", *(f"  {field}: {scalar(one)}" for field, one in value), "}"]


def scalar(value):
    return json.dumps(value, ensure_ascii=False)
