#include "analyses/calls/api_groups.h"

#include "analyses/calls/api_label.h"
#include "trace/columns.h"

namespace sonde {

Groups<std::string_view> api_calls_by_name(const Trace& trace) {
  const Calls& calls = trace.api;
  Groups<std::string_view> groups;
  groups.reserve(row_count(calls));
  std::vector<std::string_view> labels(trace.names.size());
  for (Row row = 0; row < row_count(calls); ++row) {
    if (calls.name[row] == kNone) continue;
    std::string_view& label = labels[calls.name[row]];
    if (label.data() == nullptr) label = api_label(trace.name(calls.name[row]));
    groups.add(label, calls.end[row] - calls.start[row]);
  }
  return groups;
}

}  // namespace sonde
