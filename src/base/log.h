#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

enum class LogLevel { debug, info, warning, error };

/// A value beside a message, for machines: "gpu" = "GPU-...". Names are lower_case, as the journal's are UPPER_CASE.
struct LogField {
  std::string_view name;
  std::string value;
};

/// Where a service tells what it does. Thread-safe; tests have one that keeps lines.
class Log {
 public:
  virtual ~Log() = default;
  /// `message` is a sentence for a person, without what the fields say.
  virtual void write(LogLevel level, std::string_view message, std::span<const LogField> fields) = 0;
  virtual void set_level(LogLevel level) = 0;

  void debug(std::string_view message, const std::vector<LogField>& fields = {}) {
    write(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, const std::vector<LogField>& fields = {}) {
    write(LogLevel::info, message, fields);
  }
  void warning(std::string_view message, const std::vector<LogField>& fields = {}) {
    write(LogLevel::warning, message, fields);
  }
  void error(std::string_view message, const std::vector<LogField>& fields = {}) {
    write(LogLevel::error, message, fields);
  }
};

}  // namespace sonde
