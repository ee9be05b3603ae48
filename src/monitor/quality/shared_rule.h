#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "monitor/sample.h"

namespace sonde::monitor::quality {

/// That a sample contradicts itself: the id of a sentence in texts_en.inc and what stands in it.
struct Contradiction {
  std::string_view text;
  std::vector<std::pair<std::string_view, std::string>> arguments;
};

/// Looks for one contradiction on one GPU, over new samples.
class Check {
 public:
  virtual ~Check() = default;
  [[nodiscard]] virtual std::optional<Contradiction> look(const GpuSample& sample) = 0;
};

/// A check as a row: quality/list.inc, one file each.
struct Rule {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Check> (*make)() = nullptr;
};
[[nodiscard]] std::span<const Rule* const> rules();

template <typename T>
std::unique_ptr<Check> make_check() {
  return std::make_unique<T>();
}

/// Counts samples in a row, and the time that they took.
struct Streak {
  int64_t samples = 0;
  int64_t since_ns = 0;

  /// Whether `holds` was true in at least `min_samples` consecutive samples, including this one, over at least
  /// `min_ns`.
  bool take(bool holds, int64_t moment_ns, int64_t min_samples, int64_t min_ns) {
    if (!holds) {
      samples = 0;
      return false;
    }
    if (samples++ == 0 || moment_ns < since_ns) since_ns = moment_ns;  // clocks are set back
    return samples >= min_samples && moment_ns - since_ns >= min_ns;
  }
};

}  // namespace sonde::monitor::quality
