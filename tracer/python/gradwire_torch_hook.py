"""Marks what a PyTorch training process does, for gradwire's tracer, without changing what it does.

Only public hooks of PyTorch: those of all modules' forward calls, of all optimisers' steps (since
2.0; before it a wrap of each optimiser class's `step`), of gradients (since 2.1 after their
accumulation; before it on the node that accumulates), and one wrapper of torch.autograd.backward.
Nothing is written into modules. docs/tracing-pytorch.md says what is marked when, and what is not.
(over 400 lines: the traced process loads it by path as one file, beside which nothing else is sure.)
"""

import ctypes
import functools
import importlib
import os
import sys
import threading
import weakref

(ITERATION_BEGIN, ITERATION_END, BACKWARD_BEGIN, BACKWARD_END, GRADIENT_READY,
 OPTIMIZER_BEGIN, OPTIMIZER_END, FORWARD_BEGIN, FORWARD_END) = range(1, 10)

# Classes (by name: they may come from other packages) that hold a model, and the attribute it is in.
WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module",
            "OptimizedModule": "_orig_mod", "DeepSpeedEngine": "module"}
# Classes that put their own tensors in the place of the model's parameters.
SHARDING = ("FullyShardedDataParallel", "FSDPModule", "DeepSpeedEngine")
# What wrappers of parts of a model put into the names of parameters.
INSERTED_NAMES = ("_orig_mod.", "_checkpoint_wrapped_module.")


def class_names(thing):
    return [base.__name__ for base in type(thing).__mro__]


def is_called_within_itself(frame):
    """Whether the function of `frame` is among its own callers."""
    code = frame.f_code
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code is code:
            return True
    return False


class TracerLibrary:
    """libgradwire_tracer.so. Nothing is called before the first training step, so a process that
    imports PyTorch and trains nothing (a launcher, a loader of data) leaves no file."""

    def __init__(self, path):
        library = ctypes.PyDLL(path)  # its functions are too short to release the interpreter's lock for
        self._mark, self._parameter, self._fact = library.gw_mark, library.gw_parameter, library.gw_fact
        self._mark.argtypes, self._mark.restype = [ctypes.c_int, ctypes.c_uint64], None
        self._parameter.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int64),
                                    ctypes.c_uint32, ctypes.c_char_p]
        self._parameter.restype = None
        self._fact.argtypes, self._fact.restype = [ctypes.c_char_p, ctypes.c_char_p], None
        self.used = self.off = False
        self.gradient_mark = self._mark
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def mark(self, kind, number=0):
        by_program = getattr(sys.modules.get("gradwire_marks"), "kinds_marked", ())
        if GRADIENT_READY in by_program:
            self.gradient_mark = self._nothing
        if not self.off and kind not in by_program:
            self.used = True
            self._mark(kind, number)

    def parameter(self, number, name, shape, dtype):
        if not self.off:
            self.used = True
            self._parameter(number, name.encode(), (ctypes.c_int64 * len(shape))(*shape), len(shape),
                            dtype.encode())

    def fact(self, name, value):
        if not self.off:
            self.used = True
            self._fact(name.encode(), str(value).encode())

    def fail(self, error):
        """The program goes on without further marks, and its user knows why."""
        if not self.off:
            sys.stderr.write("gradwire: PyTorch is not marked any more: %s: %s\n"
                             % (type(error).__name__, error))
        self._end()

    def _forked(self):
        if self.used:  # a session is the parent's alone; a child of one that has none may train
            self._end()

    def _end(self):
        self.off = True
        self.gradient_mark = self._nothing

    @staticmethod
    def _nothing(*_):
        return None


