#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/files/small_file.h"
#include "dispatch/executor.h"
#include "dispatch/executor/attempt_files.h"
#include "dispatch/executor/orphans.h"
#include "dispatch/keeper/attempt_record.h"
#include "dispatch/keeper/process_table.h"

namespace sonde::dispatch {

constexpr std::chrono::seconds kPatience{100};  ///< a test that waits longer fails

/// Polls, because this process gets no events about other processes.
template <typename Condition>
bool becomes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

/// An executor in a folder of its own, real keepers, and a task that follows commands (tests/fakes/hostile_task.cc).
class Attempts : public ::testing::Test {
 protected:
  Attempts() : folder_(std::filesystem::temp_directory_path() / unused_name("sonde-attempts")) {
    std::filesystem::create_directories(folder_);
    open();
  }
  ~Attempts() override {
    executor_.reset();
    for (const auto& process : processes()) kill(process.pid, SIGKILL);
    EXPECT_TRUE(becomes_true([&] { return processes().empty(); })) << "processes are left";
    EXPECT_TRUE(becomes_true([] { return waitpid(-1, nullptr, WNOHANG) < 0; })) << "keepers are left";
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  /// Acts as a service that starts.
  void open() {
    auto made = Executor::open(files().string(), [this](EndReport report) {
      const std::scoped_lock lock(mutex_);
      ends_[{report.task, report.attempt}].push_back(std::move(report));
      ended_.notify_all();
    });
    ASSERT_TRUE(made) << made.error().message;
    executor_ = std::move(*made);
  }
  /// Acts as a service that was killed: nothing is reported.
  void close() { executor_.reset(); }
  void reopen(const std::vector<std::pair<int64_t, int64_t>>& running) {
    close();
    ends_.clear();
    open();
    executor_->adopt(running);
  }

  [[nodiscard]] std::filesystem::path files() const { return folder_ / "tasks of a service"; }
  [[nodiscard]] std::filesystem::path scratch(const std::string& name) const { return folder_ / name; }

  static Launch launch_of(int64_t task, std::vector<std::string> arguments) {
    Launch launch;
    launch.task = task;
    launch.command = {HOSTILE_TASK};
    launch.command.insert(launch.command.end(), arguments.begin(), arguments.end());
    return launch;
  }
  void start(int64_t task, std::vector<std::string> arguments) {
    executor_->start(launch_of(task, std::move(arguments)));
  }

  /// Waits for the report; without a cause if none arrives.
  EndReport end_of(int64_t task, int64_t attempt = 1) {
    std::unique_lock lock(mutex_);
    const auto has_come = [&] { return ends_.contains({task, attempt}); };
    if (!ended_.wait_for(lock, kPatience, has_come)) {
      ADD_FAILURE() << "no end of task " << task << " is told";
      return {
          .task = task, .attempt = attempt, .cause = EndCause::none, .exit_status = {}, .signal = {}, .message = {}};
    }
    return ends_[{task, attempt}].front();
  }
  size_t ends_told(int64_t task) {
    const std::scoped_lock lock(mutex_);
    const auto at = ends_.find({task, 1});
    return at == ends_.end() ? 0 : at->second.size();
  }

  [[nodiscard]] LogPart log(int64_t task, LogStream stream = LogStream::out, int64_t from = 0,
                            int64_t max = 1 << 20) const {
    auto part = executor_->log(task, 1, stream, from, max);
    EXPECT_TRUE(part && *part);
    return part && *part ? **part : LogPart();
  }
  /// Waits until its output contains `text`.
  bool printed(int64_t task, const std::string& text) const {
    return becomes_true([&] { return log(task).text.find(text) != std::string::npos; });
  }

  /// Living processes of tasks of this test.
  [[nodiscard]] std::vector<keeper::Process> processes() const {
    std::vector<keeper::Process> found;
    for (const auto& process : keeper::all_processes()) {
      const bool is_of_test = attempt_folder_of(process.pid).starts_with(files().string());
      if (is_of_test && process.state != 'Z' && process.state != 'X') found.push_back(process);
    }
    return found;
  }
  /// Waits for its first process.
  [[nodiscard]] int64_t first_process(int64_t task) const {
    std::optional<int64_t> pid;
    EXPECT_TRUE(becomes_true([&] { return (pid = executor_->pid_of(task, 1)).has_value(); }));
    return pid.value_or(0);
  }
  [[nodiscard]] int64_t keeper_of(int64_t task) const {
    const auto process = keeper::find_process(static_cast<pid_t>(first_process(task)));
    return process ? process->parent : 0;
  }
  /// From its file, also after it has finished.
  [[nodiscard]] int64_t keeper_of_file(int64_t task) const {
    const std::string name = attempt_name({task, 1});
    const Descriptor file(::open((files() / "live" / name).c_str(), O_RDONLY | O_CLOEXEC));
    const auto record = keeper::read_keeper_record(file.get(), name);
    return record ? record->keeper : 0;
  }
  /// Names of the files of attempts that run or were not collected.
  [[nodiscard]] std::set<std::string> live() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(files() / "live")) {
      if (attempt_of(entry.path().filename().string())) names.insert(entry.path().filename().string());
    }
    return names;
  }
  static size_t lines_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::pair<int64_t, int64_t>, std::vector<EndReport>> ends_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace sonde::dispatch
