#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "record/cpu/cpu_options.h"
#include "record/python/python_options.h"
#include "record/python/sampled_process.h"
#include "record/rounds/sink.h"

namespace sonde::record {

/// Samples the Python threads of the program and its children at a steady rate, in a thread of the recorder.
class PythonSampler : public Source {
 public:
  /// When something is recorded, as far as it is known at the time of asking.
  using WhatIsOn = std::function<CpuSpan()>;

  PythonSampler(const PythonOptions& options, Sink& sink, WhatIsOn on)
      : options_(options), sink_(sink), on_(std::move(on)) {}

  /// While the program waits to be executed.
  void open(pid_t process);
  /// Samples only of the time in which something is on.
  int64_t sweep() override;
  void finish() override;

 private:
  void run(const std::stop_token& stop, pid_t program);
  void look_for_children();
  void sample_all(int64_t now);

  PythonOptions options_;
  Sink& sink_;
  WhatIsOn on_;

  std::mutex mutex_;      ///< of `ready_`
  python::Output ready_;  ///< taken, and not swept yet

  /// Of the thread.
  std::map<pid_t, std::unique_ptr<python::SampledProcess>> processes_;
  python::StackTable stacks_;
  python::Output fresh_;

  std::jthread thread_;  ///< last: it ends before the rest does
};

}  // namespace sonde::record
