#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"

namespace sonde {

/// A log that keeps its lines: "warning: message name=value".
class KeptLog final : public Log {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
    std::string line = fmt::format("{}: {}", kNames[static_cast<int>(level)], message);
    for (const LogField& field : fields) line += fmt::format(" {}={}", field.name, field.value);
    const std::scoped_lock lock(mutex_);
    lines_.push_back(std::move(line));
  }
  void set_level(LogLevel /*level*/) override {}
  std::vector<std::string> lines() const {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace sonde
