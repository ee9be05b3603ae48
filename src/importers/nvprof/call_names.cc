#include "importers/nvprof/call_names.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace sonde::nvprof {
namespace {

struct CallName {
  int64_t id;
  std::string_view name;
};

constexpr auto kRuntimeCalls = std::to_array<CallName>({
#define SONDE_RUNTIME_CALL(id, name) {id, name},
#include "importers/nvprof/runtime_calls.inc"
#undef SONDE_RUNTIME_CALL
});

constexpr auto kDriverCalls = std::to_array<CallName>({
#define SONDE_DRIVER_CALL(id, name) {id, name},
#include "importers/nvprof/driver_calls.inc"
#undef SONDE_DRIVER_CALL
});

static_assert(std::ranges::is_sorted(kRuntimeCalls, {}, &CallName::id));
static_assert(std::ranges::is_sorted(kDriverCalls, {}, &CallName::id));

std::string name_in(std::span<const CallName> calls, int64_t id, std::string_view api) {
  const auto found = std::ranges::lower_bound(calls, id, {}, &CallName::id);
  if (found != calls.end() && found->id == id) return std::string(found->name);
  return fmt::format("[CUDA {} call {}]", api, id);
}

}  // namespace

std::string runtime_call_name(int64_t callback_id) { return name_in(kRuntimeCalls, callback_id, "runtime"); }
std::string driver_call_name(int64_t callback_id) { return name_in(kDriverCalls, callback_id, "driver"); }

}  // namespace sonde::nvprof
