/* Measures what recording costs from within: cost_program MODE COUNT
 *   pairs    push+pop of a range: nanoseconds each
 *   calls    a write and a read through a pipe: nanoseconds for both
 *            of each the median over batches that take a millisecond: what other programs take from them is no cost
 *   rate     so many push+pop at half a million of them a second; then its largest memory in kB, and waits for a line */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "small_nvtx.h"

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void pairs(long count) {
  for (long i = 0; i < count; ++i) {
    nvtx_push("a range of usual name");
    nvtx_pop();
  }
}

static int ends[2];

static void calls(long count) {
  char byte = 0;
  for (long i = 0; i < count; ++i) {
    if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) exit(1);
  }
}

/* Of this program alone: getrusage() counts from what its parent had. */
static long largest_memory_kb(void) {
  char line[256];
  long kb = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && kb == 0 && fgets(line, sizeof line, status) != NULL) sscanf(line, "VmHWM: %ld", &kb);
  return kb;
}

static void at_rate(long count) {
  const long burst = 1000;
  const double burst_ns = 2e6;
  const double began = now_ns();
  for (long done = 0; done < count; done += burst) {
    pairs(burst);
    while (now_ns() < began + (double)(done / burst + 1) * burst_ns) continue;
  }
  printf("%ld\n", largest_memory_kb());
  fflush(stdout);
  if (getchar() == EOF) exit(1);
}

static int compare(const void* a, const void* b) {
  const double difference = *(const double*)a - *(const double*)b;
  return difference < 0 ? -1 : difference > 0;
}

static void print_median(void (*work)(long), long count, long batch) {
  const long batches = count / batch;
  double* times = malloc((size_t)batches * sizeof *times);
  if (times == NULL) exit(1);
  for (long i = 0; i < batches; ++i) {
    const double began = now_ns();
    work(batch);
    times[i] = (now_ns() - began) / (double)batch;
  }
  qsort(times, (size_t)batches, sizeof *times, compare);
  printf("%.1f\n", times[batches / 2]);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const long count = argc > 2 ? atol(argv[2]) : 1;
  pairs(1); /* attaches */
  if (pipe(ends) != 0) return 1;
  if (strcmp(mode, "pairs") == 0) print_median(pairs, count, 10000);
  if (strcmp(mode, "calls") == 0) print_median(calls, count, 1000);
  if (strcmp(mode, "rate") == 0) at_rate(count);
  return 0;
}
