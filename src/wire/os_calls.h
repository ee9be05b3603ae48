#pragma once

#include <cstdint>

namespace sonde::wire {

/// The rows of os_calls.inc, by the name of the call.
enum class OsCall : uint16_t {
#define SONDE_OS_CALL(result, name, parameters, arguments) name,
#include "wire/os_calls.inc"
#undef SONDE_OS_CALL
  count_
};

inline constexpr uint16_t kOsCalls = static_cast<uint16_t>(OsCall::count_);

inline constexpr const char* kOsCallNames[] = {
#define SONDE_OS_CALL(result, name, parameters, arguments) #name,
#include "wire/os_calls.inc"
#undef SONDE_OS_CALL
};

}  // namespace sonde::wire
