"""Loaded by a Python interpreter at its start when this folder is first on PYTHONPATH.

`gradwire trace --pytorch` puts it there. It waits for the program's own `import torch`, then lets
gradwire_torch_hook mark what the program does; a program that never imports torch notices nothing.
The environment's own sitecustomize, which this file hides, runs as it would have run without it.
"""

import sys


class _TorchFinder:
    """On sys.meta_path until torch has been imported once."""

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                self._follow(spec)
                return spec
        return None

    def _follow(self, spec):
        """After the module of `spec` has been executed, it is hooked."""
        loader = spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module):
            try:
                del loader.exec_module  # what the program sees afterwards is the loader as it was
            except AttributeError:
                pass
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._hook(module)

        try:
            loader.exec_module = exec_module
        except Exception as error:  # pylint: disable=broad-except
            _say(error)

    def _hook(self, torch):
        try:
            import importlib.util
            import os
            spec = importlib.util.spec_from_file_location(
                "gradwire_torch_hook", os.path.join(self._folder, "gradwire_torch_hook.py"))
            hook = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = hook
            spec.loader.exec_module(hook)
            hook.install(torch, os.environ["GRADWIRE_TRACER_LIB"])
        except Exception as error:  # pylint: disable=broad-except
            _say(error)


def _say(error):
    """The program goes on without marks, and its user knows why."""
    try:
        sys.stderr.write("gradwire: PyTorch is not marked: %s: %s\n" % (type(error).__name__, error))
    except Exception:  # pylint: disable=broad-except
        pass


def _wait_for_torch():
    import os  # the interpreter's start-up has it already
    wanted = os.environ.get("GRADWIRE_PYTORCH") == "1"
    if not (wanted and os.environ.get("GRADWIRE_TRACER_LIB") and os.environ.get("GRADWIRE_CAPTURE")):
        return
    if any(type(finder).__name__ == _TorchFinder.__name__ for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _TorchFinder(os.path.dirname(os.path.abspath(__file__))))


def _run_the_environments_own():
    """Imports the next sitecustomize of sys.path; whatever it raises is the caller's, as without us."""
    import os
    folder = os.path.realpath(os.path.dirname(__file__))
    ours = [entry for entry in sys.path if os.path.realpath(entry) == folder]
    sys.path[:] = [entry for entry in sys.path if entry not in ours]
    this = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401  pylint: disable=unused-import,import-self
    except ImportError as error:
        if getattr(error, "name", None) != "sitecustomize":
            raise
        if this is not None:
            sys.modules["sitecustomize"] = this
    finally:
        sys.path[:0] = ours


try:
    _wait_for_torch()
except Exception as problem:  # pylint: disable=broad-except
    _say(problem)
_run_the_environments_own()
