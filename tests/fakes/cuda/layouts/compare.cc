// Compares the stand-in's declarations with NVIDIA's headers: each record's size, the place and width of its fields,
// the numbers of kinds and calls. Says what differs.
#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>

#include <cstddef>
#include <cstdio>

#include "machine.h"
#include "records.h"

// cuda.h makes them the names of their latest versions.
#undef cuEventElapsedTime
#undef cuMemPrefetchAsync

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
#define FAKE_RECORD(ours, theirs) compare(#theirs, sizeof(fake_cuda::cupti::ours), sizeof(theirs));
#define FAKE_FIELD(ours, field, theirs, their_field)                                                           \
  compare(#theirs "::" #their_field, offsetof(fake_cuda::cupti::ours, field), offsetof(theirs, their_field));  \
  compare("width of " #theirs "::" #their_field, sizeof(static_cast<fake_cuda::cupti::ours*>(nullptr)->field), \
          sizeof(static_cast<theirs*>(nullptr)->their_field));
#define FAKE_KIND(ours, theirs) compare(#theirs, fake_cuda::cupti::ours, theirs);
#include "layouts/fields.inc"
#define FAKE_CALL(domain, id, name) compare(#name, id, CALL_OF_##domain(name));
#define CALL_OF_driver(name) CUPTI_DRIVER_TRACE_CBID_##name
#define CALL_OF_runtime(name) CUPTI_RUNTIME_TRACE_CBID_##name
#include "api_calls.inc"
  compare("CUPTI_CB_DOMAIN_DRIVER_API", static_cast<size_t>(fake_cuda::Domain::driver), CUPTI_CB_DOMAIN_DRIVER_API);
  compare("CUPTI_CB_DOMAIN_SYNCHRONIZE", static_cast<size_t>(fake_cuda::Domain::synchronize),
          CUPTI_CB_DOMAIN_SYNCHRONIZE);
  printf("compared %d with CUPTI %d: %d differ\n", compared, CUPTI_API_VERSION, differ);
  return differ == 0 ? 0 : 1;
}
