#pragma once

#include <cstdint>

/// Results of calls into CUPTI and the driver that are Sonde's own, beside CUptiResult and CUresult.
namespace sonde::wire {

inline constexpr int32_t kAbsent = -1;   ///< the library has no such function
inline constexpr int32_t kThrew = -2;    ///< the function threw
inline constexpr int32_t kTooLate = -3;  ///< not called: the program had begun to exit

}  // namespace sonde::wire
