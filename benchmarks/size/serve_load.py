"""Load on the service and the desk: rates, times, CPU and memory.

    python -m benchmarks.size.serve_load                      a few thousand requests
    python -m benchmarks.size.serve_load --requests 100000    the run behind "memory stays flat"
    python -m benchmarks.size.serve_load --parts processes    one process against two

Starts `labelfield serve` on 127.0.0.1 and asks it from this process. Wall-clock figures are those
of this machine with whatever else it does; CPU milliseconds per request are the server's own.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from labelfield import CorrelatedLogistic, LabelSetClassifier
from labelfield.datasets import make_multilabel

CONNECTIONS = 16
N_FEATURES, N_LABELS, N_ROWS = 294, 6, 1211  # as the training part of scene


def main(n_requests, parts):
    print(f"load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    if "condition" in parts:
        conditioning()
    with tempfile.TemporaryDirectory() as folder:
        if "correlated" in parts:
            model, X = fit_model(CorrelatedLogistic(alpha=0.01), Path(folder, "correlated.lf"))
            measure(model, X, n_requests, half=250.0, p99_target=50.0)
        if "processes" in parts:
            model, X = fit_model(CorrelatedLogistic(alpha=0.01), Path(folder, "correlated.lf"))
            compare_processes(model, X, n_requests)
        if "auto" in parts:
            model, X = fit_model(LabelSetClassifier(), Path(folder, "auto.lf"))
            measure(model, X, min(n_requests, 600), half=None, p99_target=250.0)


def fit_model(model, path):
    """Save a model of the size of scene; return its file and rows to ask about."""
    data = make_multilabel(
        n_samples=N_ROWS, n_features=N_FEATURES, n_labels=N_LABELS, random_state=0
    )
    model.fit(data.X, data.Y).save(path)
    return path, data.X


def conditioning(n_labels=1000, n_calls=200):
    """Print how long the answer to one switched label takes, in CPU milliseconds."""
    from labelfield.desk.assist import Consultation
    from labelfield.joints import IndependentJoint, MixtureJoint, PooledJoint, SupportJoint

    rng = np.random.default_rng(0)
    product = IndependentJoint(rng.normal(-4, 2, (1, n_labels)))
    mixture = MixtureJoint(np.log(np.full((1, 10), 0.1)), rng.normal(-4, 2, (1, 10, n_labels)))
    sets = np.unique((rng.random((5000, n_labels)) < 0.01).astype(np.uint8), axis=0)
    listed = SupportJoint(sets, np.log(rng.dirichlet(np.ones(len(sets)), 1)))
    pool = PooledJoint([product, mixture, listed], [0.3, 0.3, 0.4])
    kinds = {"product": product, "mixture": mixture, "5000 sets": listed, "pool": pool}
    for name, joint in kinds.items():
        consultation, mode = Consultation(joint), joint.mode()[0]
        spent = []
        for _ in range(n_calls):
            known = np.full(n_labels, np.nan)
            chosen = rng.choice(n_labels, 3, replace=False)
            known[chosen] = mode[chosen]
            began = time.process_time()
            consultation.given(known)
            spent.append(1000 * (time.process_time() - began))
        show(f"condition, {n_labels} labels, {name}: CPU p99", np.percentile(spent, 99), "ms", 100)


def measure(model, X, n_requests, half, p99_target):
    """Serve a model and print its rate, its times at half of it, and its memory."""
    with Served(model) as served:
        bodies = bodies_of(X)
        asyncio.run(ask_all(served, bodies, 300, CONNECTIONS))  # warm
        memory, cpu, began = served.memory(), served.cpu(), time.perf_counter()
        asyncio.run(ask_all(served, bodies, n_requests, CONNECTIONS))
        seconds = time.perf_counter() - began
        rate, spent = n_requests / seconds, 1000 * (served.cpu() - cpu) / n_requests
        grown = served.memory() - memory
        name = model.stem
        show(f"{name}: requests a second ({CONNECTIONS} at a time)", rate, "/s")
        show(f"{name}: CPU of the server", spent, "ms a request")
        show(f"{name}: memory {memory:.0f} MB, grown by, over {n_requests} requests", grown, "MB")
        pace = half if half is not None else rate / 2
        times = asyncio.run(ask_at(served, bodies, pace, min(n_requests, int(10 * pace) + 20)))
        times = np.sort(times)
        for percent, target in ((50, None), (99, p99_target)):
            found = 1000 * times[len(times) * percent // 100]
            show(f"{name}: p{percent} at {pace:.0f} a second", found, "ms", target)
        show(f"{name}: refused, too many waiting", 100 * np.isinf(times).mean(), "%")
        print(f"load average after: {os.getloadavg()[0]:.1f}", flush=True)


def compare_processes(model, X, n_requests):
    """Print rates and memory of one process, and of two workers."""
    bodies, found = bodies_of(X), {}
    for n_workers in (1, 2):
        with Served(model, n_workers) as served:
            asyncio.run(ask_all(served, bodies, 600, CONNECTIONS))  # warm
            began = time.perf_counter()
            asyncio.run(ask_all(served, bodies, n_requests, CONNECTIONS))
            rate = n_requests / (time.perf_counter() - began)
            found[n_workers] = served.own_memory()
            show(f"workers {n_workers}: requests a second", rate, "/s")
            show(f"workers {n_workers}: memory, shared pages once", found[n_workers], "MB")
    show("memory of two workers, times that of one process", found[2] / found[1], "", 1.3)


def bodies_of(X):
    """Return requests about single rows."""
    return [json.dumps({"X": [row.tolist()]}).encode() for row in X[:200]]


def show(what, figure, unit, target=None):
    line = f"{what:70s} {figure:9.2f} {unit}"
    if target is not None:
        line += f"   target <= {target:g}: {'met' if figure <= target else 'MISSED'}"
    print(line, flush=True)


class Served:
    """`labelfield serve` in a process of its own."""

    def __init__(self, model, n_workers=1):
        words = [sys.executable, "-m", "labelfield.cli", "serve", str(model), "--port", "0"]
        words += ["--workers", str(n_workers)]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])
        self.token = self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def cpu(self):
        """CPU seconds of the server so far."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Megabytes that the server holds."""
        return megabytes(self.process.pid, "status", "VmRSS:")

    def own_memory(self):
        """Megabytes of the server and its workers, what they share counted once."""
        pid = self.process.pid
        workers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return sum(megabytes(one, "smaps_rollup", "Pss:") for one in (pid, *workers))


