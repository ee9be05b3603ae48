#pragma once

#include <cstddef>
#include <cstdio>

// Counts what is compared of our declarations and NVIDIA's, and prints what differs.
inline int compared = 0;
inline int differ = 0;

inline void compare(const char* what, size_t ours, size_t theirs) {
  ++compared;
  if (ours == theirs) return;
  ++differ;
  printf("%s: %zu here, %zu in the headers\n", what, ours, theirs);
}

/// The exit code of the comparison.
inline int report(const char* with) {
  printf("compared %d with %s: %d differ\n", compared, with, differ);
  return differ == 0 ? 0 : 1;
}
