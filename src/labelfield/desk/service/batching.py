"""Requests that wait are answered together: one call of the model for many."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

__all__ = ["Batcher", "BusyError"]


class BusyError(Exception):
    """Too many requests wait already."""


@dataclass
class _Waiting:
    work: Any
    size: int
    answer: "asyncio.Future[Any]"


class Batcher:
    """Hands what waits to `answer_all(list of works) -> list of answers`, in a thread of its own.

    While one batch is computed the next one gathers, so that batches grow with the load and a lone
    request does not wait. If a batch fails, its works are answered one by one, so that only the
    one at fault gets the error.
    """

    def __init__(
        self,
        answer_all: Callable[[list[Any]], list[Any]],
        *,
        max_size: int = 256,
        max_waiting: int = 1000,
    ) -> None:
        self._answer_all = answer_all
        self.max_size = max_size
        self.max_waiting = max_waiting
        self.batches = self.works = 0
        self._waiting: list[_Waiting] = []
        self._arrived = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="model")
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; inside a running loop."""
        self._task = asyncio.create_task(self._work())

    async def stop(self) -> None:
        """Answer what waits, then end."""
        while self._waiting:
            await asyncio.sleep(0.01)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._thread.shutdown(wait=True)

    async def ask(self, work: Any, size: int = 1) -> Any:
        """Return the answer to a piece of work of some size (rows)."""
        if len(self._waiting) >= self.max_waiting:
            raise BusyError
        one = _Waiting(work, size, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        self._arrived.set()
        return await one.answer

    async def run(self, call: Callable[[], Any]) -> Any:
        """Run another call in the thread of the model."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def _work(self) -> None:
        while True:
            await self._arrived.wait()
            batch = self._take()
            if not self._waiting:
                self._arrived.clear()
            answers = await self.run(lambda works=[one.work for one in batch]: self._answer(works))
            self.batches += 1
            self.works += len(batch)
            for one, answer in zip(batch, answers):
                if one.answer.cancelled():  # the client has gone
                    continue
                if isinstance(answer, Exception):
                    one.answer.set_exception(answer)
                else:
                    one.answer.set_result(answer)

    def _take(self) -> list[_Waiting]:
        """Take the first works that fit into a batch, at least one."""
        n_taken, size = 0, 0
        for one in self._waiting:
            size += one.size
            if n_taken and size > self.max_size:
                break
            n_taken += 1
        taken, self._waiting = self._waiting[:n_taken], self._waiting[n_taken:]
        return taken

    def _answer(self, works: list[Any]) -> list[Any]:
        try:
            return self._answer_all(works)
        except Exception as error:
            if len(works) == 1:
                return [error]
        return [self._answer([work])[0] for work in works]
