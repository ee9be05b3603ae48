#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sonde {

/// Where long work says how far it is. The default implementation says nothing.
/// advance() may be called from any thread.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Begins a piece of work: `what` as a person would say it ("reading a.sqlite"), `total` units of `unit`; 0: nobody
  /// knows how many.
  virtual void begin(std::string_view what, int64_t total, std::string_view unit) = 0;
  virtual void advance(int64_t done) = 0;
  virtual void end() = 0;
};

/// Shows a line with amount, rate and time left on a terminal, from half a second of work on; on a pipe it is silent.
[[nodiscard]] std::unique_ptr<Progress> terminal_progress();
[[nodiscard]] Progress& no_progress();

}  // namespace sonde
