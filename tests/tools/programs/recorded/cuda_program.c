/* What a test wants to see recorded of CUDA: cuda_program SCENARIO [COUNT]. Prints what it did as JSON, from its own
 * account of it: {"kernels": {NAME: [count, ns]}, "copies": {KIND: [count, bytes, ns]}, ...}. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "small_cuda.h"
#include "small_nvtx.h"

static const struct fake_kernel add = {"_Z10vector_addPKfS0_Pfi", 16, 0, 0, 0};
static const struct fake_kernel gemm = {"_ZN4blas4gemmIfLi128EEEvPKT_S3_PS1_i", 128, 49152, 8, 0};
static const struct fake_kernel reduce = {"_Z29ncclDevKernel_AllReduce_Sum_fP8ncclArgs", 96, 0, 0, 0};
static const struct fake_kernel scale = {"scale", 10, 0, 0, 0};
static const struct fake_kernel faulting = {"_Z5touchPf", 12, 0, 0, 7};

enum { add_ns = 20000, gemm_ns = 150000, scale_ns = 500, spaced_ns = 30000000, peer = 10 };

/* Copies and sets of the stand-in take this long. */
static long copy_ns(size_t bytes) { return 1000 + (long)(bytes / 16); }
static long set_ns(size_t bytes) { return 500 + (long)(bytes / 64); }

struct sum {
  const void* key;
  long count, bytes, ns;
};
static struct sum kernels[8], copies[16], sets;
static long graph_launches, api_calls, migrations;
static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;

static void take(struct sum* sums, const void* key, size_t bytes, long ns) {
  pthread_mutex_lock(&account);
  while (sums->key != NULL && sums->key != key) ++sums;
  sums->key = key;
  ++sums->count;
  sums->bytes += (long)bytes;
  sums->ns += ns;
  pthread_mutex_unlock(&account);
}

static int check(int error) {
  if (error != 0) {
    printf("{\"error\": %d}\n", error);
    exit(0);
  }
  __atomic_add_fetch(&api_calls, 1, __ATOMIC_RELAXED);
  return error;
}

static void launch_shaped(const struct fake_kernel* kernel, int64_t ns, void* stream) {
  void* arguments[] = {&ns};
  const dim3 grid = {120, 2, 3}, block = {128, 4, 1};
  check(cudaLaunchKernel(kernel, grid, block, arguments, kernel == &gemm ? 1024 : 0, stream));
}

static void launch(const struct fake_kernel* kernel, int64_t ns, void* stream) {
  launch_shaped(kernel, ns, stream);
  take(kernels, kernel, 0, ns);
}

static void copy(void* to, const void* from, size_t bytes, int kind, int key, void* stream) {
  check(cudaMemcpyAsync(to, from, bytes, kind, stream));
  take(copies, (const void*)(intptr_t)key, bytes, copy_ns(bytes));
}

static void set(void* at, size_t bytes, void* stream) {
  check(cudaMemsetAsync(at, 7, bytes, stream));
  take(&sets, &sets, bytes, set_ns(bytes));
}

static void* buffer(size_t bytes) {
  void* address = NULL;
  check(cudaMalloc(&address, bytes));
  return address;
}

static void print_sums(const char* name, const struct sum* sums, int is_kernels) {
  printf("\"%s\": {", name);
  for (const struct sum* s = sums; s->key != NULL; ++s) {
    if (s != sums) printf(", ");
    if (is_kernels) {
      printf("\"%s\": [%ld, %ld]", ((const struct fake_kernel*)s->key)->name, s->count, s->ns);
    } else {
      printf("\"%d\": [%ld, %ld, %ld]", (int)(intptr_t)s->key, s->count, s->bytes, s->ns);
    }
  }
  printf("}, ");
}

/* CLOCK_MONOTONIC, when the last operation of the default stream ended. */
static long long last_end(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  int64_t (*ready)(void*) = driver == NULL ? NULL : (int64_t (*)(void*))dlsym(driver, "fakeCudaReadyNs");
  return ready == NULL ? 0 : ready(NULL);
}

/* Whether CUPTI still hears of calls: what that costs, a program pays for to its end. */
static int is_listened(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  int (*listened)(void) = driver == NULL ? NULL : (int (*)(void))dlsym(driver, "fakeCudaIsListened");
  return listened == NULL ? 0 : listened();
}

