#include "record/python/sampler.h"

#include <signal.h>
#include <sys/prctl.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "base/system/clock.h"
#include "base/time_units.h"

namespace sonde::record {
namespace {

using python::Output;

/// Linux tells of new processes when it is asked only.
constexpr int64_t kChildrenNs = 50'000'000;

/// As process ids; empty for a process that has ended, and where Linux was built without these files.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  const std::filesystem::path tasks = fmt::format("/proc/{}/task", process);
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::ifstream file(task.path() / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  }
  return children;
}

bool is_there(pid_t process) { return kill(process, 0) == 0 || errno == EPERM; }

void append_bytes(std::vector<std::byte>& to, std::vector<std::byte>& from) {
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

void move_to(Output& to, Output& from) {
  append_bytes(to.definitions, from.definitions);
  append_bytes(to.samples, from.samples);
  to.tally.torn += from.tally.torn;
  to.tally.missed += from.tally.missed;
  to.tally.nameless += from.tally.nameless;
  to.tally.own_ns += from.tally.own_ns;
  from.tally = {};
}

/// The times of samples: one within each period, at any place of it, so that what the program does with the same period
/// is met in all its phases.
class Ticks {
 public:
  explicit Ticks(int frequency_hz)
      : period_ns_(kNsPerSecond / frequency_hz), place_(0, period_ns_ - 1), period_begin_(monotonic_ns()) {}

  /// The next time, which lies ahead; `missed` is raised by the periods that passed without one.
  int64_t next(int64_t& missed) {
    period_begin_ += period_ns_;
    const int64_t late = (monotonic_ns() - period_begin_) / period_ns_;
    if (late > 0) {
      missed += late;
      period_begin_ += late * period_ns_;
    }
    return period_begin_ + place_(random_);
  }

 private:
  int64_t period_ns_;
  std::minstd_rand random_{};
  std::uniform_int_distribution<int64_t> place_;
  int64_t period_begin_;
};

/// Or until a stop is requested, soon after.
void sleep_until(int64_t time, const std::stop_token& stop) {
  constexpr int64_t kMostAtOnceNs = 50'000'000;
  for (int64_t now = monotonic_ns(); now < time && !stop.stop_requested(); now = monotonic_ns()) {
    const int64_t next = std::min(time, now + kMostAtOnceNs);
    const timespec until{.tv_sec = next / kNsPerSecond, .tv_nsec = next % kNsPerSecond};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
}

}  // namespace

void PythonSampler::open(pid_t process) {
  if (!options_.any()) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the thread that follows the program
  thread_ = std::jthread([this, process](const std::stop_token& stop) { run(stop, process); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int64_t PythonSampler::sweep() {
  Output taken;
  {
    const std::lock_guard lock(mutex_);
    move_to(taken, ready_);
  }
  if (taken.empty()) return 0;
  const auto bytes = static_cast<int64_t>(taken.definitions.size() + taken.samples.size());
  const CpuSpan on = on_();  // a round that begins meanwhile is on by now
  const auto add = [this](const std::vector<std::byte>& records, uint32_t mark) {
    if (!records.empty()) sink_.add({.process = 0, .thread = 0, .records = records, .mark = mark});
  };
  add(taken.definitions, kPythonDefinitionMark);
  if (on.begin == std::numeric_limits<int64_t>::max()) return bytes;
  append(taken.tally, taken.samples);
  add(taken.samples, kPythonSampleMark);
  sink_.flush();
  return bytes;
}

void PythonSampler::finish() { thread_ = {}; }

void PythonSampler::run(const std::stop_token& stop, pid_t program) {
  prctl(PR_SET_TIMERSLACK, 1UL);
  processes_.emplace(program, std::make_unique<python::SampledProcess>(program));
  Ticks ticks(options_.frequency_hz);
  int64_t next_children = 0;
  while (!stop.stop_requested()) {
    int64_t missed = 0;
    sleep_until(ticks.next(missed), stop);
    const int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const int64_t now = monotonic_ns();
    if (now >= next_children) {
      look_for_children();
      next_children = now + kChildrenNs;
    }
    sample_all(now);
    if (!processes_.empty()) fresh_.tally.missed += missed;
    fresh_.tally.own_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
    const std::lock_guard lock(mutex_);
    move_to(ready_, fresh_);
  }
}

void PythonSampler::look_for_children() {
  std::erase_if(processes_, [this](const auto& entry) {
    if (is_there(entry.first)) return false;
    stacks_.forget(static_cast<uint32_t>(entry.first));
    return true;
  });
  std::set<pid_t> fresh;
  for (const auto& [process, sampled] : processes_) {
    for (const pid_t child : children_of(process)) fresh.insert(child);
  }
  for (const pid_t process : fresh) {
    auto& place = processes_[process];
    if (!place) place = std::make_unique<python::SampledProcess>(process);
  }
}

void PythonSampler::sample_all(int64_t now) {
  for (const auto& [number, process] : processes_) {
    process->search(now, fresh_);
    if (process->ready()) process->sample(now, options_, stacks_, fresh_);
  }
}

}  // namespace sonde::record
