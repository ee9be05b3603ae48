#include "cli/study/text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <ranges>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analyses/modules/module_kernel_metrics.h"
#include "base/text/text_width.h"
#include "report/tables/quantity.h"
#include "report/text/join_text.h"
#include "report/text/plain_text.h"
#include "report/text/sentence.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde::study {
namespace {

constexpr size_t kWidth = 80;
constexpr double kPercentOfShare = 100;
constexpr std::string_view kOutside = "(outside any module)";

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", kPercentOfShare * part / whole) : "-";
}

std::string share_text(std::optional<double> share) {
  return share ? fmt::format("{:.0f} %", kPercentOfShare * *share) : "-";
}

std::string time_or_dash(double ns) { return ns > 0 ? time_text(ns) : "-"; }

/// A sentence of its own, on as many lines as it takes. The first of a text stands behind "sonde: ".
std::string paragraph(const std::string& text, const std::string& before = {}) {
  return wrapped(before + text, 0, kWidth).substr(before.size());
}

/// A module's name less that of the module around it, which stands above it.
std::string name_within(const ModuleTree& tree, uint32_t module) {
  const Module& m = tree.modules[module];
  if (m.parent == kNone) return one_line(m.name);
  const std::string& around = tree.modules[m.parent].name;
  const bool repeats = m.name.size() > around.size() + 1 && m.name.starts_with(around) && m.name[around.size()] == '.';
  return one_line(repeats ? m.name.substr(around.size()) : m.name);
}

/// From the outermost module that is shown with its whole name on.
std::string full_name(const ModuleTree& tree, uint32_t module) {
  return module == kNone ? std::string(kOutside) : one_line(tree.modules[module].name);
}

/// The modules that are worth a line, in the order of the tree: the chosen ones, what is around them, and those that
/// take a percent of the GPUs' time.
class Shown {
 public:
  explicit Shown(const Choice& choice) : choice_(choice), wanted_(choice.tree.modules.size(), false) {
    const double least_ns = choice.work.whole.all_ns() / kPercentOfShare;
    for (uint32_t m = 0; m < wanted_.size(); ++m) wanted_[m] = choice.work.total[m].all_ns() >= least_ns;
    for (const uint32_t chosen : choice.modules) {
      for (uint32_t m = chosen; m != kNone; m = choice.tree.modules[m].parent) wanted_[m] = true;
    }
    add_inside(kNone);
  }

  [[nodiscard]] const std::vector<uint32_t>& modules() const { return modules_; }
  [[nodiscard]] size_t left_out() const { return wanted_.size() - modules_.size(); }

 private:
  void add_inside(uint32_t parent) {
    std::vector<uint32_t> inside;
    for (uint32_t m = 0; m < wanted_.size(); ++m) {
      if (choice_.tree.modules[m].parent == parent && wanted_[m]) inside.push_back(m);
    }
    std::ranges::stable_sort(inside, std::greater(), [&](uint32_t m) { return choice_.work.total[m].all_ns(); });
    for (const uint32_t m : inside) {
      modules_.push_back(m);
      add_inside(m);
    }
  }

  const Choice& choice_;
  std::vector<bool> wanted_;
  std::vector<uint32_t> modules_;
};

/// Cells of a row, and the module's name behind them, cut to the width that is left.
std::string row(std::string_view cells, size_t depth, const std::string& name) {
  const std::string indented = std::string(depth, ' ') + name;  // models are deep, and lines narrow
  return fmt::format("{}  {}\n", cells, cut_middle(indented, kWidth - text_width(cells) - 2));
}

std::string work_cells(bool chosen, const Work& work, const Work& whole) {
  return fmt::format("{} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}", chosen ? '*' : ' ',
                     share_text(work.all_ns(), whole.all_ns()), time_or_dash(work.kernel_ns),
                     time_or_dash(work.memory_ns),
                     work.copied_bytes > 0 ? bytes_text(static_cast<double>(work.copied_bytes)) : "-", work.kernels,
                     share_text(work.headroom()));
}

