#pragma once

namespace sonde::record {

/// How sonde-self-test ends, beside 0 (its kernel ran) and 1 (it did not).
inline constexpr int kNoDriver = 3;

}  // namespace sonde::record
