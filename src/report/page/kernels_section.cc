#include <algorithm>

#include "analyses/kernels/launch_occupancy.h"
#include "analyses/kernels/launch_shape.h"
#include "analyses/timeline/slice_category.h"
#include "metrics/quantities.h"
#include "report/page/json_columns.h"
#include "report/page/kernel_rows.h"
#include "report/page/roofline_json.h"
#include "report/page/section.h"
#include "trace/kernel_name.h"

namespace sonde {
namespace kernels {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxRows = 2000;

std::string_view category_of(const ReportSource& source, const KernelLaunch& launch) {
  if (launch.profile != nullptr) return name_of(category_of_kernel(launch.trace->name(launch.name())));
  return name_of(category_of(source.facts.kernel_classes[launch.row], source.facts.communication[launch.row]));
}

/// "128 x 1 x 1"; null where it is not known.
Json shape_json(const Dim3& shape) {
  return is_known(shape) ? Json(fmt::format("{} x {} x {}", shape[0], shape[1], shape[2])) : Json(nullptr);
}

std::optional<double> theoretical_percent(const KernelLaunch& launch) {
  if (launch.profile != nullptr) return quantity_value("theoretical_occupancy", *launch.trace, *launch.profile);
  const auto occupancy = occupancy_of_row(*launch.trace, launch.row);
  return occupancy ? std::optional(occupancy->occupancy.percent) : std::nullopt;
}

std::optional<double> shortest_ns(const KernelGroup& group) {
  std::optional<double> least;
  for (const KernelLaunch& launch : group.launches) {
    const auto duration = launch.duration_ns();
    if (duration && (!least || *duration < *least)) least = duration;
  }
  return least;
}

std::optional<double> mean_ns(const KernelGroup& group) {
  if (!group.measured) return std::nullopt;
  const auto timed =
      std::ranges::count_if(group.launches, [](const KernelLaunch& l) { return l.duration_ns().has_value(); });
  return group.duration_ns / static_cast<double>(timed);
}

/// A time of the representative launch on the timeline, from the first event.
Json moment_json(const ReportSource& source, const KernelGroup& group, const Times& times) {
  const KernelLaunch& longest = group.representative();
  return longest.profile != nullptr ? Json(nullptr) : Json(times[longest.row] - source.origin_ns());
}

Json counters_json(const KernelRows& rows) {
  if (rows.counters == nullptr) return nullptr;
  const auto column = [&](auto value_of) {
    return json_column(rows.measured, [&](const MeasuredKernels& m) { return number_or_null(value_of(m)); });
  };
  return {{"dram_bytes", column([](const MeasuredKernels& m) { return m.total(Figure::dram_bytes); })},
          {"l2_bytes", column([](const MeasuredKernels& m) { return m.l2_bytes(); })},
          {"compute_percent", column([](const MeasuredKernels& m) { return m.mean(Figure::compute_sol); })},
          {"memory_percent", column([](const MeasuredKernels& m) { return m.mean(Figure::memory_sol); })},
          {"occupancy_percent", column([](const MeasuredKernels& m) { return m.mean(Figure::achieved_occupancy); })},
          {"flop", column([](const MeasuredKernels& m) { return m.total(Figure::flop); })},
          {"bound", json_column(rows.measured, [](const MeasuredKernels& m) {
             const std::string_view bound = name_of(m.bound());
             return bound.empty() ? Json(nullptr) : Json(bound);
           })}};
}

/// What a row is.
Json identity_json(const ReportSource& source, const KernelRows& rows) {
  const auto column = [&](auto value_of) {
    return json_column(rows.groups, [&](const KernelGroup& g) { return value_of(g.representative()); });
  };
  return {{"measured", rows.from_reports},
          {"name", column([](const KernelLaunch& l) { return l.trace->name(l.name()); })},
          {"short_name", column([](const KernelLaunch& l) { return short_kernel_name(l.trace->name(l.name())); })},
          {"category", column([&](const KernelLaunch& l) { return category_of(source, l); })},
          {"grid", column([](const KernelLaunch& l) { return shape_json(l.grid()); })},
          {"block", column([](const KernelLaunch& l) { return shape_json(l.block()); })},
          {"registers", column([](const KernelLaunch& l) { return number_or_null(l.registers_per_thread()); })},
          {"shared_bytes", column([](const KernelLaunch& l) { return number_or_null(l.shared_bytes()); })},
          {"theoretical_occupancy_percent",
           column([](const KernelLaunch& l) { return number_or_null(theoretical_percent(l)); })}};
}

void add_times(const ReportSource& source, const KernelRows& rows, Json& document) {
  const auto column = [&](auto value_of) { return json_column(rows.groups, value_of); };
  const Kernels& kernels = source.trace.kernels;
  document["count"] = column([](const KernelGroup& g) { return g.launches.size(); });
  document["total_ns"] = column(
      [](const KernelGroup& g) { return number_or_null(g.measured ? std::optional(g.duration_ns) : std::nullopt); });
  document["average_ns"] = column([](const KernelGroup& g) { return number_or_null(mean_ns(g)); });
  document["minimum_ns"] = column([](const KernelGroup& g) { return number_or_null(shortest_ns(g)); });
  document["maximum_ns"] =
      column([](const KernelGroup& g) { return number_or_null(g.representative().duration_ns()); });
  document["longest_start_ns"] = column([&](const KernelGroup& g) { return moment_json(source, g, kernels.start); });
  document["longest_end_ns"] = column([&](const KernelGroup& g) { return moment_json(source, g, kernels.end); });
}

Json write(const ReportSource& source) {
  const KernelRows rows = kernel_rows(source, kMaxRows);
  if (rows.groups.empty()) return nullptr;
  Json document = identity_json(source, rows);
  add_times(source, rows, document);
  document["counters"] = counters_json(rows);
  document["rooflines"] = rooflines_json(rows);
  return document;
}

}  // namespace
}  // namespace kernels

extern const ReportSection kernels_section;
const ReportSection kernels_section{"kernels", "kernels by name and launch shape, with counters if recorded",
                                    kernels::write};

}  // namespace sonde