static void report(void) {
  printf("{");
  print_sums("kernels", kernels, 1);
  print_sums("copies", copies, 0);
  printf("\"sets\": [%ld, %ld, %ld], \"graph_launches\": %ld, \"migrations\": %ld, ", sets.count, sets.bytes, sets.ns,
         graph_launches, migrations);
  printf("\"api_calls\": %ld, \"last_end\": %lld, \"pid\": %d, \"is_listened\": %d}\n", api_calls, last_end(),
         (int)getpid(), is_listened());
  fflush(stdout);
}

/* A step of a program of usual form, in ranges. */
static void step(int number, void* stream) {
  enum { bytes = 1 << 20 };
  static char host[bytes];
  static void* on_device = NULL;
  char name[32];
  if (on_device == NULL) on_device = buffer(bytes);
  snprintf(name, sizeof name, "step %d", number % 2);
  nvtx_push(name);
  copy(on_device, host, bytes, to_device, 1, stream);
  nvtx_push("forward");
  launch(&add, add_ns, stream);
  launch(&gemm, gemm_ns, stream);
  nvtx_pop();
  set(on_device, 4096, stream);
  copy(host, on_device, 65536, to_host, 2, stream);
  check(cudaStreamSynchronize(stream));
  nvtx_pop();
}

static void plain(int count) {
  for (int i = 0; i < count; ++i) step(i, NULL);
  check(cudaDeviceSynchronize());
}

/* Two streams, the second waits for the first; then a copy to another GPU. */
static void streams(int count) {
  void *first = NULL, *second = NULL, *event = NULL;
  check(cudaStreamCreate(&first));
  check(cudaStreamCreate(&second));
  check(cudaEventCreate(&event));
  for (int i = 0; i < count; ++i) {
    launch(&add, add_ns, first);
    check(cudaEventRecord(event, first));
    check(cudaStreamWaitEvent(second, event, 0));
    launch(&gemm, gemm_ns, second);
    check(cudaEventSynchronize(event));
  }
  check(cudaMemcpyPeerAsync(NULL, 1, NULL, 0, 1 << 16, second));
  take(copies, (const void*)(intptr_t)peer, 1 << 16, copy_ns(1 << 16));
  check(cudaDeviceSynchronize());
}

/* A graph of two kernels and a set, launched `count` times. The account is of what runs: nothing runs in the capture.
 */
static void graph(int count) {
  void *stream = NULL, *captured = NULL, *exec = NULL;
  void* on_device = buffer(1 << 16);
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, 0));
  launch_shaped(&add, add_ns, stream);
  launch_shaped(&gemm, gemm_ns, stream);
  check(cudaMemsetAsync(on_device, 7, 1 << 16, stream));
  check(cudaStreamEndCapture(stream, &captured));
  check(cudaGraphInstantiate(&exec, captured, 0));
  for (int i = 0; i < count; ++i) {
    nvtx_push("graph");
    check(cudaGraphLaunch(exec, stream));
    nvtx_pop();
    take(kernels, &add, 0, add_ns);
    take(kernels, &gemm, 0, gemm_ns);
    take(&sets, &sets, 1 << 16, set_ns(1 << 16));
    ++graph_launches;
  }
  check(cudaDeviceSynchronize());
}

static void memory(int count) {
  void* address = NULL;
  for (int i = 0; i < count; ++i) {
    check(cudaMalloc(&address, 1000000));
    check(cudaFree(address));
    check(cudaMallocAsync(&address, 2000000, NULL));
    check(cudaFreeAsync(address, NULL));
  }
  check(cudaMalloc(&address, 3000000)); /* never freed */
}

static void managed(int count) {
  enum { bytes = 1 << 16 };
  void* address = NULL;
  check(cudaMallocManaged(&address, bytes, 1));
  for (int i = 0; i < count; ++i) {
    check(cudaMemPrefetchAsync(address, bytes, 0, NULL));
    launch(&faulting, add_ns, NULL);
    check(cudaMemPrefetchAsync(address, bytes, -1, NULL));
    migrations += 2;
  }
  check(cudaDeviceSynchronize());
}

static void launch_with(const struct fake_kernel* kernel, unsigned blocks, int64_t ns) {
  void* arguments[] = {&ns};
  const dim3 grid = {blocks, 1, 1}, block = {256, 1, 1};
  check(cudaLaunchKernel(kernel, grid, block, arguments, 0, NULL));
  take(kernels, kernel, 0, ns);
}

/* A model of three parts: two layers of one kind with a kernel of their own; a part in which vector_add is dear; one in
 * which it is cheap. */
