"""The floor plan as tables: what check_includes.py holds the tree to. Change the plan here."""

# Bottom up. A row is one floor; its rooms never see each other. A room sees itself and every room
# of a lower row. The room of a file is the longest folder here that contains it.
FLOORS = (
    ("base",),
    ("traces", "tracer", "compressors", "platforms"),
    ("simulator/collectives", "simulator/accuracy"),
    ("simulator/workload",),
    ("simulator/scenario",),
    ("simulator/plan",),
    ("simulator/timeline",),
    ("simulator/engine",),  # headers that both engines share
    ("simulator/formula", "simulator/engine/simgrid", "simulator/engine/recurrence",
     "simulator/gloo"),
    ("simulator/study",),
    ("simulator/validation", "simulator/questions", "simulator/calibration"),
    ("simulator/report",),
    ("simulator/cli",),
)

# Downward, and still not allowed.
NEVER = (
    ("simulator/formula", "simulator/engine"),  # the estimators are independent of each other
    ("simulator/gloo", "simulator/engine"),
)

# What is included from outside the project -> the folders or files that may include it.
CONFINED = (
    (r"(simgrid|xbt|smpi|msg)/", ("simulator/engine/simgrid/",)),
    (r"cupti|generated_cuda", ("tracer/cupti/",)),
    (r"cuda|cublas|cub/|cusolver|nvml|nccl|nvtx|thrust/",
     ("tracer/cupti/", "compressors/cuda/", "compressors/measure/")),
    (r"CLI/", ("simulator/cli/",)),
    (r"simdjson", ("traces/importers/", "simulator/calibration/")),
    (r"spdlog/", ("simulator/cli/", "simulator/engine/", "tracer/")),  # libraries return data
    (r"(gtest|gmock|benchmark)/", ()),  # tests/ alone, to which this table does not apply
)

# Not public, so at most one file includes it: what breaks with the next release is in one place.
ONE_FILE_ONLY = (r"simgrid/kernel/", r"simgrid/(s4u/)?.*Impl\.h")

# Generated headers are included by the sources that turn them into plain values, never by a header.
# A .pb.h is looked up by its path; the default is any source of its own library named like these.
CODEC_SUFFIXES = ("_codec.cpp", "_reader.cpp", "_writer.cpp", "_file.cpp")
CODECS = {
    "simulator/study/schema/study.pb.h": ("simulator/study/study_spec.cpp",
                                              "simulator/study/study_conclusion_spec.cpp"),
}

# Third-party protobuf headers: codecs, and the reader of text files.
PROTOBUF_FILES = ("base/text_proto.cpp", "base/text_proto.hpp")

PRODUCT_FOLDERS = ("base", "traces", "tracer", "compressors", "platforms", "simulator")
SOURCE_ENDINGS = (".cpp", ".cu")
HEADER_ENDINGS = (".hpp", ".cuh")
CHECKED_ENDINGS = SOURCE_ENDINGS + HEADER_ENDINGS + (".proto", ".py")

MAX_LINES = 400
# A file that is longer says why in its first lines: "over 400 lines: <reason>".
LONG_FILE_REASON = r"over 400 lines: \S+"
LONG_FILE_REASON_LINES = 15

# Words that must not be in product code (comments included).
FORBIDDEN_WORDS = (
    (r"\b(TODO|FIXME|XXX|HACK)\b", "unfinished work belongs in an issue"),
)

# Code (comments removed) that must not be in product files: pattern, endings, folders apart, why.
FORBIDDEN_CODE = (
    (r"\busing\s+namespace\b", HEADER_ENDINGS, (), "a header opens no namespace for its readers"),
    (r"\b(?:class|struct|enum)\s+\w*(?:Manager|Helper|Util|Utils|Data|Info)\b",
     HEADER_ENDINGS + SOURCE_ENDINGS, (), "a type's name says what it is"),
    (r"(?:\bstd::|(?<![\w:.>_]))(?:exit|quick_exit|abort)\s*\(", HEADER_ENDINGS + SOURCE_ENDINGS,
     ("simulator/cli/",), "only simulator/cli exits"),
    (r"\bassert\s*\(", HEADER_ENDINGS + SOURCE_ENDINGS, (),
     "assert vanishes with NDEBUG; GW_CHECK does not"),
)