class IterationMarks:
    """Where iterations, backward passes and optimisers begin and end.

    An iteration begins with the first training forward after the last one's end, and ends with the
    optimiser's step: with as many steps as the last iteration had. A program whose forward passes
    are not seen begins with its backward pass.
    """

    def __init__(self, tracer, on_first):
        self._tracer, self._on_first = tracer, on_first
        self._lock = threading.RLock()
        self._open = self._forward_seen = self._stepped_in_backward = False
        self._number = self._steps = self._backwards = 0
        self._steps_expected = 1
        self._thread = threading.local()

    def in_backward(self):
        return self._backwards > 0

    def forward_begins(self):
        with self._lock:
            self._forward_seen = True
            self._begin()

    def backward_begins(self):
        with self._lock:
            self._backwards += 1
            if self._backwards > 1:  # inside another: activation checkpointing, or a second thread
                return
            if not self._forward_seen:
                self._begin()
            self._tracer.mark(BACKWARD_BEGIN)

    def backward_ends(self):
        with self._lock:
            self._backwards -= 1
            if self._backwards > 0:
                return
            self._tracer.mark(BACKWARD_END)
            if self._stepped_in_backward:
                self._stepped_in_backward = False
                self._step_ends()

    def optimizer_begins(self, nested):
        """nested(): whether another step that has begun in this thread still runs."""
        if self.in_backward():  # optimisers that run as gradients come; the backward pass ends them
            self._stepped_in_backward = True
            return
        depth = getattr(self._thread, "optimizers", 0)
        if depth > 0 and not nested():
            depth = 0  # that step ended by an exception
        self._thread.optimizers = depth + 1
        if depth == 0:
            self._tracer.mark(OPTIMIZER_BEGIN)

    def optimizer_ends(self):
        depth = getattr(self._thread, "optimizers", 0)
        if self.in_backward() or depth == 0:
            return
        self._thread.optimizers = depth - 1
        if depth == 1:
            self._tracer.mark(OPTIMIZER_END)
            with self._lock:
                self._step_ends()

    def _begin(self):
        in_closure = getattr(self._thread, "optimizers", 0) > 0
        if self._open and self._steps > 0 and not in_closure:
            self._end()  # fewer steps than in the iteration before
        if self._open:
            return
        self._steps_expected, self._steps = max(1, self._steps), 0
        if self._on_first is not None:
            self._on_first()
            self._on_first = None
        self._open = True
        self._tracer.mark(ITERATION_BEGIN, self._number)

    def _step_ends(self):
        self._steps += 1
        if self._open and self._steps >= self._steps_expected:
            self._end()

    def _end(self):
        self._tracer.mark(ITERATION_END, self._number)
        self._open = False
        self._number += 1


class Owner:
    """What is kept of a module that the program itself calls, or of an optimiser."""

    def __init__(self, thing, forget):
        self.reference = weakref.ref(thing, forget)
        self.generation = -1
        self.trains = False
        self.nodes = {}  # id of a parameter -> the node that accumulates its gradient