static void model(int count) {
  enum { input = 1 << 20, output = 1 << 16 };
  static char host[input];
  void* on_device = buffer(input);
  char name[64];
  for (int i = 0; i < count; ++i) {
    snprintf(name, sizeof name, "step %d", i);
    nvtx_push(name);
    nvtx_push("model");
    copy(on_device, host, input, to_device, 1, NULL);
    nvtx_push("model.backbone");
    for (int layer = 0; layer < 2; ++layer) {
      snprintf(name, sizeof name, "model.backbone.layer%d", layer);
      nvtx_push(name);
      launch_with(&gemm, 264, 300000);
      nvtx_pop();
    }
    nvtx_pop();
    nvtx_push("model.encoder");
    launch_with(&add, 1056, 400000);
    launch_with(&scale, 40, 10000);
    nvtx_pop();
    nvtx_push("model.decoder");
    launch_with(&add, 132, 5000);
    launch_with(&scale, 20, 20000);
    copy(host, on_device, output, to_host, 2, NULL);
    nvtx_pop();
    nvtx_pop();
    check(cudaStreamSynchronize(NULL));
    nvtx_pop();
  }
}

static void* launch_in_thread(void* ns) {
  launch_with(&scale, 1, *(int64_t*)ns);
  return NULL;
}

/* A launch in each place that a filter of ranges may tell apart, known by its time. */
static void places(void) {
  const nvtx_domain domain = nvtx_create_domain("Domain A");
  const nvtx_attributes named = {.version = 3, .size = sizeof named, .message_type = 1, .message.narrow = "Range A"};
  int64_t in_thread_ns = 9;
  pthread_t thread;
  launch_with(&scale, 1, 1);
  const uint64_t a = nvtx_start("Range A");
  launch_with(&scale, 1, 2);
  pthread_create(&thread, NULL, launch_in_thread, &in_thread_ns);
  pthread_join(thread, NULL);
  const uint64_t b = nvtx_start("Range B");
  launch_with(&scale, 1, 3);
  nvtx_end(a);
  launch_with(&scale, 1, 4);
  nvtx_end(b);
  nvtx_push("other");
  nvtx_push_with(domain, &named);
  launch_with(&scale, 1, 5);
  nvtx_pop();
  launch_with(&scale, 1, 10); /* "other" has ended before the range of the domain */
  nvtx_pop_of(domain);
  nvtx_push("Range A");
  nvtx_push("Range B");
  launch_with(&scale, 1, 6);
  nvtx_pop();
  nvtx_push("x");
  nvtx_push("Range B");
  launch_with(&scale, 1, 7);
  for (int i = 0; i < 3; ++i) nvtx_pop();
  nvtx_push("Range B");
  nvtx_push("Range A");
  launch_with(&scale, 1, 8);
  for (int i = 0; i < 2; ++i) nvtx_pop();
  const uint64_t of_domain = nvtx_start_with(domain, &named);
  launch_with(&scale, 1, 11);
  nvtx_end(of_domain);
  check(cudaDeviceSynchronize());
}

/* Only what lies between is wanted of a recording by --capture-range=cudaProfilerApi. */
static void profiler(int count) {
  for (int i = 0; i < count; ++i) launch_shaped(&scale, scale_ns, NULL);
  check(cudaDeviceSynchronize());
  check(cudaProfilerStart());
  plain(count);
  check(cudaProfilerStop());
  for (int i = 0; i < count; ++i) launch_shaped(&scale, scale_ns, NULL);
  check(cudaDeviceSynchronize());
}

/* Kernels of some length with as much time between them. */
static void spaced(int count) {
  const struct timespec pause = {0, 2L * spaced_ns};
  for (int i = 0; i < count; ++i) {
    launch(&scale, spaced_ns, NULL);
    nanosleep(&pause, NULL);
  }
  check(cudaDeviceSynchronize());
}

/* Three ranges, with work that is not wanted between them. */
static void ranges(int count) {
  for (int i = 0; i < 3; ++i) {
    check(cudaProfilerStart());
    plain(count);
    check(cudaProfilerStop());
    for (int j = 0; j < count; ++j) launch_shaped(&scale, scale_ns, NULL);
    check(cudaDeviceSynchronize());
  }
}

static void many(long count) {
  for (long i = 0; i < count; ++i) launch(&scale, scale_ns, NULL);
  check(cudaDeviceSynchronize());
}

/* Each short kernel behind a long one that still runs when it is launched. */
static void behind(int count) {
  for (int i = 0; i < count; ++i) {
    launch(&scale, spaced_ns, NULL);
    launch(&add, add_ns, NULL);
  }
  check(cudaDeviceSynchronize());
}

