#include "analyses/calls/os_call_kind.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

constexpr auto kOsCallKinds = std::to_array<OsCallKindInfo>({
#define SONDE_OS_CALL_KIND(kind, waits, title) {#kind, waits, title},
#include "analyses/calls/os_call_kinds.inc"
#undef SONDE_OS_CALL_KIND
});

struct Known {
  std::string_view name;
  OsCallKind kind;
};

constexpr auto kKnown = std::to_array<Known>({
#define SONDE_OS_CALL(name, kind) {name, OsCallKind::kind},
#include "analyses/calls/os_call_kinds.inc"
#undef SONDE_OS_CALL
});

/// "__open64_nocancel" is a variant of "open".
std::string_view without_variant(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  for (const std::string_view ending : {"_nocancel", "_chk", "64"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return name;
}

}  // namespace

const OsCallKindInfo& info_of(OsCallKind kind) { return kOsCallKinds[static_cast<size_t>(kind)]; }

OsCallKind os_call_kind(std::string_view name) {
  const auto* known = std::ranges::find(kKnown, without_variant(name), &Known::name);
  return known == kKnown.end() ? OsCallKind::other : known->kind;
}

std::vector<OsCallKind> os_call_kinds(const Trace& trace) {
  std::vector<OsCallKind> of_name(trace.names.size(), OsCallKind::count_);
  std::vector<OsCallKind> kinds;
  kinds.reserve(trace.os_calls.name.size());
  for (const NameId name : trace.os_calls.name) {
    if (name == kNone) {
      kinds.push_back(OsCallKind::other);
      continue;
    }
    if (of_name[name] == OsCallKind::count_) of_name[name] = os_call_kind(trace.name(name));
    kinds.push_back(of_name[name]);
  }
  return kinds;
}

}  // namespace sonde