class GradientMarks:
    """Names the parameters of the modules that the program calls, and marks their gradients."""

    def __init__(self, torch, tracer):
        self._torch, self._tracer = torch, tracer
        self._lock = threading.RLock()
        self._modules, self._optimizers = {}, {}  # id -> Owner
        self._parameters = {}  # id -> (weak reference, number)
        self._hooked = set()  # ids of parameters
        self._names = {}  # name -> weak reference to its parameter
        self._sought = set()  # ids of parameters for which all modules were searched again
        self._generation = self._count = 0
        self._sharded = False
        self._facts = set()
        self._after_accumulation = hasattr(torch.Tensor, "register_post_accumulate_grad_hook")
        self.how = "after accumulation" if self._after_accumulation else "AccumulateGrad node"

    def trains(self, module):
        """Whether the module has a parameter to train; names the parameters that are new."""
        with self._lock:
            key = id(module)
            entry = self._modules.get(key)
            if entry is None:
                entry = Owner(module, lambda _: self._forget_owner(self._modules, key))
                self._modules[key] = entry
            if entry.generation != self._generation:
                entry.generation = self._generation
                self._search(module, entry)
            return entry.trains

    def check_optimizer(self, optimizer):
        """Parameters that were added, replaced or thawed are sought again, and named at the next
        forward; those that are in no module that was called are named by their place here."""
        if self._sharded:
            return
        for group, options in enumerate(optimizer.param_groups):
            for index, parameter in enumerate(options["params"]):
                if id(parameter) in self._hooked or parameter.grad is None:
                    continue
                with self._lock:
                    if id(parameter) not in self._sought:
                        self._sought.add(id(parameter))
                        self._generation += 1
                    else:
                        self._fact("parameters", "some are in no module that was called: named by optimizer")
                        self._add(parameter, "%s.group%d.%d" % (type(optimizer).__name__, group, index),
                                  "", self._nodes_of(optimizer))

    def _nodes_of(self, optimizer):
        key = id(optimizer)
        if key not in self._optimizers:
            self._optimizers[key] = Owner(
                optimizer, lambda _: self._forget_owner(self._optimizers, key))
        return self._optimizers[key].nodes

    def _search(self, module, entry):
        inner = self._unwrapped(module)
        for part in inner.modules():
            names = class_names(part)
            if any(name in names for name in SHARDING):
                self._sharded = True
                self._fact("sharded", type(part).__name__)
            if "OptimizedModule" in names or getattr(part, "_compiled_call_impl", None) is not None:
                self._fact("compiled", "torch.compile: gradients are marked when a compiled part has ended")
        found = [(name, parameter) for name, parameter in inner.named_parameters() if parameter.requires_grad]
        entry.trains = bool(found)
        ids = {id(parameter) for _, parameter in found}
        gone = [key for key in entry.nodes if key not in ids]
        self._hooked.difference_update(gone)
        for key in gone:
            del entry.nodes[key]
        for name, parameter in () if self._sharded else found:
            for inserted in INSERTED_NAMES:
                name = name.replace(inserted, "")
            self._add(parameter, name, type(inner).__name__ + ".", entry.nodes)

    def _unwrapped(self, module):
        while True:
            wrapper = next((name for name in class_names(module) if name in WRAPPERS), None)
            inner = getattr(module, WRAPPERS[wrapper], None) if wrapper else None
            if inner is None:
                return module
            self._fact("wrapper", wrapper)
            if wrapper == "OptimizedModule":
                self._fact("compiled", "torch.compile: gradients are marked when a compiled part has ended")
            if wrapper in SHARDING:
                self._sharded = True
                self._fact("sharded", wrapper)
            if isinstance(getattr(module, "bucket_bytes_cap", None), int):
                self._fact("ddp_bucket_bytes", str(module.bucket_bytes_cap))
            module = inner

    def _fact(self, name, value):
        if (name, value) not in self._facts:
            self._facts.add((name, value))
            self._tracer.fact(name, value)

    def _add(self, parameter, name, owner, nodes):
        key = id(parameter)
        if key in self._hooked or not parameter.is_leaf:
            return
        known = self._parameters.get(key)
        if known is None:
            try:
                shape = [int(size) for size in parameter.shape]
            except RuntimeError:  # a lazy module's, not made yet: its optimiser brings it back
                return
            known = (weakref.ref(parameter, lambda _: self._forget_parameter(key)), self._count)
            self._count += 1
            name = self._unique(name, owner, known[0])
            self._tracer.parameter(known[1], name, shape, str(parameter.dtype).rpartition(".")[2])
            self._parameters[key] = known
        tracer, number = self._tracer, known[1]

        def gradient_is_ready(*_):
            tracer.gradient_mark(GRADIENT_READY, number)

        if self._after_accumulation:
            parameter.register_post_accumulate_grad_hook(gradient_is_ready)
        else:
            node = parameter.expand_as(parameter).grad_fn.next_functions[0][0]
            node.register_hook(gradient_is_ready)
            nodes[key] = node  # a parameter does not keep its node; the node keeps the parameter
        self._hooked.add(key)

    def _unique(self, name, owner, reference):
        number, candidate = 1, name
        while self._names.get(candidate, lambda: None)() is not None:
            candidate = owner + name if number == 1 else "%s%s#%d" % (owner, name, number)
            number += 1
        self._names[candidate] = reference
        return candidate

    def _forget_owner(self, owners, key):
        with self._lock:
            entry = owners.pop(key, None)
            if entry is not None:
                self._hooked.difference_update(entry.nodes)

    def _forget_parameter(self, key):
        with self._lock:
            self._parameters.pop(key, None)
            self._hooked.discard(key)
            self._sought.discard(key)


