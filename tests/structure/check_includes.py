#!/usr/bin/env python3
"""Fails, with file:line, on whatever breaks the floor plan of rules.py.

usage: check_includes.py PROJECT_ROOT
"""

import pathlib
import re
import sys

import rules

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
# Unindented, so in the namespace itself; a declaration ends with a semicolon.
TYPE_DEFINITION = re.compile(r"(?:struct|class|union|enum(?: class)?)\s+(\w+)(?!.*;\s*$)")
CMAKE_WORD = re.compile(r'[^\s()"]+')


class Tree:
    """The first-party files below a root, read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {}
        for folder in rules.PRODUCT_FOLDERS + ("tests",):
            for path in sorted((self.root / folder).rglob("*")):
                if path.is_file() and path.name.endswith(rules.CHECKED_ENDINGS):
                    name = path.relative_to(self.root).as_posix()
                    self.texts[name] = path.read_text(encoding="utf-8", errors="replace")

    def product_files(self, endings=rules.CHECKED_ENDINGS):
        for name, text in self.texts.items():
            if not name.startswith("tests/") and name.endswith(endings):
                yield name, text

    def cpp_files(self):
        return [item for item in self.texts.items()
                if item[0].endswith(rules.SOURCE_ENDINGS + rules.HEADER_ENDINGS)]

    def has(self, name):
        return name in self.texts or (self.root / name).is_file()


def is_below(name, folder):
    return name == folder or name.startswith(folder.rstrip("/") + "/")


def room_of(name):
    """(floor, room) of a file or (None, None) where the floor plan has no room for it."""
    best = (None, None)
    for floor, rooms in enumerate(rules.FLOORS):
        for room in rooms:
            if is_below(name, room) and (best[1] is None or len(room) > len(best[1])):
                best = (floor, room)
    return best


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2)


def without_comments(text):
    """The text with comments and string contents blanked, line numbers kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
    return pattern.sub(lambda m: '""' if m.group()[0] == '"' else "\n" * m.group().count("\n"), text)


def check_floors(tree):
    for name, text in tree.product_files():
        floor, room = room_of(name)
        if room is None:
            if name.endswith(rules.SOURCE_ENDINGS + rules.HEADER_ENDINGS):
                yield name, 1, "is in no room of the floor plan (tests/structure/rules.py)"
            continue
        for line, included in includes(text):
            if is_below(included, "tests"):
                yield name, line, f"{room} includes {included}: product code never sees tests/"
            target = included.replace(".pb.h", ".proto")
            if not tree.has(target):
                beside = (pathlib.PurePosixPath(name).parent / included).as_posix()
                if tree.has(beside):
                    yield name, line, f'include it by its path from the root: "{beside}"'
                elif included.split("/")[0] in rules.PRODUCT_FOLDERS and "/" in included:
                    yield name, line, f"includes {included}, which does not exist"
                continue
            other_floor, other = room_of(target)
            if other is None or other == room:
                continue
            if other_floor > floor:
                yield name, line, f"{room} includes {included}: {other} is above it"
            elif other_floor == floor:
                yield name, line, f"{room} includes {included}: {other} is on the same floor"
            elif any(room == a and is_below(other, b) for a, b in rules.NEVER):
                yield name, line, f"{room} includes {included}: {room} never sees {other}"


def check_confined(tree):
    for name, text in tree.product_files():
        for line, included in includes(text):
            if tree.has(included) or tree.has(included.replace(".pb.h", ".proto")):
                continue
            for pattern, allowed in rules.CONFINED:
                if re.match(pattern, included):
                    if not any(name.startswith(folder) for folder in allowed):
                        where = ", ".join(allowed) or "tests/"
                        yield name, line, f"includes {included}, which belongs to {where} alone"
                    break


def check_one_file_only(tree):
    for pattern in rules.ONE_FILE_ONLY:
        users = {}
        for name, text in tree.product_files():
            for line, included in includes(text):
                if re.match(pattern, included):
                    users.setdefault(name, (line, included))
        if len(users) > 1:
            for name, (line, included) in users.items():
                others = ", ".join(sorted(other for other in users if other != name))
                yield name, line, f"includes {included}, not a public header, and so does {others}"


