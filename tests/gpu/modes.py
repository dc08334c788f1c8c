"""What one process of a mode does: plain timing, PyTorch's profiler, or the communication hooks."""

import gc
import os
import tempfile
import time

import torch

import hooks
import models
import parameter_tables
import provenance

TIMED_ITERATIONS = 10
WARM_UP_ITERATIONS = 5
HOOK_TRACE_ITERATIONS = 4
# Guesses, in seconds, until one of its kind has been seen.
PROFILE_GUESS = 15
TRAINING_GUESS = 6
HOOK_GUESS = 8

# (model, batch), the most wanted first. The study's BERT batches are 6 and 12 at 512 tokens.
WORKLOADS = [("resnet50", 32), ("bert-base", 12), ("resnet101", 32), ("resnet50", 64), ("resnet101", 64),
             ("resnet50", 16), ("resnet101", 16), ("bert-base", 6)]
HOOK_WORKLOADS = [("resnet50", 32), ("bert-base", 12), ("resnet101", 32)]
SMOKE_WORKLOADS = [("tiny-resnet", 4), ("tiny-bert", 2)]
SMOKE_BUCKET_MB = 0.02  # several buckets even of a tiny model


class Unusable(Exception):
    """This machine cannot run the script: one sentence."""


def open_device(kind):
    """The device, tried once, so that a build without kernels for it is found here."""
    if kind == "cpu":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise Unusable(f"PyTorch {torch.__version__} finds no GPU here.")
    device = torch.device("cuda", 0)
    try:
        torch.ones(8, device=device).sum().item()
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:200]
        raise Unusable(f"PyTorch {torch.__version__} cannot use {torch.cuda.get_device_name(0)}: "
                       f"{reason}") from error
    # Tried algorithms differ from process to process, and the modes are held against each other.
    torch.backends.cudnn.benchmark = False
    return device


def facts(device):
    """Device and software, as text."""
    software = [f"torch {torch.__version__}"]
    known = {"date": time.strftime("%Y-%m-%d", time.gmtime())}
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        known["device"] = properties.name
        known["compute_capability"] = f"{properties.major}.{properties.minor}"
        known["memory_bytes"] = str(properties.total_memory)
        known["multiprocessors"] = str(properties.multi_processor_count)
        software.append(f"CUDA {torch.version.cuda}" if torch.version.cuda else "ROCm")
        software.append(f"cuDNN {torch.backends.cudnn.version()}")
        try:
            software.append("NCCL " + ".".join(map(str, torch.cuda.nccl.version())))
        except (AttributeError, RuntimeError, TypeError, ImportError):
            software.append("NCCL of unknown version")
        driver = provenance.driver_version()
        if driver:
            software.append(f"driver {driver}")
        known["settings"] = (f"cudnn.benchmark off, TF32 in convolutions "
                             f"{torch.backends.cudnn.allow_tf32}, in matrix products "
                             f"{torch.backends.cuda.matmul.allow_tf32}, gradients set to None")
    else:
        known["device"] = "CPU"
        known["settings"] = "gradients set to None"
    known["software"] = ", ".join(software)
    return known


def mapped_cupti():
    """The CUPTI libraries in this process, as text: two of them would fight over the driver's hooks."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found = {line.split()[-1] for line in maps if "libcupti" in line}
    return ", ".join(sorted(os.path.basename(path) for path in found)) or "none"


class Training:
    """One model, its data and its optimiser; DDP around it where a hook is given."""

    def __init__(self, workload, device, hook=None, bucket_mb=25):
        name, batch = workload
        torch.manual_seed(0)
        self._device = device
        self._model = models.make_model(name).to(device).train()
        self._optimizer = models.make_optimizer(name, self._model)
        self._inputs, self._labels = models.make_batch(name, batch, device)
        if hook is not None:
            state, function = hook
            self._model = torch.nn.parallel.DistributedDataParallel(
                self._model, device_ids=[0] if device.type == "cuda" else None, bucket_cap_mb=bucket_mb)
            self._model.register_comm_hook(state, function)

    def iteration(self):
        self._optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(self._model(self._inputs), self._labels)
        loss.backward()
        self._optimizer.step()

    def finish(self):
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def warm_up(self, iterations=WARM_UP_ITERATIONS):
        for _ in range(iterations):
            self.iteration()
        self.finish()

    def timed(self, iterations, after_each=lambda: None):
        """[ns] from one iteration's end to the next on the device; nothing waits in between."""
        marks = hooks.Marks(self._device)
        points = [marks.mark()]
        for _ in range(iterations):
            self.iteration()
            points.append(marks.mark())
            after_each()
        self.finish()
        return [marks.nanoseconds(a, b) for a, b in zip(points, points[1:])]


def has_kineto():
    for module in (torch.autograd, torch.profiler, torch._C._autograd):
        function = getattr(module, "kineto_available", None)
        if function is not None:
            return bool(function())
    return True


