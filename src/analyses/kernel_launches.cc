#include "analyses/kernel_launches.h"

#include <algorithm>

#include "analyses/kernel_label_stand_in.h"

namespace sonde {
namespace {

/// Of the ranges that hold a call, one a domain, the one that began last: rows are in nesting order.
Row innermost_range(const Trace& trace, Row call) {
  Row innermost = kNone;
  for (const DomainLinks& domain : trace.range_links) {
    const Row range = domain.of_api[call];
    if (range != kNone && (innermost == kNone || range > innermost)) innermost = range;
  }
  return innermost;
}

}  // namespace

LaunchPhases phases_of_launch(const Trace& trace, Row kernel) {
  const Kernels& k = trace.kernels;
  const Row call = k.launch[kernel];
  const int64_t api_start = trace.api.start[call];
  const int64_t api_end = std::max(trace.api.end[call], api_start);
  LaunchPhases phases;
  phases.api_start = api_start;
  phases.api_ns = api_end - api_start;
  if (k.start[kernel] > api_end) phases.queue_ns = k.start[kernel] - api_end;
  phases.kernel_ns = k.end[kernel] - k.start[kernel];
  phases.total_ns = std::max(api_end, k.end[kernel]) - api_start;
  return phases;
}

KernelCaption caption_of_kernel(const Trace& trace, Row kernel, const ReportArguments& arguments) {
  KernelCaption caption{{}, kernel_label(trace, kernel, arguments)};
  const Row call = trace.kernels.launch[kernel];
  if (!arguments.nvtx_name || call == kNone) return caption;
  const Row range = innermost_range(trace, call);
  if (range != kNone) caption.range = label_of_range(trace, range);
  return caption;
}

std::string_view caption_text(Table& table, const Trace& trace, const KernelCaption& caption) {
  if (caption.range == RangeLabel{}) return trace.name(caption.kernel);
  return table.keep(fmt::format("{}/{}", caption.range.text_of(trace), trace.name(caption.kernel)));
}

Fields caption_fields(const ReportArguments& arguments) {
  Fields fields{Field::kernels, Field::streams, Field::launches, Field::api};
  if (arguments.base) fields |= Fields{Field::kernel_short_names};
  if (arguments.mangled) fields |= Fields{Field::kernel_mangled_names};
  if (arguments.nvtx_name) fields |= Fields{Field::ranges, Field::range_links};
  return fields;
}

}  // namespace sonde
