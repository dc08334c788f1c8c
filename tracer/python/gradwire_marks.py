"""A program's own marks for gradwire's tracer: where an iteration and its backward pass begin and
end, and when a gradient is ready. For programs that `gradwire trace --pytorch` does not understand.

    import gradwire_marks
    for batch in batches:
        with gradwire_marks.iteration():
            ...
            with gradwire_marks.backward():
                ...
                gradwire_marks.gradient_ready("layer1.weight", (64, 128), "float32")

Without the tracer every function does nothing. `gradwire trace` puts this module on PYTHONPATH; it
is one file that needs only the standard library, so a program may also carry a copy of it, under
this name. Kinds of marks that a program makes here are not made by the PyTorch hook as well.
"""

import contextlib
import ctypes
import os
import threading

_ITERATION_BEGIN, _ITERATION_END, _BACKWARD_BEGIN, _BACKWARD_END, _GRADIENT_READY = 1, 2, 3, 4, 5
_FIRST_PARAMETER = 1 << 32  # lower numbers belong to the PyTorch hook

kinds_marked = set()  # the PyTorch hook reads this
_lock = threading.Lock()
_parameters = {}  # name -> number
_iterations = 0


def _load():
    """The tracer's library, or None where this process is not traced."""
    path = os.environ.get("GRADWIRE_TRACER_LIB")
    if not path or not os.environ.get("GRADWIRE_CAPTURE"):
        return None
    library = ctypes.PyDLL(path)
    library.gw_mark.argtypes, library.gw_mark.restype = [ctypes.c_int, ctypes.c_uint64], None
    library.gw_parameter.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int64),
                                     ctypes.c_uint32, ctypes.c_char_p]
    library.gw_parameter.restype = None
    library.gw_fact.argtypes, library.gw_fact.restype = [ctypes.c_char_p, ctypes.c_char_p], None
    return library


try:
    _library = _load()
except (OSError, AttributeError) as problem:
    _library = None
    os.write(2, ("gradwire: no marks are made: %s\n" % problem).encode())


def recording():
    """Whether marks go to a tracer."""
    return _library is not None


def _use(*kinds):
    if not kinds_marked:
        _library.gw_fact(b"marks", b"program")
    kinds_marked.update(kinds)


@contextlib.contextmanager
def _span(begin, end, number):
    if _library is None:
        yield
        return
    _use(begin, end)
    _library.gw_mark(begin, number)
    try:
        yield
    finally:
        _library.gw_mark(end, number)


def iteration():
    """A context manager: one training iteration, from its forward pass to the end of its optimiser."""
    global _iterations  # pylint: disable=global-statement
    with _lock:
        number = _iterations
        _iterations += 1
    return _span(_ITERATION_BEGIN, _ITERATION_END, number)


def backward():
    """A context manager: the backward pass of the iteration."""
    return _span(_BACKWARD_BEGIN, _BACKWARD_END, 0)


def gradient_ready(name, shape, dtype):
    """What this thread launched so far completes the gradient of the parameter `name`.

    `shape`: its sizes in elements; `dtype`: "float32", "bfloat16", ... or anything whose text ends so
    (torch.float32). Both are taken from the first call for a name.
    """
    if _library is None:
        return
    number = _parameters.get(name)
    if number is None:
        number = _name_parameter(str(name), [int(size) for size in shape], str(dtype).rpartition(".")[2])
    _library.gw_mark(_GRADIENT_READY, number)


def _name_parameter(name, sizes, dtype):
    with _lock:
        if name not in _parameters:
            _use(_GRADIENT_READY)
            number = _FIRST_PARAMETER + len(_parameters)
            _library.gw_parameter(number, name.encode(), (ctypes.c_int64 * len(sizes))(*sizes),
                                  len(sizes), dtype.encode())
            _parameters[name] = number
        return _parameters[name]


def fact(name, value):
    """A fact of this run for the reader: fact("batch_size", 32)."""
    if _library is not None:
        _library.gw_fact(str(name).encode(), str(value).encode())