def is_codec(name, generated):
    """Whether name may include the generated header (None: protobuf's own headers)."""
    if generated is None:
        return name in rules.PROTOBUF_FILES or name.endswith(rules.CODEC_SUFFIXES)
    if generated in rules.CODECS:
        return name in rules.CODECS[generated]
    same_library = room_of(name)[1] == room_of(generated.replace(".pb.h", ".proto"))[1]
    return same_library and name.endswith(rules.CODEC_SUFFIXES)


def check_generated(tree):
    for name, text in tree.product_files():
        for line, included in includes(text):
            if included.startswith("google/protobuf/"):
                if not is_codec(name, None):
                    yield name, line, f"includes {included}; only codecs and base/text_proto do"
            elif included.endswith(".pb.h") and not is_codec(name, included):
                yield name, line, f"includes {included}; only the codec beside its schema does"


def check_lengths(tree):
    for name, text in tree.texts.items():
        lines = text.splitlines()
        head = "\n".join(lines[:rules.LONG_FILE_REASON_LINES])
        if len(lines) > rules.MAX_LINES and not re.search(rules.LONG_FILE_REASON, head):
            yield name, len(lines), f"{len(lines)} lines: split past {rules.MAX_LINES}, or say why"


def listed_in_cmake(root):
    listed = set()
    for path in sorted(root.rglob("CMakeLists.txt")):
        folder = path.parent.relative_to(root)
        if folder.parts and folder.parts[0].startswith(("build", ".")):
            continue
        text = re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))
        for word in CMAKE_WORD.findall(text):
            word = re.sub(r"^\$\{(CMAKE_CURRENT_SOURCE_DIR)\}/", "", word)
            if word.startswith("${PROJECT_SOURCE_DIR}/"):
                listed.add(word[len("${PROJECT_SOURCE_DIR}/"):])
            else:
                listed.add((folder / word).as_posix())
    return listed


def check_listed(tree):
    listed = listed_in_cmake(tree.root)
    for name, _ in tree.cpp_files():
        header_of_tests = name.startswith("tests/") and name.endswith(rules.HEADER_ENDINGS)
        if name not in listed and not header_of_tests:
            yield name, 1, "no CMakeLists.txt lists it"


def check_words(tree):
    for name, text in tree.product_files():
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, why in rules.FORBIDDEN_WORDS:
                match = re.search(pattern, line)
                if match:
                    yield name, number, f"'{match.group()}': {why}"


def check_code(tree):
    for name, text in tree.product_files(rules.SOURCE_ENDINGS + rules.HEADER_ENDINGS):
        lines = without_comments(text).splitlines()
        for number, line in enumerate(lines, 1):
            for pattern, endings, apart, why in rules.FORBIDDEN_CODE:
                match = re.search(pattern, line) if name.endswith(endings) else None
                if match and not any(name.startswith(folder) for folder in apart):
                    yield name, number, f"'{match.group().strip()}': {why}"
        if name.endswith(rules.HEADER_ENDINGS) and "#pragma once" not in text:
            yield name, 1, "a header starts with #pragma once"


def check_one_definition(tree):
    """Two types of one name in one namespace: the linker silently takes the members of either."""
    first = {}
    for name, text in tree.product_files(rules.HEADER_ENDINGS):
        for number, line in enumerate(without_comments(text).splitlines(), 1):
            match = TYPE_DEFINITION.match(line)
            if match and first.setdefault(match.group(1), name) != name:
                yield name, number, f"{match.group(1)} is defined in {first[match.group(1)]} too"


CHECKS = (check_floors, check_confined, check_one_file_only, check_generated, check_lengths,
          check_listed, check_words, check_code, check_one_definition)


def violations(root):
    """Every violation below root as 'file:line: sentence', sorted."""
    tree = Tree(root)
    found = {item for check in CHECKS for item in check(tree)}
    return [f"{name}:{line}: {sentence}" for name, line, sentence in sorted(found)]


def main(arguments):
    if len(arguments) != 1 or not pathlib.Path(arguments[0]).is_dir():
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    found = violations(arguments[0])
    for line in found:
        print(line)
    files = len(Tree(arguments[0]).texts)
    print(f"{files} files checked, {len(found)} violations")
    if files == 0:
        print(f"{arguments[0]} holds no source of this project", file=sys.stderr)
        return 2
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
