#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// What a call of the OS runtime is about.
enum class OsCallKind : uint8_t {
#define SONDE_OS_CALL_KIND(kind, waits, title) kind,
#include "analyses/calls/os_call_kinds.inc"
#undef SONDE_OS_CALL_KIND
  count_
};

struct OsCallKindInfo {
  std::string_view name;
  bool waits = false;      ///< its calls may put the thread to sleep until something else happens
  std::string_view title;  ///< for people
};
[[nodiscard]] const OsCallKindInfo& info_of(OsCallKind kind);

/// By os_call_kinds.inc; `other` for a name that is not there.
[[nodiscard]] OsCallKind os_call_kind(std::string_view name);

/// The kind of each row of `os_calls`: os_call_kind() once a name.
[[nodiscard]] std::vector<OsCallKind> os_call_kinds(const Trace& trace);

}  // namespace sonde
