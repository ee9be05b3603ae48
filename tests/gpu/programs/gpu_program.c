/* What a test wants to see recorded on a real GPU: gpu_program SCENARIO [COUNT [MORE]]. Prints what it did as JSON, by
 * construction: kernels and copies by count and bytes, and the milliseconds between CUDA events around each kernel. It
 * calls the driver itself, so that gcc alone compiles it. Exits with 3 where the host cannot run it, with the reason. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "small_nvtx.h"

#define AXPY "_Z4axpyILi128EEvxPfPKff"
enum { KIB = 1024, MIB = 1024 * KIB, COPY_BYTES = MIB, FLOATS = MIB, THREADS = 128, CAPTURE_GLOBAL = 0, ATTACH_GLOBAL = 1 };
enum { HOT_BLOCKS = 1024, HOT_THREADS = 256, HOT_ROUNDS = 20000 };
static const double kSpinMs = 2; /* long beside what events cost */

static struct {
  long spins, axpys, hots;
  long copies; /* of each direction */
  long sets, graph_launches;
  double event_ms; /* around the spinning kernels of the timed scenario */
  double checksum;
} account;

typedef struct {
  uint64_t x, y;
} buffers;

static buffers make_buffers(void) {
  buffers made;
  CALL(cuMemAlloc_v2, &made.x, FLOATS * sizeof(float));
  CALL(cuMemAlloc_v2, &made.y, FLOATS * sizeof(float));
  CALL(cuMemsetD8Async, made.x, 0, FLOATS * sizeof(float), NULL);
  CALL(cuMemsetD8Async, made.y, 0, FLOATS * sizeof(float), NULL);
  account.sets += 2;
  return made;
}

static void launch(const char* name, unsigned blocks, unsigned threads, void* stream, void** arguments) {
  CALL(cuLaunchKernel, kernel(name), blocks, 1U, 1U, threads, 1U, 1U, 0U, stream, arguments, NULL);
}

static void spin(double ms) {
  int64_t ns = (int64_t)(ms * 1e6);
  void* arguments[] = {&ns};
  launch("spin", 1, 1, NULL, arguments);
}

static void axpy_of(void* function, buffers* b, int64_t count, void* stream) {
  float a = 0.5F;
  void* arguments[] = {&count, &b->y, &b->x, &a};
  CALL(cuLaunchKernel, function, (unsigned)((count + THREADS - 1) / THREADS), 1U, 1U, THREADS, 1U, 1U, 0U, stream, arguments,
       NULL);
}

static void axpy(buffers* b, void* stream) { axpy_of(kernel(AXPY), b, FLOATS, stream); }

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Kernels of known length (MORE: milliseconds), each between two events. */
static void timed(int count, int more) {
  void *begin, *end;
  const double ms = more > 0 ? more : kSpinMs;
  CALL(cuEventCreate, &begin, 0);
  CALL(cuEventCreate, &end, 0);
  spin(1e-6); /* what the first launch loads is no part of it */
  CALL(cuCtxSynchronize);
  for (int i = 0; i < count; ++i) {
    float passed = 0;
    nvtx_push("timed");
    CALL(cuEventRecord, begin, NULL);
    spin(ms);
    CALL(cuEventRecord, end, NULL);
    CALL(cuEventSynchronize, end);
    nvtx_pop();
    CALL(cuEventElapsedTime, &passed, begin, end);
    account.event_ms += passed;
  }
  account.spins = count + 1;
}

static void steps(buffers* b, int count) {
  static float host[COPY_BYTES / sizeof(float)];
  for (size_t i = 0; i < COPY_BYTES / sizeof(float); ++i) host[i] = (float)(i % 7);
  for (int i = 0; i < count; ++i) {
    nvtx_push("step");
    CALL(cuMemcpyHtoD_v2, b->x, host, COPY_BYTES);
    axpy(b, NULL);
    CALL(cuMemsetD8Async, b->y, 0, 4096, NULL);
    CALL(cuMemcpyDtoH_v2, host, b->y, COPY_BYTES);
    CALL(cuMemcpyDtoDAsync_v2, b->x, b->y, COPY_BYTES, NULL);
    nvtx_pop();
  }
  CALL(cuCtxSynchronize);
  account.axpys += count;
  account.copies += count;
  account.sets += count;
  for (size_t i = 0; i < COPY_BYTES / sizeof(float); ++i) account.checksum += host[i];
}

