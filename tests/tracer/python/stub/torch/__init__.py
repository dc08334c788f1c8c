"""The interface of PyTorch 2.1 and later that the hook uses, and nothing behind it."""
import sys
import types

__version__ = "2.99.0"
compiling = False


def _module(name, **contents):
    module = types.ModuleType("torch." + name)
    module.__dict__.update(contents)
    sys.modules["torch." + name] = module
    parent, _, last = name.rpartition(".")
    setattr(sys.modules["torch." + parent] if parent else sys.modules["torch"], last, module)
    return module


def is_grad_enabled():
    return True


class Tensor:
    is_leaf = requires_grad = True
    grad = None

    def __init__(self, *shape, dtype="torch.float32"):
        self.shape, self.dtype, self.hooks = shape, dtype, []

    def dim(self):
        return len(self.shape)

    def register_post_accumulate_grad_hook(self, hook):
        self.hooks.append(hook)

    def backward(self):
        autograd.backward([self])


class Module:
    training = True

    def __init__(self, forward, **parameters):
        self.forward, self.parameters = forward, parameters

    def modules(self):
        return [self]

    def named_parameters(self):
        return self.parameters.items()

    def __call__(self, *args, **kwargs):
        for hook in _before:
            hook(self, args)
        try:
            result = self.forward(*args, **kwargs)
        except Exception:
            for hook in _after:
                hook(self, args, None)  # as PyTorch: without keyword arguments here
            raise
        for hook in _after:
            hook(self, args, kwargs, result)
        return result


_before, _after = [], []


def _register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    assert with_kwargs and always_call
    _after.append(hook)


class Optimizer:
    def __init__(self, parameters, inner=None):
        self.param_groups, self.inner = [{"params": parameters}], inner

    def step(self):
        for hook in _before_step:
            hook(self, (), {})
        if self.inner is not None:
            self.inner()
        for hook in _after_step:
            hook(self, (), {})


_before_step, _after_step = [], []


def _backward(tensors):
    for tensor in tensors:
        for parameter in reversed(tensor.of):
            parameter.grad = parameter
            for hook in parameter.hooks:
                hook(parameter)


_module("nn", Module=Module)
_module("nn.modules")
_module("nn.modules.module", register_module_forward_pre_hook=_before.append,
        register_module_forward_hook=_register_module_forward_hook)
_module("optim")
_module("optim.optimizer", Optimizer=Optimizer, register_optimizer_step_pre_hook=_before_step.append,
        register_optimizer_step_post_hook=_after_step.append)
autograd = _module("autograd", backward=_backward)
_module("jit", is_tracing=lambda: False)
_module("version", cuda="12.4")
_module("distributed", is_available=lambda: False)
_module("compiler", is_compiling=lambda: compiling)
