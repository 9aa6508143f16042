"""Work on all cores: jobs handed out one at a time to processes of one thread each."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from experiments.lib.process import set_threads
from experiments.lib.run import RunError

Job = TypeVar("Job")
Result = TypeVar("Result")


def work(
    jobs: Iterator[Job],
    do: Callable[[Job], Result],
    workers: int,
    stopped: Callable[[], bool],
) -> Iterator[tuple[Job, Result]]:
    """Do jobs and yield each with its result, in the order in which they end.

    The kernels that a job uses should be compiled before, or every process compiles them.

    Args:
        jobs: asked for the next job when a process is free for it.
        do: a function of a module, for processes to find.
        workers: number of processes; with one it is this.
        stopped: asked before each job whether to leave the rest; what has begun is ended.

    Raises:
        RunError: if a process was killed.
    """
    if workers == 1:
        while not stopped() and (job := next(jobs, None)) is not None:
            yield job, do(job)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_start_worker) as pool:
        running: dict[Future[Result], Job] = {}
        while True:
            while len(running) < workers and not stopped():
                job = next(jobs, None)
                if job is None:
                    break
                running[pool.submit(do, job)] = job
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), _result(future)


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise RunError(
            "a process was killed, perhaps for want of memory: what had ended is kept, and the same"
            " command goes on; use fewer workers if it happens again"
        ) from error


def _start_worker() -> None:
    """One thread a process; the first process alone heeds signals, and lets what runs end.

    Terminals and cluster schedulers send them to all processes at once.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    set_threads(1)
