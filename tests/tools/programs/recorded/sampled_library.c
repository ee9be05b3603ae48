// Loaded and unloaded again while it is sampled.
#include <stdint.h>

static volatile uint64_t sink;

void spin_in_library(uint64_t n) {
  uint64_t x = n;
  for (uint64_t i = 0; i < n; ++i) x = x * 6364136223846793005ULL + 1;
  sink += x;
}
