#include "inject/pc_sampling/attach.h"

#include "inject/cupti/subscriber.h"
#include "inject/pc_sampling/code.h"
#include "inject/pc_sampling/report_pc_samples.h"

namespace sonde::inject::pc_sampling {
namespace {

using cupti::Domain;

constinit Functions found;
constexpr uint32_t kModuleLoaded = 6;  ///< CUPTI_CBID_RESOURCE_MODULE_LOADED

/// CUpti_ResourceData
struct ResourceData {
  void* context;
  void* handle;
  const void* descriptor;
};

/// CUpti_ModuleResourceData
struct ModuleData {
  uint32_t module;
  size_t cubin_bytes;
  const char* cubin;
};

void on_resource(Domain domain, uint32_t id, const void* data) noexcept {
  if (domain != Domain::resource || id != kModuleLoaded || data == nullptr) return;
  const auto* const module = static_cast<const ModuleData*>(static_cast<const ResourceData*>(data)->descriptor);
  if (module != nullptr) keep_code(found, module->cubin, module->cubin_bytes);
}

}  // namespace

bool find(const cupti::Library& library) noexcept {
  const char* const missing = find_functions(found, library);
  if (missing != nullptr) report(wire::PcState::too_old, missing, static_cast<int32_t>(library.version));
  return missing == nullptr;
}

const Functions& functions() noexcept { return found; }

void watch_code(const cupti::Library& library, bool on) noexcept {
  found.cubin_crc.set(cupti::symbol(library, "cuptiGetCubinCrc"));
  if (!found.cubin_crc.is_there()) return;
  if (on) cupti::add_handler(on_resource);
  static_cast<void>(cupti::watch(library, Domain::resource, kModuleLoaded, on));
}

}  // namespace sonde::inject::pc_sampling
