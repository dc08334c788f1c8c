"""Ranks in network namespaces of their own, joined by one bridge, every link shaped both ways.

The hub is the namespace of the calling process. A namespace lives as long as a process in it, so
nothing is left behind, however the ranks end; they end with their parent (PR_SET_PDEATHSIG).
"""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
BURST_S = 0.004
QUEUE_MS = 30
INSIDE = "GRADWIRE_EMULATED_HUB"
TOOLS = ("unshare", "ip", "tc", "nsenter")
TRIAL = """ip link add name bridge type bridge
ip link add one type veth peer name other
ip addr add 10.99.0.1/24 dev one
ip link set one up
ip route replace 10.99.0.0/24 dev one src 10.99.0.1 congctl lock cubic
tc qdisc replace dev one root tbf rate 100mbit burst 50000 latency 30ms"""

_libc = ctypes.CDLL(None, use_errno=True)


def missing():
    """Why namespaces cannot be made here; empty where they can."""
    for tool in TOOLS:
        if shutil.which(tool) is None:
            return f"no {tool} (packages iproute2, util-linux)"
    tried = subprocess.run([*_unshare(), "sh", "-ec", TRIAL], capture_output=True, text=True,
                           check=False)
    return "" if tried.returncode == 0 else f"no shaped links: {tried.stderr.strip()}"


def _unshare():
    return ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]


def enter_hub():
    """Replaces this process by itself in a new network namespace, once."""
    if INSIDE in os.environ:
        return
    os.environ[INSIDE] = "1"
    os.execvp("unshare", [*_unshare(), sys.executable, *sys.argv])


def in_own_namespace():
    """For a child between fork and exec: a namespace of its own, and no life without its parent."""
    die_with_parent()
    if _libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def in_namespace_of(process):
    """The same, in the namespace of another child."""
    def enter():
        die_with_parent()
        descriptor = os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
        if _libc.setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    return enter


def die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def address(rank):
    return f"10.99.0.{rank + 1}"


class Links:
    """One link a process, to a bridge in the hub; unshaped until `shape`."""

    def __init__(self, processes, congestion_control):
        self._processes = list(processes)
        self._run("ip", "link", "set", "lo", "up")
        self._run("ip", "link", "add", "name", "bridge", "type", "bridge")
        self._run("ip", "link", "set", "bridge", "up")
        for rank, process in enumerate(self._processes):
            self._run("ip", "link", "add", f"rank{rank}", "type", "veth", "peer", "name", "eth0",
                      "netns", str(process))
            self._run("ip", "link", "set", f"rank{rank}", "master", "bridge", "up")
            self._run("ip", "addr", "add", f"{address(rank)}/24", "dev", "eth0", at=rank)
            self._run("ip", "link", "set", "lo", "up", at=rank)
            self._run("ip", "link", "set", "eth0", "up", at=rank)
            self._run("ip", "route", "replace", "10.99.0.0/24", "dev", "eth0", "src", address(rank),
                      "congctl", "lock", congestion_control, at=rank)

    def shape(self, mbit):
        """Every link to `mbit` Mbit/s in each direction."""
        burst = int(mbit * 1e6 / 8 * BURST_S)
        for rank in range(len(self._processes)):
            for at, device in ((rank, "eth0"), (None, f"rank{rank}")):
                self._run("tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate",
                          f"{mbit}mbit", "burst", str(burst), "latency", f"{QUEUE_MS}ms", at=at)

    def _run(self, *command, at=None):
        where = [] if at is None else ["nsenter", f"--net=/proc/{self._processes[at]}/ns/net"]
        subprocess.run([*where, *command], check=True, capture_output=True, text=True)


def kernel():
    return pathlib.Path("/proc/sys/kernel/osrelease").read_text(encoding="utf-8").strip()
