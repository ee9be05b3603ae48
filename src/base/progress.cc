#include "base/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <mutex>

#include <fmt/format.h>

namespace sonde {
namespace {

using Clock = std::chrono::steady_clock;

/// Work that is over sooner is not worth a line that flickers.
constexpr auto kQuiet = std::chrono::milliseconds(500);
constexpr auto kRefresh = std::chrono::milliseconds(100);

class Silent final : public Progress {
 public:
  void begin(std::string_view, int64_t, std::string_view) override {}
  void advance(int64_t) override {}
  void end() override {}
};

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

/// An amount as a person reads it: bytes in MB, everything else in thousands.
std::string amount(double value, std::string_view unit) {
  if (unit == "bytes") return fmt::format("{:.1f} MB", value / 1e6);
  if (value >= 1e6) return fmt::format("{:.2f} M {}", value / 1e6, unit);
  return fmt::format("{:.0f} {}", value, unit);
}

class Terminal final : public Progress {
 public:
  Terminal() = default;
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() override { end(); }

  void begin(std::string_view what, int64_t total, std::string_view unit) override {
    const std::lock_guard lock(mutex_);
    clear();
    what_ = what;
    unit_ = unit;
    total_ = total;
    done_ = 0;
    began_ = Clock::now();
    shown_at_ = began_ + kQuiet - kRefresh;
  }

  void advance(int64_t done) override {
    const std::lock_guard lock(mutex_);
    done_ += done;
    const auto now = Clock::now();
    if (now - shown_at_ < kRefresh) return;
    shown_at_ = now;
    show(seconds(now - began_));
  }

  void end() override {
    const std::lock_guard lock(mutex_);
    clear();
  }

 private:
  void show(double elapsed) {
    const double rate = static_cast<double>(done_) / elapsed;
    std::string line = fmt::format("{}: {}", what_, amount(static_cast<double>(done_), unit_));
    if (total_ > 0) line += fmt::format(" of {}", amount(static_cast<double>(total_), unit_));
    line += fmt::format(", {}/s", amount(rate, unit_));
    if (total_ > done_ && rate > 0) line += fmt::format(", {:.0f} s left", static_cast<double>(total_ - done_) / rate);
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    visible_ = true;
  }

  void clear() {
    if (!visible_) return;
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    visible_ = false;
  }

  std::mutex mutex_;
  std::string what_;
  std::string unit_;
  int64_t total_ = 0;
  int64_t done_ = 0;
  Clock::time_point began_;
  Clock::time_point shown_at_;
  bool visible_ = false;
};

}  // namespace

std::unique_ptr<Progress> terminal_progress() {
  if (isatty(STDERR_FILENO) == 0) return std::make_unique<Silent>();
  return std::make_unique<Terminal>();
}

Progress& no_progress() {
  static Silent silent;
  return silent;
}

}  // namespace sonde
