/* Kernels with one planted fault each, and with its fix; what planted.py is for programs of PyTorch.
 *
 *   kernel_cases --list                          cases, their variants and what is wrong, as JSON
 *   kernel_cases CASE VARIANT --serve [--tiny]   after each line of standard input: one round, as a line of JSON
 *   kernel_cases CASE VARIANT --steps N [--tiny] N launches, to be profiled
 *
 * --tiny takes small sizes, to try the program. A host that lacks what it needs ends it with 3 and the reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver.h"

enum { THREADS = 256, VARIANTS = 2, LAUNCH_PARAMETERS = 5 };
enum { WARM_UP = 3, MOST_ITERATIONS = 1000 }; /* a queue of launches takes at least as many without waiting */
enum { SMS = 132 };                           /* of the H100: the sizes are those of its first measurements */
static const double kRoundMs = 100;

/* What a launch is given: a number first, as the stand-in for CUDA takes it for nanoseconds. */
typedef struct {
  unsigned blocks;
  int64_t count;
  uint64_t out, in;
  uint32_t width_bits, height;
} shape;

typedef struct {
  const char *name, *wrong, *fix;
  const char* kernels[VARIANTS];
  shape (*make)(int is_tiny);
} kernel_case;

static const char* const kVariants[VARIANTS] = {"bad", "fixed"};

static uint64_t memory_of_floats(size_t count) {
  uint64_t memory = 0;
  CALL(cuMemAlloc_v2, &memory, count * sizeof(float));
  CALL(cuMemsetD8Async, memory, 0, count * sizeof(float), NULL);
  return memory;
}

/* 512 MiB in and out. */
static shape make_read(int is_tiny) {
  shape made = {0};
  made.width_bits = is_tiny ? 8 : 13;
  made.height = is_tiny ? 256 : 16384;
  made.count = ((int64_t)1 << made.width_bits) * made.height;
  made.blocks = (unsigned)(made.count / THREADS);
  made.in = memory_of_floats((size_t)made.count);
  made.out = memory_of_floats((size_t)made.count);
  return made;
}

/* 16 MiB of links, which stay in the L2 cache. Link i leads to (1664525 i + 1013904223) modulo their number. */
static shape make_chase(int is_tiny) {
  const uint32_t links = is_tiny ? 1U << 16 : 1U << 22;
  shape made = {0};
  made.count = links - 1; /* the mask */
  made.blocks = is_tiny ? SMS : SMS * 64;
  made.in = memory_of_floats(links);
  made.out = memory_of_floats((size_t)made.blocks * THREADS);
  uint32_t* host = malloc(links * sizeof *host);
  for (uint32_t i = 0; i < links; ++i) host[i] = (i * 1664525U + 1013904223U) & (links - 1);
  CALL(cuMemcpyHtoD_v2, made.in, host, links * sizeof *host);
  free(host);
  return made;
}

static shape make_poly(int is_tiny) {
  shape made = {0};
  made.blocks = is_tiny ? SMS : SMS * 32;
  made.count = (int64_t)made.blocks * THREADS;
  made.in = memory_of_floats((size_t)made.count);
  made.out = memory_of_floats((size_t)made.count);
  return made;
}

static const kernel_case kCases[] = {
    {"k01_uncoalesced",
     "neighbouring threads read floats 64 KiB apart: 32 sectors a request",
     "read in the order of the threads",
     {"read_apart", "read_in_order"},
     make_read},
    {"k03_registers",
     "200 values a thread kept in registers leave 8 warps an SM: latency of dependent loads is not hidden",
     "keep 8 values a thread (same chains of loads)",
     {"chase_200", "chase_8"},
     make_chase},
    {"k07_fp64",
     "literals 1.0001 and 0.5 without f: float values computed in double, with conversions",
     "1.0001f and 0.5f",
     {"poly_double", "poly_float"},
     make_poly},
};
enum { CASES = sizeof kCases / sizeof kCases[0] };