std::string modules_text(const Choice& choice) {
  std::string text = "    share  kernels   memory   copied launches headroom  module\n";
  const Shown shown(choice);
  for (const uint32_t m : shown.modules()) {
    text += row(work_cells(choice.is_chosen(m), choice.work.total[m], choice.work.whole), choice.tree.modules[m].depth,
                name_within(choice.tree, m));
  }
  const Work& outside = choice.work.outside;
  if (outside.all_ns() > 0) {
    text += row(work_cells(choice.is_chosen(kNone), outside, choice.work.whole), 0, std::string(kOutside));
  }
  if (shown.left_out() > 0) {
    text += fmt::format("  and {} of less than 1 % (sonde modules has all)\n",
                        counted(static_cast<int64_t>(shown.left_out()), "module"));
  }
  return text;
}

std::string kernels_text(const Choice& choice) {
  std::string text;
  uint32_t module = kNone;
  for (const ModuleKernel& kernel : choice.kernels) {
    if (text.empty() || kernel.module != module) {
      text += fmt::format("  {}\n", cut_middle(full_name(choice.tree, kernel.module), kWidth - 2));
    }
    module = kernel.module;
    const std::string cells =
        fmt::format("  {:>7} {:>8} {:>8} {:>8}", share_text(kernel.work.kernel_ns, choice.work.whole.all_ns()),
                    time_text(kernel.work.kernel_ns), kernel.work.kernels, share_text(kernel.work.headroom()));
    text += row(cells, 0, one_line(kernel.function));
  }
  return text;
}

/// What no second run can measure, with its share of the time and what to do.
std::string unmeasurable_text(const Work& whole) {
  const double all_ns = whole.all_ns();
  std::string text;
  if (whole.graph_ns > 0) {
    text += paragraph(
        fmt::format("{} of the GPUs' time is in CUDA graphs, whose kernels are not measured: switch graphs off for a "
                    "study where the program can (torch.compile mode=\"default\", vLLM --enforce-eager). The timeline "
                    "has the graphs as a whole; --cuda-graph-trace node has the times of the kernels in them.",
                    share_text(whole.graph_ns, all_ns)));
  }
  if (whole.waiting_ns > 0) {
    text +=
        paragraph(fmt::format("{} of the GPUs' time is in kernels of NCCL or NVSHMEM, which are not measured: they "
                              "wait for other processes and cannot be replayed alone.",
                              share_text(whole.waiting_ns, all_ns)));
  }
  return text;
}

/// How often CUPTI 13.0 plans a launch to run: from Turing to Blackwell (tests/tools/record/metric_passes.py).
struct Passes {
  std::string_view metrics;
  int least;
  int most;
};
constexpr auto kPasses = std::to_array<Passes>({{"basic", 7, 10}, {"detailed", 9, 13}, {kUsualMetrics, 10, 13}});

/// A text that is one paragraph, without its last line's end.
std::string one_paragraph(const std::string& text) {
  std::string lines = paragraph(text, "sonde: ");
  while (lines.ends_with('\n')) lines.pop_back();
  return lines;
}

std::string number_text(const std::optional<double>& number, const std::function<std::string(double)>& text) {
  return number ? text(*number) : "-";
}

std::string counter_cells(const MeasuredKernels& kernels) {
  const auto reads = kernels.total(Figure::dram_read_bytes);
  const auto writes = kernels.total(Figure::dram_write_bytes);
  const auto bytes = reads && writes ? std::optional(*reads + *writes) : kernels.total(Figure::dram_bytes);
  constexpr double kNsPerS = 1e9;
  const bool has_rate = bytes && kernels.matched_ns > 0;
  const std::string rate =
      has_rate ? rate_text(*bytes * kNsPerS / static_cast<double>(kernels.matched_ns)) : std::string("-");
  const std::string bound(name_of(kernels.bound()));
  return fmt::format("  {:>8} {:>7} {:>8} {:>8} {:>9} {:>8}", time_or_dash(static_cast<double>(kernels.ns)),
                     share_text(static_cast<double>(kernels.matched_ns), static_cast<double>(kernels.ns)),
                     number_text(reads, bytes_text), number_text(writes, bytes_text), rate,
                     bound.empty() ? "-" : bound);
}

}  // namespace

