#pragma once

#include <functional>
#include <string_view>

#include "shared/ask_rule.h"
#include "shared/trace_builder.h"

namespace sonde {

/// A loop for tests of rules: one thread and one stream, ten steps of 1 ms. Each step launches the kernel "first" (480
/// us, ends 500 us into the step) and the kernel "second" (370 us, from 610 us on), and the GPU is idle between them. A
/// test adds what its rule looks for.
struct LoopTrace {
  static constexpr int64_t kStepNs = 1'000'000;
  static constexpr int kSteps = 10;

  /// With ranges named "step"; without them no sequence of launches repeats either, so there are no steps.
  /// `second_launch`: when the host launches the second kernel, after the step's start.
  explicit LoopTrace(bool ranges = true, int64_t second_launch = 600'000);

  void kernel(int64_t launched, int64_t start, int64_t end, std::string_view name);
  /// Calls `f` with the start of each step.
  void each_step(const std::function<void(int64_t)>& f);
  /// What one rule finds. The loop is spent afterwards.
  Diagnosis ask(std::string_view rule) { return ask_rule(rule, builder.build()); }

  TraceBuilder builder;
  ThreadId thread;
  StreamId stream;
};

}  // namespace sonde
