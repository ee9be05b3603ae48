#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "record/python/find_interpreter.h"
#include "record/python/python_options.h"
#include "record/python/records.h"
#include "record/python/stack_table.h"
#include "record/python/tasks.h"
#include "record/python/thread_stacks.h"

namespace sonde::record::python {

/// What the sampler hands on: definitions are kept for all profiles of a recording, samples for the one of their time.
struct Output {
  std::vector<std::byte> definitions;
  std::vector<std::byte> samples;
  TallyRecord tally{};

  [[nodiscard]] bool empty() const { return definitions.empty() && samples.empty(); }
};

/// A process of the program, and the interpreter in it once there is one.
class SampledProcess {
 public:
  explicit SampledProcess(pid_t process) : process_(process), memory_(process), tasks_(process) {}

  [[nodiscard]] pid_t number() const { return process_; }
  /// Whether Python's threads can be sampled.
  [[nodiscard]] bool ready() const { return found_ && found_->problem.empty(); }

  /// Looks for an interpreter, the less often the longer there is none.
  void search(int64_t now, Output& out);
  /// A sample of each thread.
  void sample(int64_t now, const PythonOptions& options, StackTable& stacks, Output& out);

 private:
  void sample(const ThreadState& thread, int64_t now, const PythonOptions& options, StackTable& stacks, Output& out);
  [[nodiscard]] GilUse gil_use_of(const ThreadState& thread, uint32_t number, const TaskState& task);
  [[nodiscard]] uint32_t stack_of(const ThreadState& thread, StackTable& stacks, Output& out);
  void tell_denied(Output& out);

  pid_t process_;
  ProcessMemory memory_;
  Tasks tasks_;
  std::optional<Found> found_;
  int64_t next_search_ = 0;
  int64_t pause_ns_ = 0;
  bool denied_ = false;  ///< it was told that the process may not be read
  ThreadStacks stacks_;
  std::vector<ThreadState> threads_;
  std::vector<Gil> gils_;
  std::vector<RawFrame> frames_;
};

}  // namespace sonde::record::python
