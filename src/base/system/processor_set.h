#pragma once

#include <sched.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// Processors of this host, by the numbers that Linux gives them.
namespace sonde {

/// Ascending, each once.
using ProcessorSet = std::vector<size_t>;

/// "0-3,8,10-15" as taskset -c takes it, without strides.
[[nodiscard]] Result<ProcessorSet> parse_processors(std::string_view text);
/// "0-3,8": the shortest form.
[[nodiscard]] std::string processors_text(const ProcessorSet& set);
/// Those that this thread may run on.
[[nodiscard]] ProcessorSet allowed_processors();

/// While it lives, this thread, and what it starts, runs on these processors only. Empty: it changes nothing.
class OnProcessors {
 public:
  explicit OnProcessors(const ProcessorSet& set);
  OnProcessors(const OnProcessors&) = delete;
  OnProcessors& operator=(const OnProcessors&) = delete;
  ~OnProcessors();
  /// The error says why the kernel refused the set.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  cpu_set_t before_{};
  bool changed_ = false;
  Status status_;
};

}  // namespace sonde