/* Each pair of kernels in a context of its own, which lies where the one before lay. */
static void resets(int count) {
  for (int i = 0; i < count; ++i) {
    launch(&add, add_ns, NULL);
    launch(&gemm, gemm_ns, NULL);
    check(cudaDeviceSynchronize());
    check(cudaDeviceReset());
  }
}

/* Beside kernels that may be run again such that must not. */
static void collective(int count) {
  for (int i = 0; i < count; ++i) {
    launch(&add, add_ns, NULL);
    launch(&reduce, add_ns, NULL);
  }
  check(cudaDeviceSynchronize());
}

/* How many calls CUPTI is asked to tell of when all is done. */
static void watched(int count) {
  plain(count);
  void* cupti = dlopen(getenv("SONDE_CUPTI"), RTLD_NOW | RTLD_NOLOAD);
  unsigned (*ask)(void) = cupti == NULL ? NULL : (unsigned (*)(void))dlsym(cupti, "fakeCuptiWatched");
  fprintf(stderr, "watched: %u\n", ask == NULL ? 0 : ask());
}

static void* in_thread(void* count) {
  void* stream = NULL;
  check(cudaStreamCreate(&stream));
  nvtx_push("thread");
  for (int i = 0; i < *(int*)count; ++i) {
    launch(&add, add_ns, stream);
    check(cudaStreamSynchronize(stream));
  }
  nvtx_pop();
  return NULL;
}

static void threads(int count) {
  pthread_t made[4];
  for (int i = 0; i < 4; ++i) pthread_create(&made[i], NULL, in_thread, &count);
  for (int i = 0; i < 4; ++i) pthread_join(made[i], NULL);
}

static pthread_barrier_t all_launched;

static void* in_crowd(void* stream) {
  launch(&add, add_ns, NULL);
  pthread_barrier_wait(&all_launched);
  return stream;
}

/* So many threads at once, each of which has launched. */
static void crowd(int count) {
  pthread_t* made = malloc((size_t)count * sizeof *made);
  pthread_barrier_init(&all_launched, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) pthread_create(&made[i], NULL, in_crowd, NULL);
  for (int i = 0; i < count; ++i) pthread_join(made[i], NULL);
  check(cudaDeviceSynchronize());
  free(made);
}

/* Both processes use CUDA, each from its own beginning; the child's account comes first. */
static void processes(int count) {
  const pid_t child = fork();
  if (child == 0) {
    plain(count);
    report();
    exit(0);
  }
  waitpid(child, NULL, 0);
  plain(count + 1);
}

/* The child of a process that has used CUDA can't; it ends as usual all the same. */
static void forks(int count) {
  plain(count);
  const pid_t child = fork();
  if (child == 0) {
    void* address = NULL;
    fprintf(stderr, "in the child: %d\n", cudaMalloc(&address, 1));
    exit(0);
  }
  waitpid(child, NULL, 0);
  plain(count);
}

/* All is over, and its buffers have had time to be asked for. */
static void finish(int count) {
  plain(count);
  report();
  const struct timespec two_seconds = {2, 0};
  nanosleep(&two_seconds, NULL);
}

static void dies(int count, int number) {
  finish(count);
  if (number == SIGABRT) abort();
  raise(number);
}

/* While kernels are still on their way, and without what is to run at an exit. */
static void leaves(int count) {
  plain(count);
  report();
  _exit(7);
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double difference = *(const double*)a - *(const double*)b;
  return (difference > 0) - (difference < 0);
}

/* What a launch takes its caller: the median of batches, ns. */
static void cost(int count) {
  enum { batch = 1000 };
  double* each = calloc((size_t)count, sizeof *each);
  launch(&scale, 1, NULL);
  for (int i = 0; i < count; ++i) {
    const double began = now_ns();
    for (int j = 0; j < batch; ++j) launch_shaped(&scale, 1, NULL);
    each[i] = (now_ns() - began) / batch;
    check(cudaDeviceSynchronize());
  }
  qsort(each, (size_t)count, sizeof *each, compare);
  printf("%.1f\n", each[count / 2]);
  free(each);
}

/* Steps with pauses, for a part of a second each thousand. */
static void paced(int count) {
  const struct timespec pause = {0, 1000000};
  for (int i = 0; i < count; ++i) {
    step(i, NULL);
    nanosleep(&pause, NULL);
  }
  check(cudaDeviceSynchronize());
}