def profile(training, iterations, path):
    """Profiles iterations with shapes into path (.json.gz); (iteration times, bytes written)."""
    plain = path[:-len(".gz")]
    if has_kineto():
        activities = [torch.profiler.ProfilerActivity.CPU]
        if training._device.type == "cuda":
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        warm_up = 2
        profiler = torch.profiler.profile(
            activities=activities, record_shapes=True,
            schedule=torch.profiler.schedule(wait=0, warmup=warm_up, active=iterations, repeat=1),
            on_trace_ready=lambda p: p.export_chrome_trace(plain))
        with profiler:
            for _ in range(warm_up):
                training.iteration()
                profiler.step()
            times = training.timed(iterations, profiler.step)
    else:  # PyTorch built without Kineto, Debian's 1.13: its older profiler, without iteration marks
        with torch.autograd.profiler.profile(
                use_cuda=training._device.type == "cuda", record_shapes=True, use_kineto=False) as profiler:
            times = training.timed(iterations)
        profiler.export_chrome_trace(plain)
    return times, provenance.gzip_file(plain, path)


def free_memory(device):
    gc.collect()  # a model in a cycle would live on, its parameters' names with it
    if device.type == "cuda":
        torch.cuda.empty_cache()


def label(workload):
    return f"{workload[0]}-b{workload[1]}"


def median_ms(times):
    return sorted(times)[len(times) // 2] / 1e6


def run_training(mode, device, deadline, options, result):
    """Plain iterations, as a user's program would run them; when the timed ones ran is kept, so that
    they are found again in a trace of the whole process."""
    for workload in options.workloads:
        def work(workload=workload):
            training = Training(workload, device)
            training.warm_up()
            begin = time.time_ns()  # CLOCK_REALTIME, as the tracer's times
            times = training.timed(TIMED_ITERATIONS)
            return times, (mode, label(workload), begin, time.time_ns())

        done = deadline.run(label(workload), "training", TRAINING_GUESS, work)
        free_memory(device)
        if done:
            times, window = done
            result["iterations"].append((mode, label(workload), times))
            result["windows"].append(window)
            result["done"].append((label(workload), f"median {median_ms(times):.2f} ms an iteration"))


def run_plain(device, deadline, options, result):
    run_training("plain", device, deadline, options, result)


def run_traced(device, deadline, options, result):
    run_training("traced", device, deadline, options, result)


def run_profile(device, deadline, options, result):
    os.makedirs(os.path.join(options.out, "traces"), exist_ok=True)
    for workload in options.workloads:
        path = os.path.join(options.out, "traces", f"{label(workload)}.json.gz")

        def work(workload=workload, path=path):
            training = Training(workload, device)
            training.warm_up()
            return profile(training, TIMED_ITERATIONS, path)

        done = deadline.run(label(workload), workload[0], PROFILE_GUESS, work)
        free_memory(device)
        if done:
            times, size = done
            table = parameter_tables.as_csv(parameter_tables.parameters(workload[0]))
            provenance.write_text(os.path.join(options.out, f"{workload[0]}-parameters.csv"), table)
            result["iterations"].append(("profile", label(workload), times))
            result["done"].append((label(workload), f"{len(times)} iterations in {os.path.basename(path)}, "
                                   f"{size} bytes, median {median_ms(times):.2f} ms"))


def run_hooks(device, deadline, options, result):
    folder = os.path.join(options.out, "hook-traces")
    os.makedirs(folder, exist_ok=True)
    if not torch.distributed.is_available():
        result["failed"].append(("all hooks", "this PyTorch is built without torch.distributed"))
        return
    with tempfile.TemporaryDirectory() as rendezvous, hooks.one_rank(device, rendezvous):
        for scheme, parameter, make in hooks.available():
            for workload in options.hook_workloads:
                name = "-".join(filter(None, (label(workload), scheme, parameter.replace("rank=", "r"))))
                path = os.path.join(folder, f"{name}.json.gz")

                def work(workload=workload, make=make, path=path):
                    return time_and_trace_hook(workload, device, make, path, options.bucket_mb)

                done = deadline.run(name, workload[0], HOOK_GUESS, work)
                free_memory(device)
                if done:
                    for entry in done:
                        entry.update(scheme=scheme, parameter=parameter, model=label(workload))
                    result["entries"] += done
                    encode = sum(entry["encode_ns"] for entry in done) / 1e6
                    decode = sum(entry["decode_ns"] for entry in done) / 1e6
                    result["done"].append((name, f"{len(done)} buckets, encode {encode:.3f} ms, decode "
                                           f"{decode:.3f} ms an iteration"))


def time_and_trace_hook(workload, device, make, path, bucket_mb):
    """The entries of one hook on one workload; its trace, with the real collectives, goes to path."""
    state, hook = make()
    timer = hooks.StageTimer(hook, device)
    training = Training(workload, device, (state, timer.as_hook()), bucket_mb)
    training.warm_up()  # past the rebuilt buckets and PowerSGD's first iterations
    timer.forget()
    training.timed(TIMED_ITERATIONS)
    entries = timer.entries()
    del training
    state, hook = make()
    if device.type == "cpu":
        # gloo runs the stages on its few threads, and PowerSGD's stages wait for collectives inside
        # them: with several buckets that never ends. nccl's futures are done once they are queued.
        hook = hooks.StageTimer(hook, device).as_hook()
    training = Training(workload, device, (state, hook), bucket_mb)
    training.warm_up()
    profile(training, HOOK_TRACE_ITERATIONS, path)
    return entries


RUN = {"traced": run_traced, "profile": run_profile, "hooks": run_hooks, "plain": run_plain}
