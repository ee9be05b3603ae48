// What `sonde record --sample` is tested with: functions whose share of the CPU's time the program measures itself, by
// its threads' CPU clocks, and prints. Each mode spends it another way.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SEEN __attribute__((noinline, noclone))

static volatile uint64_t sink;
static double spent_one, spent_three;

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t mix(uint64_t n) {
  uint64_t x = n;
  for (uint64_t i = 0; i < n; ++i) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
  return x;
}

SEEN void spin_one(uint64_t n) { sink += mix(n); }
SEEN void spin_three(uint64_t n) { sink += mix(n) + 1; }

SEEN void level_three(uint64_t n) {
  volatile char room[300];  // the distance to the caller's frame is not the least one
  room[n % sizeof room] = 1;
  const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
  spin_one(n);
  const double between = seconds(CLOCK_THREAD_CPUTIME_ID);
  spin_three(3 * n);
  spent_one += between - begin;
  spent_three += seconds(CLOCK_THREAD_CPUTIME_ID) - between;
  sink += (uint64_t)room[0];
}
SEEN void level_two(uint64_t n) {
  level_three(n);
  ++sink;
}
SEEN void level_one(uint64_t n) {
  level_two(n);
  ++sink;
}

/// Rounds of unequal length, so that they never keep step with the samples.
static void rounds(int count) {
  uint64_t random = 12345;
  for (int i = 0; i < count; ++i) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    level_one(300000 + (random >> 33U) % 600000);
  }
}

static void sleeps(int count) {
  double slept = 0;
  for (int i = 0; i < count; ++i) {
    const double begin = seconds(CLOCK_MONOTONIC);
    usleep(10000);
    slept += seconds(CLOCK_MONOTONIC) - begin;
  }
  printf("%.6f\n", slept);
}

static ucontext_t back;
static int context_rounds;
static void on_other_stack(void) { rounds(context_rounds); }

static void other_stack(int count) {
  enum { kBytes = 1 << 16 };
  static ucontext_t other;
  getcontext(&other);
  other.uc_stack.ss_sp = malloc(kBytes);
  other.uc_stack.ss_size = kBytes;
  other.uc_link = &back;
  context_rounds = count;
  makecontext(&other, on_other_stack, 0);
  swapcontext(&back, &other);
}

/// push %rbp; mov %rsp,%rbp; 1: dec %rdi; jne 1b; pop %rbp; ret
static const unsigned char kMade[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};

SEEN void made_code(int count) {
  void* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, kMade, sizeof kMade);
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE* map = fopen(path, "w");
  fprintf(map, "%lx %zx made_at_run_time\n", (unsigned long)code, sizeof kMade);
  fclose(map);
  for (int i = 0; i < count; ++i) ((void (*)(uint64_t))code)(1000000);
  puts(path);
}

static void* thread_main(void* count) {
  rounds((int)(intptr_t)count);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* mode = argv[1];
  const int count = atoi(argv[2]);
  if (strcmp(mode, "shares") == 0) rounds(count);
  if (strcmp(mode, "sleeps") == 0) sleeps(count);
  if (strcmp(mode, "context") == 0) other_stack(count);
  if (strcmp(mode, "made") == 0) made_code(count);
  if (strcmp(mode, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, thread_main, (void*)(intptr_t)count);
    pthread_join(thread, NULL);
  }
  if (spent_three > 0) printf("%.6f %.6f\n", spent_one, spent_three);
  return 0;
}
