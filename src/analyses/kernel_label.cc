#include "analyses/kernel_label.h"

#include <fmt/format.h>

namespace sonde {

NameId kernel_label(const Trace& trace, Row kernel, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  if (arguments.base && k.short_name[kernel] != kNone) return k.short_name[kernel];
  if (arguments.mangled && k.mangled_name[kernel] != kNone) return k.mangled_name[kernel];
  return k.name[kernel];
}

Fields kernel_label_fields(const ReportArguments& arguments) {
  Fields fields{Field::kernels};
  if (arguments.base) fields |= {Field::kernel_short_names};
  if (arguments.mangled) fields |= {Field::kernel_mangled_names};
  if (arguments.nvtx_name) {
    fields |= {Field::streams, Field::launches, Field::api, Field::ranges, Field::range_links};
  }
  return fields;
}

Row innermost_range(const Trace& trace, Row launch) {
  if (launch == kNone) return kNone;
  Row best = kNone;
  for (const DomainLinks& links : trace.range_links) {
    const Row range = links.of_api[launch];
    if (range != kNone && (best == kNone || trace.ranges.start[range] >= trace.ranges.start[best])) best = range;
  }
  return best;
}

KernelName kernel_name(const Trace& trace, Row kernel, const ReportArguments& arguments) {
  KernelName name{kNone, kernel_label(trace, kernel, arguments)};
  if (!arguments.nvtx_name) return name;
  const Row range = innermost_range(trace, trace.kernels.launch[kernel]);
  if (range != kNone) name.range = trace.ranges.name[range];
  return name;
}

std::string_view text_of(const Trace& trace, const KernelName& name, Table& table) {
  if (name.range == kNone) return trace.name(name.kernel);
  return table.keep(fmt::format("{}/{}", trace.name(name.range), trace.name(name.kernel)));
}

}  // namespace sonde
