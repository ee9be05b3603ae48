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

}  // namespace

void FasterKernels::add(const Facts& facts, Row row, int64_t duration_ns) {
  kernels.push_back({row, duration_ns});
  now_ns += facts.shares.kernels[row];
}

const std::optional<LaunchOccupancy>& JudgedOccupancy::of(Row kernel) {
  const Kernels& k = facts_.trace.kernels;
  const int64_t shared = k.dynamic_shared_bytes.empty() ? 0 : k.dynamic_shared_bytes[kernel];
  const auto [known, fresh] = known_.try_emplace({facts_.trace.streams[k.stream[kernel]].device, k.name[kernel],
                                                  k.grid[kernel], k.block[kernel], k.registers[kernel], shared});
  if (fresh) known->second = occupancy_of_row(facts_.trace, kernel);
  return known->second;
}

void add_faster_kernels(const Facts& facts, std::string_view id, const FasterKernels& faster,
                        std::vector<Argument> arguments, Diagnosis& diagnosis) {
  const int64_t now = facts.per_gpu(faster.now_ns);
  if (facts.percent_of_wall(now) < kWorthPercent) return;
  Change change;
  change.kernels = faster.kernels;
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  arguments.push_back(duration_argument("time", now));
  arguments.push_back(text_argument("most", most_kernels(facts, faster.kernels)));
  diagnosis.findings.push_back({.id = std::string(id),
                                .arguments = std::move(arguments),
                                .ceiling_ns = ceiling,
                                .evidence = evidence_of_kernels(facts, faster.kernels)});
}

}  // namespace sonde
