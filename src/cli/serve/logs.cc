#include "cli/serve/logs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include "cli/serve/journal_entry.h"
#include "cli/serve/log_text.h"
#include "cli/serve/unix_datagram.h"

namespace sonde::serve {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};

class TerminalLog final : public Log {
 public:
  TerminalLog() : logger_("sonde", std::make_shared<spdlog::sinks::stderr_color_sink_mt>()) {
    logger_.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %v");
    logger_.flush_on(spdlog::level::trace);
    logger_.set_error_handler([](const std::string& /*why*/) {});  // a terminal that is gone ends no service
  }
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    const auto of_spdlog = kLevels.at(static_cast<size_t>(level));
    if (logger_.should_log(of_spdlog)) logger_.log(of_spdlog, std::string_view(log_line(message, fields)));
  }
  void set_level(LogLevel level) override {
    constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    logger_.set_level(kLevels.at(static_cast<size_t>(level)));
  }

 private:
  spdlog::logger logger_;
};

class JournalLog final : public Log {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    if (level < level_) return;
    // While the journal's service restarts, its socket keeps the messages.
    static_cast<void>(send_datagram("/run/systemd/journal/socket", journal_entry(level, message, fields)));
  }
  void set_level(LogLevel level) override { level_ = level; }

 private:
  std::atomic<LogLevel> level_ = LogLevel::info;
};

/// systemd tells device and inode of the journal's end; the variable is inherited where standard error leads elsewhere.
bool is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe): before any thread
  struct stat file = {};
  if (stream == nullptr || fstat(STDERR_FILENO, &file) != 0) return false;
  return fmt::format("{}:{}", file.st_dev, file.st_ino) == stream;
}

}  // namespace

std::unique_ptr<Log> service_log() {
  if (is_journal()) return std::make_unique<JournalLog>();
  return std::make_unique<TerminalLog>();
}

LogLevel log_level_of(std::string_view name) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  }
  return LogLevel::info;
}

}  // namespace sonde::serve