static void work(int count, int more) {
  (void)more;
  buffers b = make_buffers();
  steps(&b, count);
}

static struct {
  void* context;
  void* function;
  buffers buffers;
  int count;
} shared;

static void* in_stream(void* unused) {
  void* stream;
  CALL(cuCtxSetCurrent, shared.context);
  CALL(cuStreamCreate, &stream, 0);
  for (int i = 0; i < shared.count; ++i) axpy_of(shared.function, &shared.buffers, FLOATS, stream);
  CALL(cuStreamSynchronize, stream);
  return unused;
}

static void streams(int count, int more) {
  (void)more;
  pthread_t threads[4];
  shared.context = use_first_gpu();
  shared.function = kernel(AXPY);
  shared.buffers = make_buffers();
  shared.count = count;
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, in_stream, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  account.axpys = 4L * count;
}

static void graph(int count, int more) {
  (void)more;
  void *stream, *captured, *executable;
  buffers b = make_buffers();
  kernel(AXPY); /* loaded before the capture */
  CALL(cuStreamCreate, &stream, 0);
  CALL(cuStreamBeginCapture_v2, stream, CAPTURE_GLOBAL);
  axpy(&b, stream);
  axpy(&b, stream);
  CALL(cuStreamEndCapture, stream, &captured);
  CALL(cuGraphInstantiateWithFlags, &executable, captured, 0);
  for (int i = 0; i < count; ++i) CALL(cuGraphLaunch, executable, stream);
  CALL(cuStreamSynchronize, stream);
  account.axpys = 2L * count;
  account.graph_launches = count;
}

static void spins(int count) {
  for (int i = 0; i < count; ++i) spin(1e-3);
  CALL(cuCtxSynchronize);
}

static void axpys(buffers* b, int count) {
  for (int i = 0; i < count; ++i) axpy(b, NULL);
  CALL(cuCtxSynchronize);
  account.axpys += count;
}

/* Only what lies between the two calls is counted. */
static void profiler(int count, int more) {
  (void)more;
  buffers b = make_buffers();
  spins(count);
  CALL(cuProfilerStart);
  axpys(&b, count);
  CALL(cuProfilerStop);
  spins(count);
  account.sets = 0;
}

/* COUNT ranges, with MORE seconds of idling between them. */
static void idle(int count, int more) {
  buffers b = make_buffers();
  axpys(&b, 1);
  account.axpys = account.sets = 0;
  for (int i = 0; i < count; ++i) {
    if (i > 0) sleep((unsigned)more);
    CALL(cuProfilerStart);
    nvtx_push("range");
    axpys(&b, 20);
    nvtx_pop();
    CALL(cuProfilerStop);
  }
}

static void many(int count, int more) {
  (void)more;
  buffers b = make_buffers();
  void* function = kernel(AXPY);
  for (int i = 0; i < count; ++i) axpy_of(function, &b, THREADS, NULL);
  CALL(cuCtxSynchronize);
  account.axpys = count;
}

