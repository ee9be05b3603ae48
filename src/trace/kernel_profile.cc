#include "trace/kernel_profile.h"

#include <algorithm>

#include "trace/trace.h"

namespace sonde {

std::optional<double> MetricValue::number() const {
  switch (kind_) {
    case Kind::real: return std::bit_cast<double>(bits_);
    case Kind::integer: return static_cast<double>(bits_);
    default: return std::nullopt;
  }
}

std::optional<uint64_t> MetricValue::exact() const {
  return kind_ == Kind::integer ? std::optional(bits_) : std::nullopt;
}

const Metric* find_metric(const Trace& trace, const KernelProfile& kernel, std::string_view name) {
  const NameId id = trace.names.find(name);
  const auto found = std::ranges::lower_bound(kernel.metrics, id, {}, &Metric::name);
  return found == kernel.metrics.end() || found->name != id ? nullptr : &*found;
}

std::optional<double> metric_number(const Trace& trace, const KernelProfile& kernel, std::string_view name) {
  const Metric* metric = find_metric(trace, kernel, name);
  return metric == nullptr ? std::nullopt : metric->value.number();
}

}  // namespace sonde
