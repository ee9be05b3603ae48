#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace sonde::synth {

/// What a profiler adds to the host's time for each event that it records, in nanoseconds; the default adds nothing.
struct RecordingModel {
  int64_t operator_ns = 0;  ///< in all
  int64_t gap_ns = 0;       ///< the part of it that lies outside the recorded operator
  int64_t call_ns = 0;      ///< half before the call takes effect, half behind it
};

/// The costs of a recorder of operators on some host. "pytorch": drawn from what was measured of it (gaps of 0.3 to 2
/// us, as with fast and slow hosts, without and with shapes); "free": costs nothing, to compare with. Fails on other
/// names.
[[nodiscard]] Result<RecordingModel> recording_model(const std::string& recorder, uint64_t seed);

}  // namespace sonde::synth
