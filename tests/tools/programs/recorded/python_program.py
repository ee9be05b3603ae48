"""A Python program whose ranges are known: python_program.py LIBRARY. Ranges by the binary interface of NVTX."""

import ctypes
import sys
import threading
import time

nvtx = ctypes.CDLL(sys.argv[1])


def step(count):
    for number in range(count):
        nvtx.nvtx_push(f"step {number % 2}".encode())
        nvtx.nvtx_push("größe".encode())
        nvtx.nvtx_pop()
        nvtx.nvtx_pop()


threads = [threading.Thread(target=step, args=(50,)) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
time.sleep(0.02)
print("done")
