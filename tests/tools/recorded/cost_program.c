/* Measures what recording costs from within: cost_program MODE COUNT
 *   pairs    push+pop of a range: nanoseconds each
 *   calls    a write and a read through a pipe: nanoseconds each
 *   rate     so many push+pop at half a million of them a second; then its largest memory in kB, and waits for a line */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

static void calls(long count) {
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0) exit(1);
  for (long i = 0; i < count; ++i) {
    if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) exit(1);
  }
}

static void at_rate(long count) {
  const long burst = 1000;
  const double burst_ns = 2e6;
  const double began = now_ns();
  for (long done = 0; done < count; done += burst) {
    pairs(burst);
    while (now_ns() < began + (double)(done / burst + 1) * burst_ns) continue;
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%ld\n", usage.ru_maxrss);
  fflush(stdout);
  if (getchar() == EOF) exit(1);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const long count = argc > 2 ? atol(argv[2]) : 1;
  pairs(1); /* attaches */
  const double began = now_ns();
  if (strcmp(mode, "pairs") == 0) pairs(count);
  if (strcmp(mode, "calls") == 0) calls(count);
  if (strcmp(mode, "rate") == 0) {
    at_rate(count);
    return 0;
  }
  printf("%.1f\n", (now_ns() - began) / (double)count);
  return 0;
}
