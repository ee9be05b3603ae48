"""Spends its CPU time in functions of known shares, and prints them as it measures them itself: a program for
tests/tools/record/record_python.py. Needs nothing but CPython 3.8."""

import json
import sys
import threading
import time
import zlib
from collections import Counter

CPU = {}
DATA = bytes(range(256)) * 40_000


def spin(seconds, of):
    """Computes for so long on this thread's own CPU clock, and counts that for the function that asked for it."""
    began = now = time.thread_time()
    while now < began + seconds:
        for _ in range(300):
            pass
        now = time.thread_time()
    CPU[of] = CPU.get(of, 0) + now - began


def one():
    spin(0.004, "one")


def three():
    spin(0.012, "three")


def deep(depth):
    if depth > 0:
        deep(depth - 1)
    else:
        spin(0.004, "deep")


def generated():
    for _ in range(2):
        spin(0.002, "generated")
        yield


class Klass:
    def method(self):
        (lambda: spin(0.004, "lambda"))()


def pack():
    """In C, without the lock."""
    began = time.thread_time()
    zlib.compress(DATA, 1)
    CPU["pack"] = CPU.get("pack", 0) + time.thread_time() - began


def order():
    """In C, with the lock."""
    began = time.thread_time()
    while time.thread_time() < began + 0.004:
        sorted(DATA[:20000])
    CPU["order"] = CPU.get("order", 0) + time.thread_time() - began


def rest():
    time.sleep(0.02)


def shares(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        one()
        three()
        deep(200)
        list(generated())
        Klass().method()
        pack()
        order()
        rest()
    print(json.dumps(CPU))


def compute(stop, done, name):
    count = 0
    while time.monotonic() < stop:
        for _ in range(1000):
            count += 1
    done[name] = time.thread_time()


def fight(seconds, threads):
    """Threads that all compute in Python: at each moment one has the lock, and the others want it."""
    stop, done = time.monotonic() + float(seconds), {}
    began = time.monotonic()
    all_threads = [threading.Thread(target=compute, args=(stop, done, f"thread {i}")) for i in range(int(threads))]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    print(json.dumps({"wall": time.monotonic() - began, **done}))


def idle(seconds):
    """A thread that sleeps, one that waits for an event, and one that computes: nobody waits for the lock."""
    event = threading.Event()
    threads = [threading.Thread(target=time.sleep, args=(seconds,), daemon=True), threading.Thread(target=event.wait, daemon=True)]
    for thread in threads:
        thread.start()
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        spin(0.01, "idle")
    event.set()


def own_sampler(seconds):
    """The functions of the main thread as another thread of this program sees them."""
    main, seen, stop = threading.main_thread().ident, Counter(), threading.Event()

    def sample():
        while not stop.wait(0.003):
            frame = sys._current_frames()[main]
            names = set()
            while frame is not None:
                names.add(frame.f_code.co_name)
                frame = frame.f_back
            seen.update(names & {"one", "three", "deep"})

    thread = threading.Thread(target=sample)
    thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        one()
        three()
        deep(20)
    stop.set()
    thread.join()
    print(json.dumps(seen))


def fib(number):
    return number if number < 2 else fib(number - 1) + fib(number - 2)


def passed_on(depth):
    if depth > 0:
        yield from passed_on(depth - 1)
    yield depth


def raised(depth):
    if depth == 0:
        raise ValueError
    raised(depth - 1)


def storm(seconds):
    """Calls and returns all the time: who may call whom is known."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        fib(14)
        sum(passed_on(30))
        try:
            raised(40)
        except ValueError:
            pass
        names = {}
        exec("def fresh(n):\n  return n + 1\nfor i in range(20): fresh(i)", names)


def children(seconds):
    """fork(): each process samples under its own number."""
    import os
    child = os.fork()
    (one if child == 0 else three)()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        (one if child == 0 else three)()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    print(child)


if __name__ == "__main__":
    mode, how_long, *more = sys.argv[1:]
    {"shares": shares, "fight": fight, "idle": idle, "own_sampler": own_sampler, "storm": storm, "children": children}[mode](
        float(how_long), *more)
