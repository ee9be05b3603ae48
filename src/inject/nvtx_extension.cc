#include <cerrno>

#include "inject/export.h"
#include "inject/nvtx_events.h"
#include "inject/nvtx_payloads.h"

/// The functions of NVTX's payload extension, and where they are handed over.
namespace sonde::inject {
namespace {

using nvtx::Domain;
using nvtx::PayloadData;

extern "C" {

uint64_t sonde_schema_register(Domain domain, const nvtx::SchemaAttributes* schema) noexcept {
  return schema == nullptr ? 0 : register_schema(domain_number(domain), *schema);
}
uint64_t sonde_enum_register(Domain domain, const nvtx::EnumAttributes* enumeration) noexcept {
  return enumeration == nullptr ? 0 : register_enum(domain_number(domain), *enumeration);
}
void sonde_mark_payload(Domain domain, const PayloadData* all, size_t count) noexcept {
  mark(domain_number(domain), payload_of(all, count));
}
int sonde_push_payload(Domain domain, const PayloadData* all, size_t count) noexcept {
  return push_range(domain_number(domain), payload_of(all, count));
}
int sonde_pop_payload(Domain domain, const PayloadData* all, size_t count) noexcept {
  return pop_range(domain_number(domain), payload_of(all, count));
}
nvtx::RangeId sonde_start_payload(Domain domain, const PayloadData* all, size_t count) noexcept {
  return start_range(domain_number(domain), payload_of(all, count));
}
void sonde_end_payload(Domain domain, nvtx::RangeId range, const PayloadData* all, size_t count) noexcept {
  end_range(range, domain_number(domain), payload_of(all, count));
}
/// NVTX 3.2.0 and 3.2.1 take a tool without this function for one that wants nothing, and Python's nvtx then makes no
/// ranges (CUPTI's release notes).
uint8_t sonde_is_enabled(Domain) noexcept { return 1; }

}  // extern "C"

template <typename F>
void fill(const nvtx::ExtensionSegment& segment, nvtx::PayloadFunction place, F* function) noexcept {
  if (place < segment.count) segment.functions[place] = reinterpret_cast<intptr_t>(function);
}

bool attach_extension(const nvtx::ExtensionModule* module) noexcept {
  constexpr unsigned kMinorBits = 8;
  if (!may_want_nvtx()) return false;
  if (module == nullptr || module->struct_bytes < sizeof *module || module->module != nvtx::kPayloadExtension)
    return false;
  if (module->compatible >> kMinorBits != nvtx::kPayloadMajor) return false;
  if (module->segment_count == 0 || module->segments == nullptr || module->segments->functions == nullptr) return false;
  const nvtx::ExtensionSegment& segment = *module->segments;
  fill(segment, nvtx::kSchemaRegister, sonde_schema_register);
  fill(segment, nvtx::kEnumRegister, sonde_enum_register);
  fill(segment, nvtx::kMarkPayload, sonde_mark_payload);
  fill(segment, nvtx::kPushPayload, sonde_push_payload);
  fill(segment, nvtx::kPopPayload, sonde_pop_payload);
  fill(segment, nvtx::kStartPayload, sonde_start_payload);
  fill(segment, nvtx::kEndPayload, sonde_end_payload);
  fill(segment, nvtx::kDomainIsEnabled, sonde_is_enabled);
  return true;
}

}  // namespace
}  // namespace sonde::inject

/// NVTX calls it for each of its extensions that the program uses.
// NOLINTNEXTLINE(readability-identifier-naming): the name is NVTX's.
extern "C" SONDE_EXPORT int InitializeInjectionNvtxExtension(sonde::inject::nvtx::ExtensionModule* module) noexcept {
  const int error = errno;
  const bool attached = sonde::inject::attach_extension(module);
  errno = error;
  return attached ? 1 : 0;
}