class ForwardCalls(threading.local):
    """The module calls that run in this thread, by id; the first is the program's own call."""

    def __init__(self):
        super().__init__()
        self.modules = []
        self.marked = False


class ForwardMarks:
    """Where the forward pass of the outermost module begins and ends."""

    def __init__(self, torch, tracer, iterations, gradients):
        self._torch, self._tracer = torch, tracer
        self._iterations, self._gradients = iterations, gradients
        self._batch_known = False
        self._rerun_known = False

    def register(self):
        hooks = self._torch.nn.modules.module
        is_compiling = getattr(getattr(self._torch, "compiler", None), "is_compiling", None)
        is_compiling = is_compiling or (lambda: False)
        calls = ForwardCalls()
        try:
            hooks.register_module_forward_hook(
                lambda module, args, *rest: None if is_compiling() else after(module, args, *rest),
                with_kwargs=True, always_call=True)
            exceptions_seen = True
        except TypeError:  # PyTorch 1
            hooks.register_module_forward_hook(lambda module, args, output: after(module, args, output))
            exceptions_seen = False

        def before(module, args):
            if is_compiling():
                return
            running = calls.modules
            if running:
                doubtful = not exceptions_seen or running[0] == id(module)
                if not doubtful or is_called_within_itself(sys._getframe(1)):
                    running.append(id(module))
                    return
                del running[:]  # that forward ended by an exception
            running.append(id(module))
            calls.marked = self._begin(module, args)

        def after(module, args, *rest):
            running = calls.modules
            if id(module) not in running:
                return
            while running.pop() != id(module):
                pass  # calls within it that ended by an exception
            if not running and calls.marked:
                calls.marked = False
                self._end(module, args, *rest)

        hooks.register_module_forward_pre_hook(before)

    def _begin(self, module, args):
        """Marks the program's own call of a module; False where it is no training."""
        try:
            if self._iterations.in_backward():
                if not self._rerun_known:
                    self._rerun_known = True
                    self._tracer.fact("activation_checkpointing", "yes")
                return False
            if not (self._torch.is_grad_enabled() and module.training) or self._torch.jit.is_tracing():
                return False
            if self._tracer.off or self._loads_data() or not self._gradients.trains(module):
                return False
            self._iterations.forward_begins()
            self._tracer.mark(FORWARD_BEGIN)
            self._find_batch(module, args)
            return True
        except Exception as error:  # pylint: disable=broad-except
            self._tracer.fail(error)
            return False

    @staticmethod
    def _loads_data():
        """Whether this is a worker process of a DataLoader, which may run modules but trains none."""
        worker = getattr(sys.modules.get("torch.utils.data"), "get_worker_info", lambda: None)
        return worker() is not None

    def _end(self, module, args, *rest):
        try:
            self._tracer.mark(FORWARD_END)
            if len(rest) == 2 and isinstance(rest[0], dict):  # (keyword arguments, output)
                self._find_batch(module, rest[0])
        except Exception as error:  # pylint: disable=broad-except
            self._tracer.fail(error)

    def _find_batch(self, module, arguments):
        if self._batch_known:
            return
        tensor = self._first_tensor(arguments)
        if tensor is not None and type(tensor.shape[0]) is int:
            self._batch_known = True
            self._tracer.fact("batch_size", tensor.shape[0])
            self._tracer.fact("batch_size_source", "first dimension of the first tensor given to %s.forward"
                              % type(module).__name__)

    def _first_tensor(self, arguments, depth=3):
        if isinstance(arguments, self._torch.Tensor):
            return arguments if arguments.dim() > 0 else None
        if depth == 0 or not isinstance(arguments, (tuple, list, dict)):
            return None
        for value in arguments.values() if isinstance(arguments, dict) else arguments:
            tensor = self._first_tensor(value, depth - 1)
            if tensor is not None:
                return tensor
        return None


