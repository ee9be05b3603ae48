#pragma once

#include <regex.h>

#include <cstddef>
#include <cstdint>

#include "inject/metrics/range_pattern.h"

/// What is to be measured of which kernels, as the recorder asks for it (wire/kernel_record.h).
namespace sonde::inject::metrics {

struct Settings {
  bool has_kernel = false;
  regex_t kernel{};   ///< of the kernel's name
  uint64_t skip = 0;  ///< launches of such kernels, before the first that is measured
  uint64_t count = ~0ULL;
  uint32_t each = ~0U;  ///< launches of one function with one grid and block in one place of the ranges
  Patterns ranges;      ///< that launches must lie in or must not
  /// Functions in places (wire/place.h): no other launches.
  struct Listed {
    bool anywhere;
    uint64_t place;
    const char* function;  ///< its bare name
  };
  Listed* listed = nullptr;
  uint32_t listed_count = 0;
  bool is_listed = false;        ///< there is a list
  const char** names = nullptr;  ///< of metrics
  uint32_t name_count = 0;
  bool samples = false;       ///< of the program counter, too
  uint32_t period = 0;        ///< a sample each 2^period cycles; 0: as CUPTI has it
  bool instructions = false;  ///< how often each runs, too
};

extern bool measures;  ///< whether settings() gives any

/// Read when the library is loaded; null where nothing is to be measured, or it could not be read.
[[nodiscard]] const Settings* settings() noexcept;

}  // namespace sonde::inject::metrics
