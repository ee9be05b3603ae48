#include "record/python/sampled_process.h"

#include <algorithm>
#include <cerrno>

namespace sonde::record::python {
namespace {

/// From a process's begin to its interpreter's some milliseconds pass; a program without one is looked at less and
/// less.
constexpr int64_t kFirstPauseNs = 5'000'000;
constexpr int64_t kLastPauseNs = 1'000'000'000;

}  // namespace

void SampledProcess::search(int64_t now, Output& out) {
  if (found_ || now < next_search_) return;
  pause_ns_ = std::clamp(2 * pause_ns_, kFirstPauseNs, kLastPauseNs);
  next_search_ = now + pause_ns_;
  found_ = find_interpreter(process_, memory_);
  if (!found_) return;
  append(ProcessRecord{.process = static_cast<uint32_t>(process_)}, found_->version, found_->problem, out.definitions);
}

void SampledProcess::sample(int64_t now, const PythonOptions& options, StackTable& stacks, Output& out) {
  if (!read_threads(memory_, found_->interpreter, threads_, gils_)) {
    if (memory_.error() == EPERM) tell_denied(out);
    if (memory_.error() == ESRCH || memory_.error() == EFAULT) found_.reset();  // it runs another program, or none
    return;
  }
  for (const ThreadState& thread : threads_) sample(thread, now, options, stacks, out);
}

void SampledProcess::tell_denied(Output& out) {
  if (denied_) return;
  denied_ = true;
  append(ProcessRecord{.process = static_cast<uint32_t>(process_)}, found_->version,
         "Linux does not permit reading its memory (CAP_SYS_PTRACE, or kernel.yama.ptrace_scope up to 1, permits it)",
         out.definitions);
}

void SampledProcess::sample(const ThreadState& thread, int64_t now, const PythonOptions& options, StackTable& stacks,
                            Output& out) {
  const uint32_t number = thread.number != 0 ? thread.number : tasks_.number_of(memory_, thread.thread_id);
  TaskState task;
  if (number == 0 || !tasks_.look(number, task)) {
    ++out.tally.nameless;
    return;
  }
  const GilUse gil = gil_use_of(thread, number, task);
  const uint32_t node = options.stacks ? stack_of(thread, stacks, out) : 0;
  append(SampleRecord{.time = now,
                      .process = static_cast<uint32_t>(process_),
                      .thread = number,
                      .node = node,
                      .state = static_cast<uint16_t>(task.state),
                      .gil = static_cast<uint16_t>(gil)},
         out.samples);
}

/// Every 5 ms a thread that waits for the lock wakes up, to ask for it, and needs a core for that.
GilUse SampledProcess::gil_use_of(const ThreadState& thread, uint32_t number, const TaskState& task) {
  const GilUse use = gil_use(found_->interpreter.layout, thread, gils_, task);
  if (use == GilUse::waits) tasks_.note_gil_wait(number);
  const bool may_be_ready = use == GilUse::none && task.state == sonde::ThreadState::running;
  return may_be_ready && tasks_.is_still_in_gil_wait(number) ? GilUse::waits : use;
}

uint32_t SampledProcess::stack_of(const ThreadState& thread, StackTable& stacks, Output& out) {
  if (!stacks_.read(memory_, found_->interpreter, thread, frames_)) {
    ++out.tally.torn;
    return 0;
  }
  return stacks.node_of(static_cast<uint32_t>(process_), found_->interpreter.layout, stacks_.codes(), frames_,
                        out.definitions);
}

}  // namespace sonde::record::python
