"""Small profiler files (Kineto), put together event by event. Times are microseconds."""

import json


class KinetoFile:
    """Two training iterations: a forward and a backward kernel each, two gradients each."""

    def __init__(self, iterations=2, backward=True, sizes=True, kernels=True):
        self.events = []
        self.correlation = 0
        for index in range(iterations):
            start = 1000 * (index + 1)
            self.host("user_annotation", f"ProfilerStep#{index + 5}", start, 900, thread=1)
            if kernels:
                self.launch("forward", start + 10, start + 20, 50, thread=1)
            if backward:
                self.backward(start + 200, sizes, kernels)

    def backward(self, start, sizes=True, kernels=True):
        """Two operators of the backward pass, each with a kernel and a gradient."""
        for at, shape in ((start, [64, 3, 7, 7]), (start + 100, [1000])):
            self.host("cpu_op", "autograd::engine::evaluate_function: MmBackward0", at, 50, thread=2)
            if kernels:
                self.launch("backward", at + 10, at + 20, 90, thread=2)
            args = {"Input Dims": [shape], "Input type": ["float"]} if sizes else {}
            self.host("cpu_op", "torch::autograd::AccumulateGrad", at + 52, 5, thread=2, **args)

    def host(self, category, name, start, duration, thread, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 100, "tid": thread,
                            "ts": start, "dur": duration, "args": args})

    def launch(self, name, launched, start, duration, thread, stream=7, **args):
        self.correlation += 1
        self.host("cuda_runtime", "cudaLaunchKernel", launched, 1, thread,
                  correlation=self.correlation)
        self.events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream,
                            "ts": start, "dur": duration,
                            "args": {"device": 0, "stream": stream,
                                     "correlation": self.correlation, **args}})

    def communicate(self, name, launched, thread, **args):
        self.launch(name, launched, launched + 5, 40, thread, stream=40, **args)

    def text(self, **head):
        """One event a line, so that a test may cut or damage one."""
        events = ",\n".join(json.dumps(event) for event in self.events)
        members = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
        return '{"schemaVersion": 1,\n' + members + '"traceEvents": [\n' + events + "\n]}\n"
