// Compares the injected library's declarations of CUPTI's PM sampling and of the host functions that it takes with
// NVIDIA's headers: each structure's size as it is told to CUPTI, the place of each field. Says what differs.
#include <cuda.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_target.h>

#include <cstddef>
#include <cstdio>

#include "inject/gpu_metrics/pm_sampling.h"

namespace {

int compared = 0;
int differ = 0;

void compare(const char* what, size_t ours, size_t theirs) {
  ++compared;
  if (ours == theirs) return;
  ++differ;
  printf("%s: %zu here, %zu in the headers\n", what, ours, theirs);
}

}  // namespace

int main() {
  namespace ours = sonde::inject::gpu_metrics;
  namespace of_host = sonde::inject::metrics;
#define SIZE(params, theirs) compare(#theirs, params().size, theirs##_STRUCT_SIZE);
#define FIELD(params, field, theirs, their_field) \
  compare(#theirs "::" #their_field, offsetof(params, field), offsetof(theirs, their_field));
#define CONSTANT(value, theirs) compare(#theirs, static_cast<size_t>(value), static_cast<size_t>(theirs));
#include "layouts/sampling.inc"
  printf("compared %d with CUPTI's PM sampling: %d differ\n", compared, differ);
  return differ == 0 ? 0 : 1;
}