std::string choice_text(const Choice& choice) {
  std::string text = "GPU time of modules, including inner modules\n";
  text += modules_text(choice);
  text += paragraph(
      "share: of the GPUs' time. kernels: time of measurable kernels. memory: time of copies and memsets. headroom: "
      "share of the GPU that launches leave unused, by formula. *: chosen by time and headroom of its own launches.");
  text += unmeasurable_text(choice.work.whole);
  if (!choice.kernels.empty()) {
    text += paragraph(
        fmt::format("Chosen: {} of {} with kernels of their own, and {} there, which take {} of the GPUs' time:",
                    choice.modules.size(), counted(choice.launching_modules, "module"),
                    counted(static_cast<int64_t>(choice.kernels.size()), "kernel"),
                    share_text(choice.chosen_ns(), choice.work.whole.all_ns())));
    text += "    share     time launches headroom  module, kernel\n";
    text += kernels_text(choice);
  }
  text.pop_back();
  return text;
}

std::string cost_text(const Choice& choice, const Bounds& bounds, std::string_view metrics) {
  const auto* const known = std::ranges::find(kPasses, metrics, &Passes::metrics);
  const std::string passes =
      known != kPasses.end()
          ? fmt::format("{} to {} times, by the GPU's generation, for {} to {} in all", known->least, known->most,
                        time_text(choice.measured_ns() * known->least), time_text(choice.measured_ns() * known->most))
          : fmt::format("once per pass that CUPTI needs, for {} per pass", time_text(choice.measured_ns()));
  return one_paragraph(
      fmt::format("about {} will be measured, at most {} per kernel, grid, block and module; each runs {}, and the "
                  "memory that it writes is saved and restored",
                  counted(choice.measured(), "launch"), bounds.each, passes));
}

std::string counters_text(const Choice& choice, const KernelJoin& join) {
  const ModuleKernels kernels = module_kernels(choice.tree, join);
  std::string text = "memory traffic of the kernels of modules, including inner modules\n";
  text += "   kernels measured     read    write      rate    bound  module\n";
  const Shown shown(choice);
  for (const uint32_t m : shown.modules()) {
    text += row(counter_cells(kernels.total[m]), choice.tree.modules[m].depth, name_within(choice.tree, m));
  }
  if (kernels.outside.ns > 0) text += row(counter_cells(kernels.outside), 0, std::string(kOutside));
  text += paragraph(
      "kernels: their time. measured: the share of it with counters. read, write, rate: bytes of device memory, and "
      "bytes per second. bound: what limits the kernels.");
  text += paragraph(matched_text(join.counts) + ".");
  for (const auto line : std::views::split(transfer_text(kernels), '\n')) {
    text += paragraph(std::string(std::string_view(line)));
  }
  text.pop_back();
  return text;
}

std::string missed_text(const Trace& timeline, const Choice& choice, const KernelJoin& join) {
  std::set<std::pair<uint32_t, std::string_view>> measured;
  for (Row launch = 0; launch < row_count(timeline.kernels); ++launch) {
    if (join.sample_of[launch] == kNone) continue;
    measured.emplace(module_of(choice.tree, timeline.kernels.launch[launch]),
                     short_kernel_name(timeline.name(timeline.kernels.name[launch])));
  }
  std::string text;
  for (const ModuleKernel& kernel : choice.kernels) {
    if (measured.contains({kernel.module, kernel.function})) continue;
    text += fmt::format(
        "  {}\n", cut_middle(fmt::format("{} in {}", one_line(kernel.function), full_name(choice.tree, kernel.module)),
                             kWidth - 2));
  }
  if (!text.empty()) text.pop_back();
  return text.empty()
             ? text
             : "these have no counters; the second run did not launch them there, or could not measure them:\n" + text;
}

}  // namespace sonde::study
