"""A Slurm of one node for a test: munged, slurmctld and slurmd of the distribution's packages, with a configuration, keys, ports and
folders of their own, run by whoever runs the test."""

import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo")
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

CONFIGURATION = """ClusterName=gradwire
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SlurmdParameters=config_overrides
# A node that comes back is used again, and asked about its jobs within half a minute: what it has lost is requeued.
ReturnToService=2
JobRequeue=1
SlurmdTimeout=5
BatchStartTimeout=1
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1
NodeName=node NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs():
    return [name for name in PROGRAMS if shutil.which(name, path=search_path()) is None]


def search_path():
    return os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"


def free_ports(count):
    """Ports nobody listens on now; held together, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def children_of(parent):
    """Processes by id with their parent's, all of this machine; a process may end while they are read."""
    found = []
    for path in pathlib.Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            after_name = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after_name[1]) == parent:
            found.append(int(path.name))
    return found


def tree_of(process):
    """The ids of a process's descendants."""
    found = []
    for child in children_of(process):
        found += [child, *tree_of(child)]
    return found


def set_process_option(option, value):
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def die_with_parent():
    set_process_option(PR_SET_PDEATHSIG, signal.SIGKILL)


class SlurmNode:
    """Started by `start`, gone after `stop`, whatever the jobs left behind."""

    def __init__(self, folder):
        self.folder = folder / "slurm"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SLURM", "SBATCH", "SQUEUE", "SINFO"))}
        self.environment["PATH"] = search_path()
        self.environment["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.daemons = {}

    def start(self):
        # What a daemon leaves becomes a child of this process, so that it is found.
        set_process_option(PR_SET_CHILD_SUBREAPER, 1)
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(parents=True)
        for path in (self.folder.parent, self.folder, self.folder / "munge"):
            path.chmod(0o755)  # munged wants its socket to be reachable
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        controller_port, node_port = free_ports(2)
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, controller_port=controller_port, node_port=node_port,
            user=user.stdout.strip()))
        # Named, so that slurmd does not look for the kernel's: a container may have none, and no plugin uses them.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        munge = self.folder / "munge"
        self.run_daemon("munged", "--foreground", f"--key-file={key}", f"--socket={munge}/socket",
                        f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                        f"--seed-file={munge}/seed", "--num-threads=2")
        self.wait_until(lambda: (munge / "socket").exists(), "munged has made its socket")
        self.run_daemon("slurmctld", "-D", "-c")
        self.start_slurmd()
        self.wait_until(lambda: self.ask("sinfo", "-h", "-o", "%T") == "idle", "the node is idle")

    def start_slurmd(self):
        self.run_daemon("slurmd", "-D", "-N", "node")

    def run_daemon(self, name, *arguments):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.daemons[name] = subprocess.Popen(
                [shutil.which(name, path=search_path()), *arguments], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, env=self.environment, cwd=self.folder,
                preexec_fn=die_with_parent)

    def ask(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              timeout=60, check=False)
        return done.stdout.strip()

    def submit(self, folder, *arguments, environment=()):
        """The job's id."""
        done = subprocess.run(["sbatch", "--parsable", *map(str, arguments)], cwd=folder, text=True,
                              env={**self.environment, **dict(environment)}, capture_output=True,
                              timeout=60, check=False)
        if done.returncode != 0:
            raise AssertionError(f"sbatch: {done.stderr}{self.logs()}")
        return done.stdout.strip()

    def tasks(self, job):
        """Of every task of a job, as Slurm has it: the fields of `scontrol show job`."""
        return [dict(re.findall(r"(\w+)=(\S*)", line))
                for line in self.ask("scontrol", "show", "job", "-o", job).splitlines()]

    def wait_for(self, job):
        """The tasks of a job that has ended."""
        ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")
        tasks = []

        def is_over():
            tasks[:] = self.tasks(job)
            return tasks and all(task["JobState"] in ended for task in tasks)

        self.wait_until(is_over, f"job {job} has ended")
        return tasks

    def wait_until(self, condition, what, patience_s=120):
        """Fails with the daemons' logs when `condition` does not come to hold."""
        deadline = time.monotonic() + patience_s
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {patience_s} s: {what}{self.logs()}")
            self.reap()
            time.sleep(0.02)

    def reap(self):
        """Takes leave of ended processes that were left to this one: Slurm waits for a job's last to be gone."""
        daemons = {daemon.pid for daemon in self.daemons.values()}
        for process in children_of(os.getpid()):
            if process not in daemons:
                os.waitpid(process, os.WNOHANG)

    def processes_of_jobs(self):
        """Ids of all that runs on the node but its daemons, and of slurmd."""
        kept = set()
        for name in ("munged", "slurmctld"):
            kept |= {self.daemons[name].pid, *tree_of(self.daemons[name].pid)}
        return [process for process in tree_of(os.getpid()) if process not in kept]

    def kill_node(self):
        """Ends slurmd and all that runs below it, as a power cut does."""
        self.kill_all(self.processes_of_jobs)
        self.daemons.pop("slurmd").wait()

    def kill_all(self, find):
        while processes := find():
            for process in processes:
                try:
                    os.kill(process, signal.SIGKILL)
                    # Only those that are this process's children by now can be waited for.
                    os.waitpid(process, 0)
                except (ProcessLookupError, ChildProcessError):
                    continue

    def stop(self):
        self.kill_all(lambda: tree_of(os.getpid()))
        for daemon in self.daemons.values():
            daemon.wait()

    def logs(self):
        return "".join(f"\n--- {path.name}\n{path.read_text(errors='replace')[-4000:]}"
                       for path in sorted(self.folder.glob("*.log")))
