// Compares the injected library's declarations of CUPTI's SASS metrics with NVIDIA's header: each structure's size as
// it is told to CUPTI, the place of each field. Says what differs.
#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_sass_metrics.h>

#include <cstddef>

#include "inject/instructions/sass_metrics.h"
#include "layouts/compare.h"

int main() {
  namespace ours = sonde::inject::instructions;
#define SIZE(params, theirs) compare(#theirs, ours::params().size, theirs##_STRUCT_SIZE);
#define WHOLE(type, theirs) compare(#theirs, sizeof(ours::type), sizeof(theirs));
#define FIELD(type, field, theirs, their_field) \
  compare(#theirs "::" #their_field, offsetof(ours::type, field), offsetof(theirs, their_field));
#include "layouts/sass_metrics.inc"
  return report("CUPTI's SASS metrics");
}
