#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "device/device.h"
#include "device/nvml/abi.h"

namespace sonde::device::nvml {

/// The functions of a loaded library; null where it has none of that name.
struct Library {
#define SONDE_NVML(member, symbol, ...) Return (*member)(__VA_ARGS__) = nullptr;
#include "device/nvml/functions.inc"
};

/// A library that was initialized.
struct OpenLibrary {
  Library library;
  unsigned gpus = 0;  ///< of this host, broken ones included; 0 is no error
};

/// Loads the library and leaves it loaded for the program's life. Without `given` path: SONDE_NVML, else
/// libnvidia-ml.so.1.
[[nodiscard]] Result<OpenLibrary> open(const std::string& given);

/// The call's result; function_not_found where the library has no such function.
template <typename... Parameters, typename... Arguments>
[[nodiscard]] Return call(Return (*function)(Parameters...), Arguments... arguments) {
  return function == nullptr ? Return::function_not_found : function(arguments...);
}

/// "no permission": a code in words.
[[nodiscard]] std::string_view return_text(Return code);
/// What a code means for a whole GPU, or for the library where `gpu` is negative, and what to do. `done`: what was to
/// be done with it.
[[nodiscard]] GpuFailure failure_of(Return code, int64_t gpu, std::string_view done = "read");
/// Whether a code says that the GPU or the library as a whole is gone, not that one value is.
[[nodiscard]] bool ends_reading(Return code);

}  // namespace sonde::device::nvml
