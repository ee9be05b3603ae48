// Compares the injected library's declarations of CUPTI's PM sampling and of the host functions that it takes with
// NVIDIA's headers: each structure's size as it is told to CUPTI, the place of each field. Says what differs.
#include <cuda.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_target.h>

#include <cstddef>

#include "inject/gpu_metrics/pm_sampling.h"
#include "layouts/compare.h"

int main() {
  namespace ours = sonde::inject::gpu_metrics;
  namespace of_host = sonde::inject::metrics;
#define SIZE(params, theirs) compare(#theirs, params().size, theirs##_STRUCT_SIZE);
#define FIELD(params, field, theirs, their_field) \
  compare(#theirs "::" #their_field, offsetof(params, field), offsetof(theirs, their_field));
#define CONSTANT(value, theirs) compare(#theirs, static_cast<size_t>(value), static_cast<size_t>(theirs));
#include "layouts/sampling.inc"
  return report("CUPTI's PM sampling");
}
