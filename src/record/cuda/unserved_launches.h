#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sonde::record {

/// Calls that launch a kernel of which there is no record. Those that a thread makes while it captures a stream go into
/// a CUDA graph, and have none by right.
class UnservedLaunches {
 public:
  /// A thread of a process.
  struct Place {
    uint64_t process;
    uint64_t thread;
    auto operator<=>(const Place&) const = default;
  };

  /// Of any call of the API: whether it begins or ends a capture.
  void note_call(std::string_view name, const Place& place, int64_t start_ns, int64_t end_ns);
  void add(const Place& place, int64_t start_ns) { moments_.push_back({place, start_ns, What::launch}); }
  /// So many were not captured. O(n log n).
  [[nodiscard]] int64_t count();

 private:
  /// At one time a capture ends before a launch, and begins behind it.
  enum class What : uint8_t { capture_ends, launch, capture_begins };
  struct Moment {
    Place place;
    int64_t time_ns;
    What what;
    auto operator<=>(const Moment&) const = default;
  };

  std::vector<Moment> moments_;
};

}  // namespace sonde::record
