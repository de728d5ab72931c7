"""A call in a process of its own, with a time limit."""

import math
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable
from typing import Any

from lab.failures import describe_failure
from lab.limits import cap_memory, describe_shortage, describe_timeout

__all__ = ["call_apart"]

PATIENCE = 10  # for processes that wait, or share the machine


def call_apart(function: Callable[..., dict], *arguments: Any, limit: float | None = None) -> dict:
    """Return what the function returns; a failure or the end of the time is told, not raised.

    The process and all that it started end with the call, however it ends. It may have 70 % of the
    machine's memory.

    Parameters
    ----------
    function : callable
        Returns a dict of plain data.
    *arguments : objects
    limit : float, optional
        CPU seconds of each process, and PATIENCE times as many on the clock.

    Returns
    -------
    dict
        That of the function, or {"error": ...}, or {"unfinished": ...}.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(function, arguments, sender, limit))
    process.start()
    sender.close()
    try:
        if not receiver.poll(None if limit is None else PATIENCE * limit):
            return describe_timeout(limit)
        return receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGXCPU:
            return describe_timeout(limit)
        return {"error": f"the process ended with exit code {process.exitcode} and no answer"}
    finally:
        _end(process)


def _run(function: Callable[..., dict], arguments: tuple, sender: Any, limit: float | None) -> None:
    os.setsid()  # so that what it starts ends with it
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 5))
    cap_memory()
    try:
        sender.send(function(*arguments))
    except MemoryError:
        sender.send({"error": describe_shortage(limit)["unfinished"]})
    except Exception as error:
        sender.send(describe_failure(error))


def _end(process: Any) -> None:
    if process.is_alive():
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:  # it had not made its own group yet, or is gone
            process.kill()
    process.join()