static void launch(void* function, shape* s) {
  void* arguments[LAUNCH_PARAMETERS] = {&s->count, &s->out, &s->in, &s->width_bits, &s->height};
  CALL(cuLaunchKernel, function, s->blocks, 1U, 1U, (unsigned)THREADS, 1U, 1U, 0U, NULL, arguments, NULL);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

typedef struct {
  double wall_ms, event_ms; /* a launch: until the GPU is done, and between CUDA events */
} round_times;

static round_times measured(void* function, shape* s, int iterations) {
  static void *begin, *end;
  float passed = 0;
  if (begin == NULL) {
    CALL(cuEventCreate, &begin, 0);
    CALL(cuEventCreate, &end, 0);
  }
  CALL(cuCtxSynchronize);
  const double began = now_ms();
  CALL(cuEventRecord, begin, NULL);
  for (int i = 0; i < iterations; ++i) launch(function, s);
  CALL(cuEventRecord, end, NULL);
  CALL(cuEventSynchronize, end);
  const double wall = now_ms() - began;
  CALL(cuEventElapsedTime, &passed, begin, end);
  return (round_times){wall / iterations, (double)passed / iterations};
}

static void serve(void* function, shape* s) {
  char line[64];
  measured(function, s, WARM_UP);
  const int wanted = (int)(kRoundMs / measured(function, s, WARM_UP).wall_ms);
  const int iterations = wanted < WARM_UP ? WARM_UP : wanted > MOST_ITERATIONS ? MOST_ITERATIONS : wanted;
  printf("{\"iterations\": %d}\n", iterations);
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    const round_times round = measured(function, s, iterations);
    printf("{\"event_ms\": %.6f, \"wall_ms\": %.6f}\n", round.event_ms, round.wall_ms);
    fflush(stdout);
  }
}

static void list(void) {
  for (size_t i = 0; i < CASES; ++i) {
    const kernel_case* c = &kCases[i];
    printf(
        "%s\"%s\": {\"kind\": \"kernel\", \"variants\": [\"%s\", \"%s\"], \"steps\": %d, \"wrong\": \"%s\", \"fix\": "
        "\"%s\"}",
        i == 0 ? "{" : ",\n ", c->name, kVariants[0], kVariants[1], WARM_UP + 1, c->wrong, c->fix);
  }
  printf("}\n");
}

/* The index of the name; -1 where it is none of them. */
static int find_case(const char* name) {
  for (int i = 0; i < (int)CASES; ++i) {
    if (strcmp(kCases[i].name, name) == 0) return i;
  }
  return -1;
}

static int find_variant(const char* name) {
  for (int i = 0; i < VARIANTS; ++i) {
    if (strcmp(kVariants[i], name) == 0) return i;
  }
  return -1;
}

typedef struct {
  int is_tiny, serves, steps;
} options;

/* Without an action where an argument is none of ours. */
static options options_of(int argc, char** argv) {
  options found = {0};
  for (int i = 3; i < argc; ++i) {
    if (strcmp(argv[i], "--tiny") == 0) {
      found.is_tiny = 1;
    } else if (strcmp(argv[i], "--serve") == 0) {
      found.serves = 1;
    } else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      found.steps = atoi(argv[++i]);
    } else {
      return (options){0};
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    list();
    return 0;
  }
  const int chosen = argc > 2 ? find_case(argv[1]) : -1;
  const int variant = argc > 2 ? find_variant(argv[2]) : -1;
  const options wanted = options_of(argc, argv);
  if (chosen < 0 || variant < 0 || (!wanted.serves && wanted.steps < 1)) {
    fprintf(stderr, "usage: kernel_cases --list | CASE VARIANT {--serve | --steps N} [--tiny]\n");
    return 2;
  }
  open_driver();
  use_first_gpu();
  void* function = kernel(kCases[chosen].kernels[variant]);
  shape made = kCases[chosen].make(wanted.is_tiny);
  if (wanted.serves) {
    serve(function, &made);
    return 0;
  }
  const round_times times = measured(function, &made, wanted.steps);
  printf("{\"steps\": %d, \"event_ms\": %.6f}\n", wanted.steps, times.event_ms);
  return 0;
}
