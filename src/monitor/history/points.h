#pragma once

#include "monitor/history.h"
#include "monitor/history/minute.h"

namespace sonde::monitor::history {

/// Points of equal length over a range: what falls into one adds up.
class Points {
 public:
  /// Begins at a multiple of the resolution, which is made longer by multiples of `finest_ns` until there are no more
  /// points than `query` allows.
  Points(const HistoryQuery& query, int64_t finest_ns, size_t values);

  void add(size_t series, int64_t moment_ns, double value);
  void add(size_t series, int64_t moment_ns, const Summary& value);
  [[nodiscard]] int64_t from_ns() const { return first_ns_; }
  [[nodiscard]] int64_t to_ns() const { return first_ns_ + static_cast<int64_t>(count_) * resolution_ns_; }
  [[nodiscard]] HistoryRange range(const std::vector<size_t>& values) const;

 private:
  [[nodiscard]] Summary* point(size_t series, int64_t moment_ns);

  int64_t resolution_ns_;
  int64_t first_ns_ = 0;
  size_t count_ = 0;
  std::vector<std::vector<Summary>> series_;
};

}  // namespace sonde::monitor::history
