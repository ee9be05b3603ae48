#include "analyses/steps/run_parts.h"

#include <algorithm>

#include "analyses/steps/run_extent.h"

namespace sonde {
namespace {

/// Of the run's GPU work, or for loops of the time from its first to its last GPU work: less is not a part.
constexpr double kMinPart = 0.1;

class PartSearch {
 public:
  explicit PartSearch(const Trace& trace) : finder_(trace) {
    found_.run = run_extent(trace);
    found_.gpu = gpu_extent(trace).value_or(found_.run);
  }

  RunParts run() {
    const auto loop = finder_.find(found_.run);
    if (!loop) {
      found_.parts.push_back({found_.gpu, std::nullopt});
      return std::move(found_);
    }
    add(*loop);
    const JudgedPart main = found_.parts.front();
    look_at({found_.run.first, loop->turns.front().first});
    look_at({std::max(loop->turns.back().second, main.extent.second), found_.run.second});
    return std::move(found_);
  }

 private:
  void add(const Loop& loop) {
    WarmUp steps = warm_up_of(finder_.launches(), loop);
    const Span extent{steps.steady.front().first, steps.steady.back().second};
    found_.parts.push_back({extent, std::move(steps)});
  }

  /// Parts of a window of host time outside of the loops that are found, in the order of time.
  void look_at(const Span& window) {
    const Span work{std::max(window.first, found_.gpu.first), std::min(window.second, found_.gpu.second)};
    if (work.second <= work.first) return;
    const auto loop = is_long(work) || has_much_work(window) ? finder_.find(window) : std::nullopt;
    if (loop && (is_long(loop->span()) || has_much_work(loop->span()))) {
      look_at({window.first, loop->turns.front().first});
      add(*loop);
      look_at({std::max(loop->turns.back().second, found_.parts.back().extent.second), window.second});
    } else if (has_much_work(window)) {
      found_.parts.push_back({work, std::nullopt});
    }
  }

  [[nodiscard]] bool is_long(const Span& span) const {
    return static_cast<double>(span.second - span.first) >=
           kMinPart * static_cast<double>(found_.gpu.second - found_.gpu.first);
  }

  /// Work whose call is not known does not count.
  [[nodiscard]] bool has_much_work(const Span& window) const {
    int64_t inside = 0;
    int64_t all = 0;
    for (const ThreadId thread : finder_.launches().threads()) {
      inside += finder_.launches().of_thread(thread).gpu_ns(window);
      all += finder_.launches().of_thread(thread).total_ns;
    }
    return inside > 0 && static_cast<double>(inside) >= kMinPart * static_cast<double>(all);
  }

  LoopFinder finder_;
  RunParts found_;
};

}  // namespace

int64_t RunParts::other_ns() const {
  int64_t left = gpu.second - gpu.first;
  for (const JudgedPart& part : parts) {
    left -= std::min(part.extent.second, gpu.second) - std::max(part.extent.first, gpu.first);
  }
  return std::max<int64_t>(left, 0);
}

RunParts parts_of_run(const Trace& trace) { return PartSearch(trace).run(); }

}  // namespace sonde
