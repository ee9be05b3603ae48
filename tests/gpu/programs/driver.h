#pragma once

#include <stddef.h>
#include <stdint.h>

/* libcuda, opened when the program runs: so that the program is compiled without CUDA and starts on any host. */

enum { CANNOT = 3 }; /* exit code: this host lacks what the program needs. The reason is on standard error. */

#define GPU_CALL(name, ...) extern int (*name)(__VA_ARGS__);
#include "driver_calls.inc"

/* Ends the program with CANNOT where a function is missing or memory is short, with 1 where it fails otherwise. */
#define CALL(function, ...)                         \
  do {                                              \
    if ((function) == NULL) die_without(#function); \
    const int code_ = (function)(__VA_ARGS__);      \
    if (code_ != 0) die_of(#function, code_);       \
  } while (0)
void die_without(const char* function);
void die_of(const char* function, int code);

/* Opens libcuda and initializes it. The number of GPUs, at least 1; else it ends the program with CANNOT. */
int open_driver(void);

/* The primary context of the first GPU becomes this thread's. */
void* use_first_gpu(void);

/* A kernel of kernels.ptx, which is beside the program: from kernels.sm_XY.cubin where there is one for this GPU. */
void* kernel(const char* name);

/* "cubin" or "ptx", after the first kernel(). */
const char* code_kind(void);
/* After a reset of the context, code has to be loaded again. */
void forget_code(void);
