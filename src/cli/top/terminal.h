#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "cli/top/model.h"

namespace sonde::top {

/// The whole terminal, by ncurses; put back as it was at the end. One at a time.
class Terminal {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open();
  virtual ~Terminal() = default;
  [[nodiscard]] virtual size_t width() const = 0;
  [[nodiscard]] virtual size_t height() const = 0;
  [[nodiscard]] virtual bool ascii() const = 0;  ///< its locale has no block characters
  virtual void draw(const std::vector<Line>& lines) = 0;
  /// A key as press() takes it; nothing when the time is over or the terminal changed its size.
  [[nodiscard]] virtual std::optional<int> key(std::chrono::milliseconds patience) = 0;
};

}  // namespace sonde::top
