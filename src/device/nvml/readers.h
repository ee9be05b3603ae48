#pragma once

#include <span>
#include <string_view>

#include "device/nvml/library.h"

namespace sonde::device::nvml {

struct Asked {
  const Library& library;
  Device device;
  GpuReading& reading;
};

/// One call, or a few that belong together, and the values that it gives.
struct Reader {
  std::string_view call;  ///< as the library names it
  ValueGroup group;
  /// Sets the values, to absent where the call fails. The code of the last call that failed, else success.
  Return (*read)(const Asked& asked);
};

/// In the order in which they are asked.
[[nodiscard]] std::span<const Reader> identity_readers();
[[nodiscard]] std::span<const Reader> fast_readers();
[[nodiscard]] std::span<const Reader> slow_readers();
[[nodiscard]] std::span<const Reader> list_readers();  ///< NVLink, MIG, processes

/// A value where the call succeeded.
template <typename T, typename From>
void store(Return code, std::optional<T>& value, const From& from) {
  if (code == Return::success) {
    value = static_cast<T>(from);
  } else {
    value.reset();
  }
}

/// A call that gives one number.
template <auto kFunction, auto kValue>
Return one(const Asked& a) {
  unsigned value = 0;
  const Return code = call(a.library.*kFunction, a.device, &value);
  store(code, a.reading.*kValue, value);
  return code;
}

/// A call that gives one number of the kind `kKind`.
template <auto kFunction, unsigned kKind, auto kValue>
Return one_of(const Asked& a) {
  unsigned value = 0;
  const Return code = call(a.library.*kFunction, a.device, kKind, &value);
  store(code, a.reading.*kValue, value);
  return code;
}

/// A call that gives two numbers.
template <auto kFunction, auto kFirst, auto kSecond>
Return two(const Asked& a) {
  unsigned first = 0;
  unsigned second = 0;
  const Return code = call(a.library.*kFunction, a.device, &first, &second);
  store(code, a.reading.*kFirst, first);
  store(code, a.reading.*kSecond, second);
  return code;
}

/// A call that gives a text. 96 bytes are the longest of NVML's.
template <auto kFunction, auto kValue>
Return text(const Asked& a) {
  std::array<char, 96> value{};
  const Return code = call(a.library.*kFunction, a.device, value.data(), static_cast<unsigned>(value.size() - 1));
  store(code, a.reading.*kValue, std::string(value.data()));
  return code;
}

/// The name for what the code means: the first of the two that is no success.
[[nodiscard]] inline Return worse(Return a, Return b) { return a == Return::success ? b : a; }

}  // namespace sonde::device::nvml
