#include "findings/kernel_rules/shared_launch_costs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analyses/measured/source_places.h"
#include "findings/evidence/most_of.h"

namespace sonde {
namespace {

/// A launch that has the problem.
struct Affected {
  const MeasuredLaunch* launch = nullptr;
  LaunchProblem problem;
  int64_t saves_ns = 0;
};

std::vector<Affected> affected_by(const Facts& facts, const LaunchFinding& finding) {
  std::vector<Affected> affected;
  for (const MeasuredLaunch& launch : facts.launches) {
    auto problem = finding.problem(launch);
    if (!problem || !(problem->saves_percent > 0)) continue;
    const double part = std::min(problem->saves_percent, 100.0) / 100;
    affected.push_back({&launch, std::move(*problem), std::llround(part * static_cast<double>(launch.duration_ns))});
  }
  std::ranges::stable_sort(affected, std::greater(), &Affected::saves_ns);
  return affected;
}

std::string place_of(const Facts& facts, const KernelProfile& profile) {
  if (profile.device >= facts.trace.devices.size()) return {};
  const Device& device = facts.trace.devices[profile.device];
  return fmt::format("GPU {}", device.cuda_ordinal.value_or(device.id));
}

/// Where the warps are sampled most, or have most of a counter.
std::optional<HottestLine> line_of(const MeasuredLaunch& launch, std::string_view counter) {
  auto line = hottest_line(*launch.trace, *launch.profile, counter);
  return line ? line : hottest_line(*launch.trace, *launch.profile, "smsp__pcsamp_sample_count");
}

std::vector<Evidence> evidence_of(const Facts& facts, const std::vector<Affected>& affected, std::string_view counter) {
  std::vector<Evidence> evidence;
  for (size_t i = 0; i < std::min(affected.size(), kMaxEvidence); ++i) {
    const MeasuredLaunch& launch = *affected[i].launch;
    evidence.push_back({.start_ns = launch.start_ns,
                        .end_ns = launch.start_ns + launch.duration_ns,
                        .place = place_of(facts, *launch.profile),
                        .what = launch.name(),
                        .launch = launch.profile->id});
    if (const auto line = line_of(launch, counter)) {
      evidence.back().source = line->place;
      evidence.back().source_percent = line->percent;
    }
  }
  return evidence;
}

}  // namespace

void add_launches(const Facts& facts, const LaunchFinding& finding, Diagnosis& diagnosis) {
  const std::vector<Affected> affected = affected_by(facts, finding);
  int64_t now = 0;
  int64_t saved = 0;
  std::map<std::string, int64_t> names;
  for (const Affected& a : affected) {
    now += a.launch->duration_ns;
    saved += a.saves_ns;
    names[a.launch->name()] += a.launch->duration_ns;
  }
  if (affected.empty() || facts.percent_of_wall(saved) < kWorthPercent) return;
  for (const Affected& a : affected) {
    diagnosis.claims.launches.push_back(
        {a.launch->profile, finding.id, a.launch->duration_ns, a.saves_ns, finding.reachable});
  }
  std::vector<Argument> arguments = affected.front().problem.figures;
  const std::string worst = affected.front().launch->name();
  arguments.push_back(text_argument("kernel", worst));
  arguments.push_back(text_argument("it", names.size() == 1 ? "It" : worst));
  arguments.push_back(duration_argument("time", now));
  arguments.push_back(text_argument("most", names.size() == 1 ? names.begin()->first : most_of(names)));
  arguments.push_back(count_argument("launches", affected.size()));
  diagnosis.findings.push_back({.id = std::string(finding.id),
                                .arguments = std::move(arguments),
                                .ceiling_ns = saved,
                                .reachable = finding.reachable,
                                .evidence = evidence_of(facts, affected, finding.counter)});
}

std::string rounded_count(double count) {
  if (count >= 1e9) return fmt::format("{:.2f} billion", count / 1e9);
  return count >= 1e6 ? fmt::format("{:.2f} million", count / 1e6) : fmt::format("{:.0f}", count);
}

}  // namespace sonde
