#include "shared/loop_trace.h"

#include <fmt/format.h>

namespace sonde {

LoopTrace::LoopTrace(bool ranges, int64_t second_launch) : thread(builder.thread(1, 1)), stream(builder.stream(1)) {
  for (int i = 0; i < kSteps; ++i) {
    const int64_t t = i * kStepNs;
    if (ranges) builder.push_pop(thread, t, t + kStepNs - 1000, "step");
    kernel(t + 10'000, t + 20'000, t + 500'000, "first");
    kernel(t + second_launch, t + 610'000, t + 980'000, ranges ? "second" : fmt::format("second of {}", i));
  }
}

void LoopTrace::kernel(int64_t launched, int64_t start, int64_t end, std::string_view name) {
  builder.kernel(stream, start, end, name, builder.call(thread, launched, launched + 5000));
}

void LoopTrace::each_step(const std::function<void(int64_t)>& f) {
  for (int i = 0; i < kSteps; ++i) f(i * kStepNs);
}

}  // namespace sonde
