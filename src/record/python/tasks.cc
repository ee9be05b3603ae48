#include "record/python/tasks.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace sonde::record::python {
namespace {

/// Where glibc has had a thread's number since 2.4; other C libraries have it within the first bytes, too.
constexpr size_t kGlibcNumberAt = 720;
constexpr size_t kThreadBytes = 1024;

/// Of a program with more threads the rest is opened each time.
constexpr size_t kMostTasks = 256;

template <typename T>
bool take_number(std::string_view& text, T& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool read_text(int file, TaskState& state) {
  std::array<char, 256> text{};
  const ssize_t bytes = pread(file, text.data(), text.size(), 0);
  if (bytes <= 0) return false;
  state = parse_task_state({text.data(), static_cast<size_t>(bytes)});
  return true;
}

}  // namespace

TaskState parse_task_state(std::string_view line) {
  TaskState task;
  if (line.starts_with("running")) {
    task.state = sonde::ThreadState::running;
    return task;
  }
  long call = 0;
  if (!take_number(line, call, 10)) return task;
  task.state = sonde::ThreadState::waiting;
  constexpr std::string_view kHex = " 0x";
  uint64_t first = 0;
  if (call != SYS_futex || !line.starts_with(kHex)) return task;
  line.remove_prefix(kHex.size());
  if (take_number(line, first, 16)) task.waits_on = first;
  return task;
}

GilUse gil_use(const Layout& layout, const ThreadState& thread, const std::vector<Gil>& gils, const TaskState& task) {
  const auto gil = std::ranges::find(gils, thread.gil, &Gil::address);
  if (gil == gils.end()) return GilUse::unknown;
  if (task.waits_on >= gil->address + layout.gil_waits && task.waits_on < gil->address + layout.gil_end) {
    return GilUse::waits;
  }
  return gil->holder == thread.address ? GilUse::holds : GilUse::none;
}

bool Tasks::look(uint32_t number, TaskState& state) {
  const auto known = tasks_.find(number);
  if (known != tasks_.end()) {
    if (read_text(known->second.syscall.get(), state)) return true;
    tasks_.erase(known);  // the thread has ended; another one may have its number now
  }
  const std::string path = fmt::format("/proc/{}/task/{}/syscall", process_, number);
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    state = {};
    return is_task(number);
  }
  const bool there = read_text(file.get(), state);
  if (there && tasks_.size() < kMostTasks) tasks_.emplace(number, Task{.syscall = std::move(file)});
  return there;
}

void Tasks::note_gil_wait(uint32_t number) {
  const auto task = tasks_.find(number);
  if (task != tasks_.end()) task->second.turns = turns_of(number, task->second);
}

bool Tasks::is_still_in_gil_wait(uint32_t number) {
  const auto task = tasks_.find(number);
  if (task == tasks_.end() || task->second.turns == 0) return false;
  if (turns_of(number, task->second) == task->second.turns) return true;
  task->second.turns = 0;
  return false;
}

/// The third number of /proc/PID/task/TID/schedstat; 0 where Linux does not count.
uint64_t Tasks::turns_of(uint32_t number, Task& task) const {
  if (!task.schedstat) {
    const std::string path = fmt::format("/proc/{}/task/{}/schedstat", process_, number);
    task.schedstat = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  std::array<char, 128> text{};
  const ssize_t bytes = pread(task.schedstat.get(), text.data(), text.size(), 0);
  if (bytes <= 0) return 0;
  std::string_view line(text.data(), static_cast<size_t>(bytes));
  line.remove_prefix(std::min(line.size(), line.find(' ') + 1));
  line.remove_prefix(std::min(line.size(), line.find(' ') + 1));
  uint64_t turns = 0;
  return take_number(line, turns, 10) ? turns : 0;
}

bool Tasks::is_task(uint32_t number) const {
  return access(fmt::format("/proc/{}/task/{}", process_, number).c_str(), F_OK) == 0;
}

uint32_t Tasks::number_of(const ForeignMemory& memory, uint64_t thread_id) {
  std::array<std::byte, kThreadBytes> bytes{};
  if (thread_id == 0 || !memory.read(thread_id, bytes)) return 0;
  if (number_at_ == 0) learn(bytes);
  const auto number = number_at_ == 0 ? 0 : value_at<uint32_t>(bytes, number_at_);
  return number;
}

void Tasks::learn(std::span<const std::byte> bytes) {
  const auto fits = [&](size_t at) {
    const auto number = value_at<uint32_t>(bytes, at);
    return number != 0 && is_task(number);
  };
  if (fits(kGlibcNumberAt)) {
    number_at_ = kGlibcNumberAt;
    return;
  }
  for (size_t at = sizeof(uint32_t); at < bytes.size() && number_at_ == 0; at += sizeof(uint32_t)) {
    if (fits(at)) number_at_ = at;
  }
}

}  // namespace sonde::record::python