/* A line each: so many steps, done before the answer; between the profiler's calls where that is asked. */
static void stepped(int asks) {
  char line[32];
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (asks) check(cudaProfilerStart());
    plain(atoi(line));
    if (asks) check(cudaProfilerStop());
    printf("done\n");
    fflush(stdout);
  }
}

static uint64_t other_buffer[1 << 15];
static void request_other(uint8_t** buffer, size_t* bytes, size_t* records) {
  *buffer = (uint8_t*)other_buffer;
  *bytes = sizeof other_buffer;
  *records = 0;
}
static void take_other(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid) {
  (void)context, (void)stream, (void)buffer, (void)bytes, (void)valid;
}

/* Has CUPTI give its records to this program, as some profilers of frameworks do. */
static void other_client(int count) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*initialize)(unsigned) = driver == NULL ? NULL : (int (*)(unsigned))dlsym(driver, "cuInit");
  if (initialize != NULL) initialize(0); /* from here on the recorder has CUPTI */
  const char* path = getenv("SONDE_CUPTI");
  void* cupti = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  uint32_t (*take)(void*, void*) =
      cupti == NULL ? NULL : (uint32_t (*)(void*, void*))dlsym(cupti, "cuptiActivityRegisterCallbacks");
  if (take != NULL) take((void*)request_other, (void*)take_other);
  plain(count);
}

/* A thousand calls that ask for the device before each step. */
static void asks(int count) {
  int device = 0;
  for (int i = 0; i < count; ++i) {
    for (int call = 0; call < 1000; ++call) check(cudaGetDevice(&device));
    step(i, NULL);
  }
}

/* What the program does on SIGUSR1, wherever it is then. */
static const char* on_signal = NULL;

static void end_by_signal(int number) {
  (void)number;
  if (strcmp(on_signal, "exit") == 0) exit(3);
  if (strcmp(on_signal, "_exit") == 0) _exit(4);
  if (strcmp(on_signal, "abort") == 0) abort();
  execl("/bin/echo", "echo", "executed", (char*)NULL);
}

int main(int argc, char** argv) {
  on_signal = getenv("CUDA_PROGRAM_ON_SIGUSR1");
  if (on_signal != NULL) signal(SIGUSR1, end_by_signal);
  const char* mode = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(mode, "cost") == 0) {
    cost(count);
    return 0;
  }
  if (strcmp(mode, "plain") == 0) plain(count);
  if (strcmp(mode, "client") == 0) other_client(count);
  if (strcmp(mode, "asks") == 0) asks(count);
  if (strcmp(mode, "model") == 0) model(count);
  if (strcmp(mode, "places") == 0) places();
  if (strcmp(mode, "streams") == 0) streams(count);
  if (strcmp(mode, "graph") == 0) graph(count);
  if (strcmp(mode, "memory") == 0) memory(count);
  if (strcmp(mode, "managed") == 0) managed(count);
  if (strcmp(mode, "profiler") == 0) profiler(count);
  if (strcmp(mode, "spaced") == 0) spaced(count);
  if (strcmp(mode, "ranges") == 0) ranges(count);
  if (strcmp(mode, "many") == 0) many(count);
  if (strcmp(mode, "behind") == 0) behind(count);
  if (strcmp(mode, "resets") == 0) resets(count);
  if (strcmp(mode, "collective") == 0) collective(count);
  if (strcmp(mode, "watched") == 0) watched(count);
  if (strcmp(mode, "threads") == 0) threads(count);
  if (strcmp(mode, "crowd") == 0) crowd(count);
  if (strcmp(mode, "processes") == 0) processes(count);
  if (strcmp(mode, "forks") == 0) forks(count);
  if (strcmp(mode, "abort") == 0) dies(count, SIGABRT);
  if (strcmp(mode, "kill") == 0) dies(count, SIGKILL);
  if (strcmp(mode, "terminate") == 0) dies(count, SIGTERM);
  if (strcmp(mode, "leave") == 0) leaves(count);
  if (strcmp(mode, "paced") == 0) paced(count);
  if (strcmp(mode, "stepped") == 0) stepped(0);
  if (strcmp(mode, "asked") == 0) stepped(1);
  if (strcmp(mode, "exec") == 0) {
    finish(count);
    execl(argv[0], argv[0], "plain", argc > 2 ? argv[2] : "1", (char*)NULL);
  }
  report();
  return strcmp(mode, "status") == 0 ? count : 0;
}
