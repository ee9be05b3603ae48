#include "findings/evidence/faster_kernels.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "findings/evidence/most_of.h"

namespace sonde {
namespace {

std::vector<Evidence> evidence_of_kernels(const Facts& facts, std::vector<Change::Resized> kernels) {
  const Kernels& k = facts.trace.kernels;
  const auto lost = [&](const Change::Resized& r) { return k.end[r.row] - k.start[r.row] - r.duration_ns; };
  const size_t kept = std::min(kernels.size(), kMaxEvidence);
  std::ranges::partial_sort(
      kernels, kernels.begin() + static_cast<std::ptrdiff_t>(kept),
      [&](const auto& a, const auto& b) { return std::pair(lost(a), b.row) > std::pair(lost(b), a.row); });
  kernels.resize(kept);
  std::vector<Evidence> evidence;
  for (const Change::Resized& r : kernels) {
    evidence.push_back({k.start[r.row], k.end[r.row], facts.place_of(k.stream[r.row]),
                        std::string(facts.trace.name(k.name[r.row])), facts.kernel_name(r.row)});
  }
  return evidence;
}

/// The kernels that most of the time goes to. Names are made brief once each.
std::string most_kernels(const Facts& facts, const std::vector<Change::Resized>& kernels) {
  const Kernels& k = facts.trace.kernels;
  std::map<NameId, std::pair<Row, int64_t>> by_name;
  for (const Change::Resized& r : kernels) {
    by_name.try_emplace(k.name[r.row], r.row, 0).first->second.second += facts.shares.kernels[r.row];
  }
  std::map<std::string, int64_t> names;
  for (const auto& [name, kernel] : by_name) names[facts.kernel_name(kernel.first)] += kernel.second;
  return most_of(names);
}

/// What the kernels take less, as shares of their GPU's time.
int64_t lost_ns(const Facts& facts, const FasterKernels& faster) {
  const Kernels& k = facts.trace.kernels;
  double lost = 0;
  for (const Change::Resized& r : faster.kernels) {
    const auto duration = static_cast<double>(k.end[r.row] - k.start[r.row]);
    if (duration <= 0) continue;
    const double part = (duration - static_cast<double>(r.duration_ns)) / duration;
    lost += part * static_cast<double>(facts.shares.kernels[r.row]);
  }
  return static_cast<int64_t>(lost);
}

void add_with_ceiling(const Facts& facts, std::string_view id, const FasterKernels& faster, int64_t ceiling_ns,
                      std::vector<Argument> arguments, Diagnosis& diagnosis) {
  if (facts.percent_of_wall(ceiling_ns) < kWorthPercent) return;
  arguments.push_back(duration_argument("time", facts.per_gpu(faster.now_ns)));
  arguments.push_back(text_argument("most", most_kernels(facts, faster.kernels)));
  diagnosis.findings.push_back({.id = std::string(id),
                                .arguments = std::move(arguments),
                                .ceiling_ns = ceiling_ns,
                                .evidence = evidence_of_kernels(facts, faster.kernels)});
}

}  // namespace

void FasterKernels::add(const Facts& facts, Row row, int64_t duration_ns) {
  kernels.push_back({row, duration_ns});
  now_ns += facts.shares.kernels[row];
}

const std::optional<LaunchOccupancy>& JudgedOccupancy::of(Row kernel) {
  const Kernels& k = facts_.trace.kernels;
  const int64_t shared = k.dynamic_shared_bytes.empty() ? 0 : k.dynamic_shared_bytes[kernel];
  const Shape shape{facts_.trace.streams[k.stream[kernel]].device,
                    k.name[kernel],
                    k.grid[kernel],
                    k.block[kernel],
                    k.registers[kernel],
                    shared};
  const Known::value_type*& last = last_[k.name[kernel]];
  if (last == nullptr || last->first != shape) {
    const auto [known, fresh] = known_.try_emplace(shape);
    if (fresh) known->second = occupancy_of_row(facts_.trace, kernel);
    last = &*known;
  }
  return last->second;
}

void add_faster_kernels(const Facts& facts, std::string_view id, const FasterKernels& faster,
                        std::vector<Argument> arguments, Diagnosis& diagnosis) {
  if (facts.percent_of_wall(facts.per_gpu(faster.now_ns)) < kWorthPercent) return;
  Change change;
  change.kernels = faster.kernels;
  add_with_ceiling(facts, id, faster, facts.saving_ns(change), std::move(arguments), diagnosis);
}

void add_slow_kernels(const Facts& facts, std::string_view id, const FasterKernels& faster,
                      std::vector<Argument> arguments, Diagnosis& diagnosis) {
  add_with_ceiling(facts, id, faster, facts.per_gpu(lost_ns(facts, faster)), std::move(arguments), diagnosis);
}

}  // namespace sonde
