// Compares the injected library's declarations of CUPTI's PC sampling with NVIDIA's header: each structure's size as it
// is told to CUPTI, the place of each field. Says what differs.
#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_pcsampling.h>

#include <cstddef>

#include "inject/pc_sampling/pc_sampling.h"
#include "layouts/compare.h"

int main() {
  namespace ours = sonde::inject::pc_sampling;
#define SIZE(params, theirs) compare(#theirs, ours::params().size, theirs##Size);
#define WHOLE(type, theirs) compare(#theirs, sizeof(ours::type), sizeof(theirs));
#define FIELD(type, field, theirs, their_field) \
  compare(#theirs "::" #their_field, offsetof(ours::type, field), offsetof(theirs, their_field));
#define CONSTANT(value, theirs) compare(#theirs, static_cast<size_t>(ours::value), static_cast<size_t>(theirs));
#include "layouts/pc_sampling.inc"
  return report("CUPTI's PC sampling");
}
