#include <algorithm>
#include <limits>

#include "analyses/modules/module_memory.h"
#include "analyses/modules/module_sums.h"
#include "report/page/json_columns.h"
#include "report/page/module_sections.h"
#include "report/page/section.h"
#include "report/text/join_text.h"
#include "trace/columns.h"

namespace sonde {
namespace modules {
namespace {

using Json = nlohmann::ordered_json;

/// Calls of a module that have a place on the timeline.
struct CallTimes {
  int64_t first_ns = kUnknown;
  Span longest{kUnknown, kUnknown};

  void add(Span call) {
    if (first_ns == kUnknown) longest = call;
    first_ns = first_ns == kUnknown ? call.first : std::min(first_ns, call.first);
    if (call.second - call.first > longest.second - longest.first) longest = call;
  }
};

/// For each module. A call that was open when the recording ended is taken to last until the run's end.
std::vector<CallTimes> call_times(const ReportSource& source, const ModuleTree& tree) {
  const Ranges& r = source.trace.ranges;
  const int64_t run_end = source.origin_ns() + source.span_ns();
  std::vector<CallTimes> times(tree.modules.size());
  for (Row row = 0; row < row_count(r); ++row) {
    if (tree.is_call[row] == 0) continue;
    const int64_t end = r.end[row] == kUnknown ? run_end : r.end[row];
    times[tree.of_range[row]].add({r.start[row] - source.origin_ns(), end - source.origin_ns()});
  }
  return times;
}

Json peaks_json(const ReportSource& source, const ModuleTree& tree) {
  const std::vector<ModuleMemory> memory = module_memory(source.trace, tree);
  Json peaks = json_column(memory, [](const ModuleMemory& m) { return known_or_null(m.peak_bytes); });
  if (memory.empty()) peaks = Json(tree.modules.size(), nullptr);
  return peaks;
}

/// A column a rank.
Json by_rank_json(const ReportSource& source, const ModuleTree& tree) {
  const Trace& trace = source.trace;
  if (trace.ranks.size() < 2) return nullptr;
  ModuleSums sums(tree, trace.ranks.size());
  sums.add_operations(
      trace, [&](const GpuOps& ops, Row row) { return trace.processes[trace.stream(ops.stream[row]).process].rank; });
  std::vector<Longs> ranks(trace.ranks.size());
  for (uint32_t m = 0; m < tree.modules.size(); ++m) {
    for (size_t r = 0; r < ranks.size(); ++r) ranks[r].push_back(sums.of(m)[r]);
  }
  return ranks;
}

Json part_json(const LaunchedWork& work) {
  return {{"device_ns", work.device_ns}, {"idle_ns", work.idle_ns}, {"launches", work.launches}};
}

/// One point of a transfer plot for each module whose own kernels have the bytes; the same points as TransferFit's.
template <typename Bytes>
Json transfer_json(std::string_view memory, const ModuleKernels& kernels, const TransferFit& fit, Bytes bytes_of) {
  Json plot = {{"memory", memory}, {"module", Json::array()}, {"bytes", Json::array()}, {"ns", Json::array()}};
  int64_t measured_ns = 0;
  for (size_t m = 0; m < kernels.self.size(); ++m) {
    const std::optional<double> bytes = bytes_of(kernels.self[m]);
    if (!bytes) continue;
    measured_ns += kernels.self[m].matched_ns;
    plot["module"].push_back(m);
    plot["bytes"].push_back(number_or_null(bytes));
    plot["ns"].push_back(kernels.self[m].matched_ns);
  }
  plot["line"] = nullptr;
  if (fit.line) {
    const auto correlation = fit.line->correlation;
    plot["line"] = {{"slope_ns_per_byte", fit.line->slope},
                    {"intercept_ns", fit.line->intercept},
                    {"r2", number_or_null(correlation ? std::optional(*correlation * *correlation) : std::nullopt)}};
  }
  plot["measured_percent"] =
      number_or_null(kernels.whole.ns > 0
                         ? std::optional(100 * static_cast<double>(measured_ns) / static_cast<double>(kernels.whole.ns))
                         : std::nullopt);
  plot["bytes_per_s"] = number_or_null(fit.bytes_per_second());
  return plot;
}

Json transfers_json(const ModuleKernels& kernels) {
  Json plots = Json::array();
  if (kernels.dram.modules > 0) {
    plots.push_back(transfer_json("DRAM", kernels, kernels.dram,
                                  [](const MeasuredKernels& m) { return m.total(Figure::dram_bytes); }));
  }
  if (kernels.l2.modules > 0) {
    plots.push_back(transfer_json("L2", kernels, kernels.l2, [](const MeasuredKernels& m) { return m.l2_bytes(); }));
  }
  return plots;
}

Json measured_json(const ReportSource& source, const ModuleTree& tree) {
  if (!source.facts.kernels) return nullptr;
  const ModuleKernels kernels = module_kernels(tree, *source.facts.kernels);
  const auto column = [&](auto value_of) {
    return json_column(kernels.total, [&](const MeasuredKernels& m) { return number_or_null(value_of(m)); });
  };
  return {{"matched_percent", number_or_null(kernels.whole.matched_percent())},
          {"says", matched_text(source.facts.kernels->counts)},
          {"dram_bytes", column([](const MeasuredKernels& m) { return m.total(Figure::dram_bytes); })},
          {"l2_bytes", column([](const MeasuredKernels& m) { return m.l2_bytes(); })},
          {"occupancy_percent", column([](const MeasuredKernels& m) { return m.mean(Figure::achieved_occupancy); })},
          {"compute_percent", column([](const MeasuredKernels& m) { return m.mean(Figure::compute_sol); })},
          {"memory_percent", column([](const MeasuredKernels& m) { return m.mean(Figure::memory_sol); })},
          {"flop_per_byte", column([](const MeasuredKernels& m) { return m.flop_per_byte(); })},
          {"bound", json_column(kernels.total,
                                [](const MeasuredKernels& m) {
                                  const std::string_view bound = name_of(m.bound());
                                  return bound.empty() ? Json(nullptr) : Json(bound);
                                })},
          {"transfer", transfers_json(kernels)}};
}

/// Columns of what the tree says of each module. Host times of a module all of whose calls were open at the end are not
/// known.
Json tree_json(const ReportSource& source, const ModuleTree& tree) {
  const Trace& trace = source.trace;
  const auto column = [&](auto value_of) { return json_column(tree.modules, value_of); };
  const auto host = [](const Module& m, int64_t ns) { return known_or_null(m.open_calls == m.calls ? kUnknown : ns); };
  return {{"name", column([](const Module& m) { return m.name; })},
          {"domain", column([&](const Module& m) {
             return m.domain == kNoDomain ? std::string_view() : trace.name(trace.domains[m.domain].name);
           })},
          {"parent", column([](const Module& m) { return m.parent == kNone ? int64_t{-1} : int64_t{m.parent}; })},
          {"calls", column([](const Module& m) { return m.calls; })},
          {"host_ns", column([&](const Module& m) { return host(m, m.host_ns); })},
          {"host_self_ns", column([&](const Module& m) { return host(m, m.host_self_ns); })},
          {"device_self_ns", column([](const Module& m) { return m.self.device_ns; })},
          {"device_total_ns", column([](const Module& m) { return m.total.device_ns; })},
          {"idle_ns", column([](const Module& m) { return m.total.idle_ns; })},
          {"launches", column([](const Module& m) { return m.total.launches; })},
          {"kernels", column([](const Module& m) { return m.total.kernels; })},
          {"copies", column([](const Module& m) { return m.total.copies; })},
          {"copy_bytes", column([](const Module& m) { return m.total.copy_bytes; })}};
}

Json write(const ReportSource& source) { return modules_json(source, source.modules); }

}  // namespace
}  // namespace modules

nlohmann::ordered_json modules_json(const ReportSource& source, const ModuleTree& tree) {
  using namespace modules;
  if (tree.modules.empty()) return nullptr;
  Json document = tree_json(source, tree);
  const std::vector<CallTimes> times = call_times(source, tree);
  document["peak_bytes"] = peaks_json(source, tree);
  document["first_ns"] = json_column(times, [](const CallTimes& t) { return known_or_null(t.first_ns); });
  document["longest_start_ns"] = json_column(times, [](const CallTimes& t) { return known_or_null(t.longest.first); });
  document["longest_end_ns"] = json_column(times, [](const CallTimes& t) { return known_or_null(t.longest.second); });
  document["device_by_rank_ns"] = by_rank_json(source, tree);
  document["outside"] = part_json(tree.outside);
  document["whole"] = part_json(tree.whole);
  document["measured"] = measured_json(source, tree);
  return document;
}

extern const ReportSection modules_section;
const ReportSection modules_section{"modules", "module tree of the model, with host and GPU time of each module",
                                    modules::write};

}  // namespace sonde