def megabytes(pid, file, key):
    """Return a number of a process that its file tells in kB."""
    lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


class Connection:
    """One connection that asks again and again."""

    def __init__(self, served):
        self.served = served

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.served.port)
        return self

    async def ask(self, body):
        head = (
            f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self.served.token}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.writer.write(head.encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        length = answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
        await self.reader.readexactly(int(length))
        if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 503")):
            raise RuntimeError(answer.decode())
        return answer.startswith(b"HTTP/1.1 200")  # else too many wait


async def ask_all(served, bodies, n_requests, n_connections):
    """Ask as fast as answers come, over some connections."""
    numbers = iter(range(n_requests))

    async def work():
        connection = await Connection(served).open()
        for number in numbers:
            await connection.ask(bodies[number % len(bodies)])
        connection.writer.close()

    await asyncio.gather(*(work() for _ in range(n_connections)))


async def ask_at(served, bodies, pace, n_requests):
    """Ask at a steady pace, however long answers take; return seconds, infinite if refused."""
    idle = [await Connection(served).open() for _ in range(CONNECTIONS)]
    began, seconds = time.perf_counter(), []

    async def one(number):
        due = began + number / pace
        await asyncio.sleep(max(due - time.perf_counter(), 0.0))
        connection = idle.pop() if idle else await Connection(served).open()
        answered = await connection.ask(bodies[number % len(bodies)])
        seconds.append(time.perf_counter() - due if answered else np.inf)
        idle.append(connection)

    await asyncio.gather(*(one(number) for number in range(n_requests)))
    for connection in idle:
        connection.writer.close()
    return seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--parts", default="condition,correlated,auto")
    given = parser.parse_args()
    main(given.requests, given.parts.split(","))
