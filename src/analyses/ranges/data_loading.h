#pragma once

#include <cstdint>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

/// Tells which rows of trace.ranges load data, by the names that frameworks and people give to it
/// (data_loading_names.inc). Looks at each name once.
class RangesThatLoadData {
 public:
  explicit RangesThatLoadData(const Trace& trace);
  [[nodiscard]] bool operator()(Row row);

 private:
  static constexpr uint8_t kUnknown = 2;
  const Trace& trace_;
  std::vector<uint8_t> loads_;  // by NameId
};

/// The push/pop ranges of all threads that load data, but those of Python's call stacks, merged.
[[nodiscard]] std::vector<Span> data_loading_spans(const Trace& trace);

}  // namespace sonde