def wrap_backward(torch, tracer, iterations):
    original = torch.autograd.backward

    @functools.wraps(original)
    def backward(*args, **kwargs):
        try:
            iterations.backward_begins()
        except Exception as error:  # pylint: disable=broad-except
            tracer.fail(error)
        try:
            return original(*args, **kwargs)
        finally:
            try:
                iterations.backward_ends()
            except Exception as error:  # pylint: disable=broad-except
                tracer.fail(error)

    torch.autograd.backward = backward


def hook_optimizers(tracer, iterations, gradients):
    module = importlib.import_module("torch.optim.optimizer")  # torch.optim.optimizer may be hidden

    def before(optimizer, *_):
        try:
            # Called from inside the optimiser's step, whose function is the caller's.
            step = sys._getframe(1)
            iterations.optimizer_begins(lambda: is_called_within_itself(step))
            gradients.check_optimizer(optimizer)
        except Exception as error:  # pylint: disable=broad-except
            tracer.fail(error)

    def after(*_):
        try:
            iterations.optimizer_ends()
        except Exception as error:  # pylint: disable=broad-except
            tracer.fail(error)

    if hasattr(module, "register_optimizer_step_pre_hook"):
        module.register_optimizer_step_pre_hook(before)
        module.register_optimizer_step_post_hook(after)
    else:
        wrap_steps(module.Optimizer, before, after)


def wrap_steps(optimizer_class, before, after):
    """PyTorch 1: the class of an optimiser gets its `step` wrapped when the first one is made."""
    original = optimizer_class.__init__

    def wrapped(step):
        @functools.wraps(step)
        def marked_step(self, *args, **kwargs):
            before(self)
            try:
                return step(self, *args, **kwargs)
            finally:
                after(self)

        marked_step.marked_by_gradwire = True
        return marked_step

    @functools.wraps(original)
    def initialize(self, *args, **kwargs):
        original(self, *args, **kwargs)
        step = getattr(type(self), "step", None)
        if step is not None and not getattr(step, "marked_by_gradwire", False):
            type(self).step = wrapped(step)

    optimizer_class.__init__ = initialize


def install(torch, library):
    """Hooks `torch`; raises where this PyTorch lacks what is needed. `library`: path of the tracer."""
    tracer = TracerLibrary(library)
    gradients = GradientMarks(torch, tracer)

    def tell_facts():
        tracer.fact("pytorch", torch.__version__)
        if torch.version.cuda:
            tracer.fact("pytorch_cuda", torch.version.cuda)
        by_program = getattr(sys.modules.get("gradwire_marks"), "kinds_marked", ())
        tracer.fact("marks", "program and pytorch hook" if by_program else "pytorch hook")
        tracer.fact("gradient_hook", gradients.how)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            tracer.fact("rank", torch.distributed.get_rank())
            tracer.fact("world_size", torch.distributed.get_world_size())
            tracer.fact("backend", torch.distributed.get_backend())

    iterations = IterationMarks(tracer, tell_facts)
    ForwardMarks(torch, tracer, iterations, gradients).register()
    wrap_backward(torch, tracer, iterations)
    hook_optimizers(tracer, iterations, gradients)
