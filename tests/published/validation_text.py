"""The text of a validation set (docs/formats/validation.md)."""

import json


def seconds(value):
    return f"{value:.6g}s"


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def message(name, fields, indent=0):
    """`name { field: value ... }`, a field a line; a list is a repeated field, a dict a message."""
    room = "  " * indent
    lines = [f"{room}{name} {{"]
    lines += body(fields, indent + 1)
    return lines + [room + "}"]


def body(fields, indent=0):
    lines = []
    for field, value in fields:
        for one in value if isinstance(value, list) and not is_message(value) else [value]:
            if is_message(one):
                lines += message(field, one, indent)
            else:
                text = quoted(one) if isinstance(one, str) else str(one)
                lines.append("  " * indent + f"{field}: {text}")
    return lines


def is_message(value):
    """A message is a non-empty list of (field, value)."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, tuple) for one in value)


def set_text(remark, fields):
    return "\n".join([f"# {line}" for line in remark] + body(fields)) + "\n"
