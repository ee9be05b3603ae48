// Compares the stand-in's declarations with NVIDIA's headers: each record's size, the place and width of its fields,
// the numbers of kinds and calls. Says what differs.
#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>

#include <cstddef>

#include "inject/cupti/layouts.h"
#include "layouts/compare.h"
#include "machine.h"
#include "records.h"

// cuda.h makes them the names of their latest versions.
#undef cuEventElapsedTime
#undef cuMemPrefetchAsync

namespace {

using sonde::inject::cupti::Activity;
using sonde::inject::cupti::Field;
using sonde::inject::cupti::Layout;

/// All fields that go to a place of ours are taken from what NVIDIA has there; of some only a later version has more.
void compare_field(const char* what, Activity activity, size_t to, size_t from, size_t width) {
  const Layout* layout = sonde::inject::cupti::layout_of(static_cast<uint32_t>(activity));
  const Field* found = nullptr;
  for (uint32_t i = 0; layout != nullptr && i < layout->field_count && found == nullptr; ++i) {
    if (layout->fields[i].to == to) found = &layout->fields[i];
  }
  compare(what, found == nullptr ? 0 : found->from, from);
  const bool is_array = found != nullptr && found->bytes == 3 * width;  // gridX, gridY and gridZ are one field of ours
  if (found != nullptr && !is_array) compare(what, found->bytes, width);
}

void compare_sizes(const char* what, Activity activity, size_t newest, size_t oldest) {
  const Layout* layout = sonde::inject::cupti::layout_of(static_cast<uint32_t>(activity));
  const auto bytes = [&](uint32_t version) { return sonde::inject::cupti::record_bytes(*layout, version); };
  compare(what, bytes(sonde::inject::cupti::kOldestVersion), oldest);
  compare(what, bytes(CUPTI_API_VERSION) <= newest ? newest : 0, newest);
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
#define INJECTED_RECORD(activity, newest, oldest) \
  compare_sizes("the injected library's " #newest, Activity::activity, sizeof(newest), sizeof(oldest));
#define INJECTED_FIELD(activity, body, field, theirs, their_field)                       \
  compare_field("the injected library's " #theirs "::" #their_field, Activity::activity, \
                offsetof(sonde::wire::body, field), offsetof(theirs, their_field),       \
                sizeof(static_cast<theirs*>(nullptr)->their_field));
#include "layouts/injected.inc"
#define FAKE_CALL(domain, id, name) compare(#name, id, CALL_OF_##domain(name));
#define CALL_OF_driver(name) CUPTI_DRIVER_TRACE_CBID_##name
#define CALL_OF_runtime(name) CUPTI_RUNTIME_TRACE_CBID_##name
#include "api_calls.inc"
  compare("CUPTI_CB_DOMAIN_DRIVER_API", static_cast<size_t>(fake_cuda::Domain::driver), CUPTI_CB_DOMAIN_DRIVER_API);
  compare("CUPTI_CB_DOMAIN_SYNCHRONIZE", static_cast<size_t>(fake_cuda::Domain::synchronize),
          CUPTI_CB_DOMAIN_SYNCHRONIZE);
#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(text) #text
  return report("CUPTI " TEXT(CUPTI_API_VERSION));
}
