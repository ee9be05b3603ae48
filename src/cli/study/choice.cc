#include "cli/study/choice.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "analyses/kernels/launch_occupancy.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde::study {
namespace {

using Shape = std::tuple<NameId, Dim3, Dim3>;  ///< the whole name, grid, block

/// A function in a module, so far.
struct Sum {
  ModuleKernel kernel;
  std::map<Shape, int64_t> shapes;
};
using Sums = std::map<std::pair<uint32_t, std::string>, Sum>;

Shape shape_of(const Trace& trace, Row row) {
  const auto at = [&](const std::vector<Dim3>& shapes) { return row < shapes.size() ? shapes[row] : Dim3{}; };
  return {trace.kernels.name[row], at(trace.kernels.grid), at(trace.kernels.block)};
}

void add_launch(Sum& sum, const Work& work, const Shape& shape, int64_t each) {
  sum.kernel.work += work;
  if (sum.shapes[shape]++ >= each) return;
  ++sum.kernel.measured;
  sum.kernel.measured_ns += work.kernel_ns;
}

Sums sum_launches(const Trace& timeline, const ModuleTree& tree, int64_t each) {
  Sums sums;
  for (Row row = 0; row < row_count(timeline.kernels); ++row) {
    const Work work = work_of_kernel(timeline, tree, row);
    if (work.kernels == 0) continue;
    const uint32_t module = module_of(tree, timeline.kernels.launch[row]);
    std::string function(short_kernel_name(timeline.name(timeline.kernels.name[row])));
    add_launch(sums[{module, std::move(function)}], work, shape_of(timeline, row), each);
  }
  return sums;
}

using KernelsOfModule = std::vector<ModuleKernel>;

double time_of(const KernelsOfModule& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const ModuleKernel& k) { return sum + k.work.kernel_ns; });
}

double weight_of(const KernelsOfModule& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const ModuleKernel& k) { return sum + k.work.weight(); });
}

/// By module; of each the greatest weight first.
std::vector<KernelsOfModule> kernels_by_module(const Trace& timeline, const ModuleTree& tree, int64_t each) {
  std::vector<KernelsOfModule> all;
  for (auto& [key, sum] : sum_launches(timeline, tree, each)) {
    sum.kernel.module = key.first;
    sum.kernel.function = key.second;
    if (all.empty() || all.back().front().module != key.first) all.emplace_back();
    all.back().push_back(std::move(sum.kernel));
  }
  for (KernelsOfModule& kernels : all) {
    std::ranges::stable_sort(kernels, std::greater(), [](const ModuleKernel& k) { return k.work.weight(); });
  }
  std::ranges::stable_sort(all, std::greater(), weight_of);
  return all;
}

/// How many of the first reach the share of `whole_ns`, `most` at most.
template <typename Item, typename Time>
size_t count_for_share(const std::vector<Item>& items, Time time, double wanted_ns, size_t most) {
  double ns = 0;
  size_t count = 0;
  while (count < std::min(most, items.size()) && ns < wanted_ns) ns += time(items[count++]);
  return count;
}

/// The names of the ranges around each module and of itself, outermost first, as they are in its first call.
std::vector<std::vector<std::string>> paths_of(const Trace& timeline, const ModuleTree& tree) {
  std::vector<std::vector<std::string>> paths(tree.modules.size());
  std::vector<std::string> names(tree.modules.size());
  for (Row row = 0; row < row_count(timeline.ranges); ++row) {
    std::string* name = tree.is_call[row] == 0 ? nullptr : &names[tree.of_range[row]];
    if (name != nullptr && name->empty()) *name = timeline.name(timeline.ranges.name[row]);
  }
  for (uint32_t m = 0; m < paths.size(); ++m) {
    const uint32_t parent = tree.modules[m].parent;
    if (parent != kNone) paths[m] = paths[parent];
    paths[m].push_back(names[m]);
  }
  return paths;
}

}  // namespace

bool Choice::is_chosen(uint32_t module) const { return std::ranges::find(modules, module) != modules.end(); }

double Choice::chosen_ns() const { return time_of(kernels); }

int64_t Choice::measured() const {
  return std::accumulate(kernels.begin(), kernels.end(), int64_t{0},
                         [](int64_t sum, const ModuleKernel& k) { return sum + k.measured; });
}

double Choice::measured_ns() const {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const ModuleKernel& k) { return sum + k.measured_ns; });
}

Fields choice_fields() { return launch_occupancy_fields() | kModuleFields; }

Choice choose(const Trace& timeline, const Bounds& bounds) {
  Choice choice;
  choice.tree = study_modules(timeline);
  choice.work = module_work(timeline, choice.tree);
  std::vector<KernelsOfModule> modules = kernels_by_module(timeline, choice.tree, bounds.each);
  choice.launching_modules = static_cast<int64_t>(modules.size());
  modules.resize(count_for_share(modules, time_of, bounds.share * choice.work.whole.kernel_ns, bounds.modules));
  for (KernelsOfModule& kernels : modules) {
    choice.modules.push_back(kernels.front().module);
    const auto time = [](const ModuleKernel& kernel) { return kernel.work.kernel_ns; };
    kernels.resize(count_for_share(kernels, time, bounds.kernel_share * time_of(kernels), bounds.kernels));
    std::ranges::move(kernels, std::back_inserter(choice.kernels));
  }
  return choice;
}

std::vector<record::ListedKernel> listed_kernels(const Trace& timeline, const Choice& choice) {
  const auto paths = paths_of(timeline, choice.tree);
  std::vector<record::ListedKernel> listed;
  for (const ModuleKernel& kernel : choice.kernels) {
    record::ListedKernel& line = listed.emplace_back(kernel.function, !paths.empty(), std::vector<std::string>());
    if (kernel.module != kNone) line.ranges = paths[kernel.module];
  }
  return listed;
}

}  // namespace sonde::study
