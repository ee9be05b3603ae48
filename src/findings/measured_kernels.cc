#include "findings/measured_kernels.h"

#include <algorithm>
#include <map>

#include <boost/unordered/unordered_flat_map.hpp>

namespace sonde {
namespace {

/// What findings save of each kernel.
struct Savings {
  std::map<std::string_view, int64_t> by_finding;
  std::string_view limit;

  void add(const LaunchCost& cost) {
    if (cost.reachable) {
      by_finding[cost.finding] += cost.saves_ns;
    } else {
      limit = cost.finding;
    }
  }
  void put_best(MeasuredKernel& kernel) const {
    const auto best = std::ranges::max_element(by_finding, {}, [](const auto& found) { return found.second; });
    if (best == by_finding.end()) {
      kernel.finding = limit;
      return;
    }
    kernel.finding = best->first;
    kernel.saves_ns = best->second;
  }
};

}  // namespace

std::vector<MeasuredKernel> measured_kernels(const Facts& facts, const Diagnosis& diagnosis) {
  boost::unordered_flat_map<std::string, size_t> index;
  boost::unordered_flat_map<const KernelProfile*, size_t> kernel_of;
  std::vector<MeasuredKernel> kernels;
  for (const MeasuredLaunch& launch : facts.launches) {
    const auto [found, fresh] = index.try_emplace(launch.name(), kernels.size());
    if (fresh) kernels.push_back({.name = found->first, .longest = &launch, .bound = {}, .finding = {}});
    MeasuredKernel& kernel = kernels[found->second];
    ++kernel.launches;
    kernel.ns += launch.duration_ns;
    if (launch.duration_ns > kernel.longest->duration_ns) kernel.longest = &launch;
    kernel_of[launch.profile] = found->second;
  }
  std::vector<Savings> savings(kernels.size());
  for (const LaunchCost& cost : diagnosis.claims.launches) savings[kernel_of.at(cost.launch)].add(cost);
  for (size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].bound = bound_text(*kernels[i].longest->trace, *kernels[i].longest->profile);
    savings[i].put_best(kernels[i]);
  }
  std::ranges::stable_sort(kernels, std::greater(), &MeasuredKernel::ns);
  return kernels;
}

}  // namespace sonde
