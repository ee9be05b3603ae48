#include "analyses/kernels/kernel_caption.h"

#include <fmt/format.h>

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

NameId kernel_label(const Trace& trace, Row kernel, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  if (arguments.base && k.short_name[kernel] != kNone) return k.short_name[kernel];
  if (arguments.mangled && k.mangled_name[kernel] != kNone) return k.mangled_name[kernel];
  return k.name[kernel];
}

KernelCaption caption_of_kernel(const Trace& trace, Row kernel, const ReportArguments& arguments) {
  KernelCaption caption{{}, kernel_label(trace, kernel, arguments)};
  if (!arguments.nvtx_name || trace.kernels.launch[kernel] == kNone) return caption;
  const Row range = innermost_range(trace, trace.kernels.launch[kernel]);
  if (range != kNone) caption.range = label_of_range(trace, range);
  return caption;
}

std::string_view caption_text(Table& table, const Trace& trace, const KernelCaption& caption) {
  if (caption.range == RangeLabel{}) return trace.name(caption.kernel);
  return table.keep(fmt::format("{}/{}", caption.range.text_of(trace), trace.name(caption.kernel)));
}

Fields caption_fields(const ReportArguments& arguments) {
  Fields fields{Field::kernels};
  if (arguments.base) fields |= Fields{Field::kernel_short_names};
  if (arguments.mangled) fields |= Fields{Field::kernel_mangled_names};
  if (arguments.nvtx_name) {
    fields |= Fields{Field::streams, Field::launches, Field::api, Field::ranges, Field::range_links};
  }
  return fields;
}

}  // namespace sonde
