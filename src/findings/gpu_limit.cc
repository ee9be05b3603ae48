#include "findings/gpu_limit.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/columns.h"

namespace sonde {
namespace {

/// Judged work of one kind.
struct LimitSum {
  double ns = 0;
  double amount = 0;    ///< FLOP or bytes
  double limit_ns = 0;  ///< the least time
};

/// Kind, precision (unknown: memory limits it) and operations or bytes a second.
using LimitKey = std::tuple<OperatorKind, MathPrecision, double>;

/// Absent where the limit is not known.
std::optional<LimitKey> limit_of(const OperatorShape& shape) {
  if (!shape.roofline_ns) return std::nullopt;
  if (shape.memory_bound) {
    return LimitKey{shape.work.kind, MathPrecision::unknown, shape.peaks->bytes_per_second()};
  }
  const auto measured = shape.peaks->attainable_flop_per_second(shape.precision);
  const auto peak = measured ? measured : shape.peaks->flop_per_second(shape.precision);
  return LimitKey{shape.work.kind, shape.precision, *peak};
}

bool is_at_limit(const WorkAtLimit& work) {
  const bool by_memory = work.precision == MathPrecision::unknown;
  return work.limit_percent >= (by_memory ? kMemoryLimitPercent : kMathLimitPercent);
}

class LimitSums {
 public:
  explicit LimitSums(const Facts& facts) {
    const OperatorCalls& operators = facts.operators();
    const Kernels& k = facts.trace.kernels;
    for (Row row = 0; row < row_count(k); ++row) {
      if (!facts.judged(k.start[row])) continue;
      const auto duration = static_cast<double>(k.end[row] - k.start[row]);
      all_ns_ += duration;
      if (operators.of_kernel[row] != kNone) add(operators.calls[operators.of_kernel[row]], operators, duration);
    }
  }

  [[nodiscard]] GpuLimit limit() const {
    GpuLimit found;
    double ns = 0;
    double limit_ns = 0;
    for (const auto& [key, sum] : sums_) {
      const auto& [kind, precision, rate] = key;
      const WorkAtLimit work{
          kind, precision, 100 * sum.ns / all_ns_, sum.amount / sum.ns * 1e9, rate, 100 * sum.limit_ns / sum.ns};
      if (!is_at_limit(work)) continue;
      found.work.push_back(work);
      ns += sum.ns;
      limit_ns += sum.limit_ns;
    }
    if (ns < kAtLimitPercent / 100 * all_ns_ || ns <= 0) return {};
    found.percent = 100 * limit_ns / ns;
    std::ranges::stable_sort(found.work, std::greater(), &WorkAtLimit::time_percent);
    return found;
  }

 private:
  void add(const OperatorCall& call, const OperatorCalls& operators, double duration) {
    const OperatorShape& shape = operators.shapes[call.shape];
    const auto key = limit_of(shape);
    if (!key || call.kernel_ns <= 0) return;
    const bool by_memory = std::get<MathPrecision>(*key) == MathPrecision::unknown;
    const double amount =
        (by_memory ? *shape.work.work.bytes : *shape.work.work.flop) * duration / static_cast<double>(call.kernel_ns);
    LimitSum& sum = sums_[*key];
    sum.ns += duration;
    sum.amount += amount;
    sum.limit_ns += amount / std::get<double>(*key) * 1e9;
  }

  std::map<LimitKey, LimitSum> sums_;
  double all_ns_ = 0;
};

}  // namespace

std::optional<GpuLimit> gpu_limit(const Facts& facts) {
  if (facts.is_kernel_report() || facts.trace.ranges.shapes.empty()) return std::nullopt;
  if (facts.percent_of_wall(facts.per_gpu(facts.judged_busy_ns())) < kBusyPercent) return std::nullopt;
  GpuLimit found = LimitSums(facts).limit();
  return found.work.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace sonde