static int by_size(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

/* The launch-bound loop: the median of its batches, ms a thousand launches. */
static void loop(int count, int more) {
  (void)more;
  buffers b = make_buffers();
  void* function = kernel(AXPY);
  double* batches = calloc((size_t)count, sizeof(double));
  for (int i = 0; i < count; ++i) {
    const double began = now_ms();
    for (int j = 0; j < 1000; ++j) axpy_of(function, &b, THREADS, NULL);
    CALL(cuCtxSynchronize);
    batches[i] = now_ms() - began;
  }
  qsort(batches, (size_t)count, sizeof(double), by_size);
  printf("{\"step_ms\": %.4f}\n", batches[count / 2]);
  exit(0);
}

/* Memory that both sides touch in turn: at most 64 MiB, and a quarter of what is free. */
static void managed(int count, int more) {
  (void)more;
  size_t free_bytes = 256 * (size_t)MIB, all = 0;
  uint64_t memory = 0;
  if (cuMemGetInfo_v2 != NULL) CALL(cuMemGetInfo_v2, &free_bytes, &all);
  const size_t bytes = free_bytes / 4 < 64 * (size_t)MIB ? free_bytes / 4 : 64 * (size_t)MIB;
  const int64_t floats = (int64_t)(bytes / 2 / sizeof(float));
  CALL(cuMemAllocManaged, &memory, bytes, ATTACH_GLOBAL);
  buffers b = {memory, memory + bytes / 2};
  for (int i = 0; i < count; ++i) {
    memset((void*)memory, 0, bytes);
    axpy_of(kernel(AXPY), &b, floats, NULL);
    CALL(cuCtxSynchronize);
  }
  account.axpys = count;
}

static void twoctx(int count, int more) {
  work(count, more);
  void* second = NULL;
  CALL(cuCtxCreate_v2, &second, 0, 0);
  forget_code();
  work(count, more);
}

static void reset(int count, int more) {
  work(count, more);
  CALL(cuDevicePrimaryCtxReset_v2, 0);
  forget_code();
  use_first_gpu();
  work(count, more);
}

static void hot(int count, int more) {
  (void)more;
  uint64_t out = 0;
  int64_t rounds = HOT_ROUNDS;
  CALL(cuMemAlloc_v2, &out, sizeof(float) * HOT_BLOCKS * HOT_THREADS);
  void* arguments[] = {&rounds, &out};
  for (int i = 0; i < count; ++i) launch("hot", HOT_BLOCKS, HOT_THREADS, NULL, arguments);
  CALL(cuCtxSynchronize);
  account.hots = count;
}

static void report(void) {
  const struct {
    const char* name;
    long count;
  } kernels[] = {{"spin", account.spins}, {AXPY, account.axpys}, {"hot", account.hots}};
  const char* comma = "";
  printf("{\"kernels\": {");
  for (int i = 0; i < 3; ++i) {
    if (kernels[i].count == 0) continue;
    printf("%s\"%s\": %ld", comma, kernels[i].name, kernels[i].count);
    comma = ", ";
  }
  printf("}, \"copies\": {");
  for (int i = 0; account.copies > 0 && i < 3; ++i) {
    const char* const kinds[] = {"1", "2", "8"}; /* CUPTI's: to the device, from it, within it */
    printf("%s\"%s\": [%ld, %ld]", i == 0 ? "" : ", ", kinds[i], account.copies, account.copies * (long)COPY_BYTES);
  }
  printf("}, \"sets\": %ld, \"graph_launches\": %ld, \"event_ms\": %.6f, \"checksum\": %.1f, \"code\": \"%s\"}\n", account.sets,
         account.graph_launches, account.event_ms, account.checksum, code_kind());
  fflush(stdout);
}

/* What was recorded has a second to leave the process before it ends without cleaning up. */
static void wait_for_recorder(void) { usleep(1500000); }

static void leave(int count, int more) {
  work(count, more);
  report();
  wait_for_recorder();
  _exit(0);
}

static void terminated(int count, int more) {
  work(count, more);
  report();
  wait_for_recorder();
  raise(SIGTERM);
}

static void print_devices(int count) {
  for (int i = 0; i < count; ++i) {
    char name[256] = "";
    CALL(cuDeviceGetName, name, sizeof name, i);
    printf("%s\n", name);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(int count, int more);
  } scenarios[] = {{"timed", timed},   {"work", work}, {"streams", streams}, {"graph", graph}, {"profiler", profiler},
                   {"many", many},     {"loop", loop}, {"managed", managed}, {"reset", reset}, {"exit", leave},
                   {"twoctx", twoctx}, {"idle", idle}, {"hot", hot},         {"sigterm", terminated}};
  const char* wanted = argc > 1 ? argv[1] : "";
  if (strcmp(wanted, "devices") == 0) {
    print_devices(open_driver());
    return 0;
  }
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) {
    if (strcmp(scenarios[i].name, wanted) != 0) continue;
    open_driver();
    use_first_gpu();
    scenarios[i].run(argc > 2 ? atoi(argv[2]) : 1, argc > 3 ? atoi(argv[3]) : 0);
    report();
    return 0;
  }
  fprintf(stderr, "usage: gpu_program SCENARIO [COUNT [MORE]]; scenarios: devices");
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) fprintf(stderr, ", %s", scenarios[i].name);
  fprintf(stderr, "\n");
  return 2;
}
