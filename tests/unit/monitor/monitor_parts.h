#pragma once

#include <filesystem>
#include <mutex>

#include <gtest/gtest.h>
#include <unistd.h>

#include "config/live.h"
#include "device/simulated/source.h"
#include "monitor/monitor.h"

/// Fakes of what a monitor uses.
namespace sonde::monitor {

inline constexpr int64_t kSecond = 1'000'000'000;
inline constexpr int64_t kStart = 1'700'000'040 * kSecond;  // a whole minute

/// A configuration that a test can change.
class TestConfig : public config::LiveConfig {
 public:
  std::shared_ptr<const config::Config> current() const override {
    const std::scoped_lock lock(mutex_);
    return config_;
  }
  Status set(std::string_view, const std::string&, bool) override { return {}; }
  Result<config::Reload> reload() override { return config::Reload{}; }
  std::vector<config::KeyState> keys() const override { return {}; }
  void on_change(std::function<void(const config::Config&)> told) override { told_ = std::move(told); }
  const std::string& file() const override { return file_; }

  template <typename Change>
  void change(const Change& make) {
    {
      const std::scoped_lock lock(mutex_);
      auto next = std::make_shared<config::Config>(*config_);
      make(*next);
      config_ = std::move(next);
    }
    if (told_) told_(*current());
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const config::Config> config_ = std::make_shared<config::Config>();
  std::function<void(const config::Config&)> told_;
  std::string file_;
};

class TestLog : public Log {
 public:
  void write(LogLevel, std::string_view message, std::span<const LogField>) override {
    const std::scoped_lock lock(mutex_);
    lines_.emplace_back(message);
  }
  void set_level(LogLevel) override {}
  [[nodiscard]] bool has(std::string_view part) const {
    const std::scoped_lock lock(mutex_);
    for (const std::string& line : lines_) {
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// A folder that is removed after the test.
class TestFolder {
 public:
  TestFolder() {
    static int count = 0;
    path_ = ::testing::TempDir() + "monitor_" + std::to_string(getpid()) + "_" + std::to_string(++count);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string database() const { return path_ + "/history.db"; }

 private:
  std::string path_;
};

inline std::unique_ptr<History> open_history(const std::string& folder, const config::History& options = {}) {
  std::vector<std::string> notes;
  auto history = History::open(folder, options, notes);
  return history ? std::move(*history) : nullptr;
}

}  // namespace sonde::monitor
