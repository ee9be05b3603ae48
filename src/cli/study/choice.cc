#include "cli/study/choice.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analyses/launch_occupancy.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde::study {
namespace {

constexpr double kPercent = 100;

/// Passes of set detailed as CUPTI 13.0 plans them for an H100; from Turing to Blackwell they are 9 to 13.
constexpr int64_t kPasses = 12;

/// Grid, block, and the innermost range around the launch without its numbers.
using Kind = std::tuple<Dim3, Dim3, std::string>;

std::string place_of(const Trace& trace, Row kernel) {
  const Row call = kernel < trace.kernels.launch.size() ? trace.kernels.launch[kernel] : kNone;
  if (call == kNone) return {};
  for (const DomainLinks& links : trace.range_links) {
    const Row range = call < links.of_api.size() ? links.of_api[call] : kNone;
    if (range == kNone) continue;
    std::string name(trace.name(trace.ranges.name[range]));
    std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
    return name;
  }
  return {};
}

/// Of the GPU while the launch runs.
std::optional<double> headroom_of(const Trace& trace, Row kernel) {
  const auto found = occupancy_of_row(trace, kernel);
  if (!found) return std::nullopt;
  double used = found->occupancy.percent / kPercent;
  if (found->waves) used *= std::min(found->waves->count, 1 - found->waves->tail_percent.value_or(0) / kPercent);
  return std::clamp(1 - used, 0.0, 1.0);
}

/// A function's launches so far.
struct Sum {
  ChosenKernel kernel;
  double headroom_ns = 0;  ///< headroom times time
  bool headroom_known = true;
  std::map<Kind, int64_t> kinds;
};

void add_launch(Sum& sum, const Trace& trace, Row row, int64_t each) {
  const auto shape = [&](const std::vector<Dim3>& shapes) { return row < shapes.size() ? shapes[row] : Dim3{}; };
  const auto ns = static_cast<double>(trace.kernels.end[row] - trace.kernels.start[row]);
  ++sum.kernel.launches;
  sum.kernel.time_ns += ns;
  const auto headroom = headroom_of(trace, row);
  sum.headroom_known = sum.headroom_known && headroom.has_value();
  sum.headroom_ns += headroom.value_or(0) * ns;
  if (sum.kinds[{shape(trace.kernels.grid), shape(trace.kernels.block), place_of(trace, row)}]++ >= each) return;
  ++sum.kernel.measured;
  sum.kernel.measured_time_ns += ns;
}

std::vector<ChosenKernel> all_functions(const Trace& timeline, int64_t each) {
  std::map<std::string, Sum, std::less<>> sums;
  for (Row row = 0; row < row_count(timeline.kernels); ++row) {
    const std::string_view name = short_kernel_name(timeline.name(timeline.kernels.name[row]));
    add_launch(sums[std::string(name)], timeline, row, each);
  }
  std::vector<ChosenKernel> kernels;
  for (auto& [name, sum] : sums) {
    sum.kernel.function = name;
    if (sum.headroom_known && sum.kernel.time_ns > 0) sum.kernel.headroom = sum.headroom_ns / sum.kernel.time_ns;
    kernels.push_back(std::move(sum.kernel));
  }
  std::ranges::stable_sort(kernels, std::greater(), &ChosenKernel::weight);
  return kernels;
}

double sum_of(const std::vector<ChosenKernel>& kernels, double ChosenKernel::* member) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [&](double sum, const ChosenKernel& k) { return sum + k.*member; });
}

std::string quoted(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").contains(c)) text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

double Choice::chosen_ns() const { return sum_of(kernels, &ChosenKernel::time_ns); }

int64_t Choice::measured() const {
  return std::accumulate(kernels.begin(), kernels.end(), int64_t{0},
                         [](int64_t sum, const ChosenKernel& k) { return sum + k.measured; });
}

Fields choice_fields() {
  return launch_occupancy_fields() | Fields{Field::kernels,     Field::launches,    Field::api,    Field::ranges,
                                            Field::range_links, Field::kernel_grid, Field::streams};
}

Choice choose_kernels(const Trace& timeline, const Bounds& bounds) {
  Choice choice;
  choice.kernels = all_functions(timeline, bounds.each);
  choice.functions = static_cast<int64_t>(choice.kernels.size());
  choice.time_ns = sum_of(choice.kernels, &ChosenKernel::time_ns);
  double chosen_ns = 0;
  size_t count = 0;
  while (count < std::min(bounds.kernels, choice.kernels.size()) && chosen_ns < bounds.share * choice.time_ns) {
    chosen_ns += choice.kernels[count++].time_ns;
  }
  choice.kernels.resize(count);
  return choice;
}

std::string expression_of(const Choice& choice) {
  std::string text;
  for (const ChosenKernel& kernel : choice.kernels) {
    text += (text.empty() ? "" : "|") + quoted(kernel.function);
  }
  return fmt::format("^({})$", text);
}

std::string text_of(const Choice& choice, const Bounds& bounds, const std::string& metrics) {
  std::string text = fmt::format(
      "{} of {} kernels are chosen by time and headroom (what their launches leave of the GPU "
      "by formula); they are {:.1f} % of the time of all kernels:\n",
      choice.kernels.size(), choice.functions, kPercent * choice.chosen_ns() / std::max(choice.time_ns, 1.0));
  for (const ChosenKernel& k : choice.kernels) {
    text += fmt::format("  {:5.1f} % of the time, {:>6} launches, headroom {:>5}: {}\n",
                        kPercent * k.time_ns / std::max(choice.time_ns, 1.0), k.launches,
                        k.headroom ? fmt::format("{:.0f} %", kPercent * *k.headroom) : "-", k.function);
  }
  constexpr double kNsPerSecond = 1e9;
  const double replayed_s = sum_of(choice.kernels, &ChosenKernel::measured_time_ns) * kPasses / kNsPerSecond;
  text += fmt::format(
      "{} counts about {} launches, at most {} of each grid, block and place in the ranges: each runs some "
      "{} times ({:.3g} s on the GPU in all), with the memory that it writes saved and put back",
      metrics, choice.measured(), bounds.each, kPasses, replayed_s);
  return text;
}

}  // namespace sonde::study
