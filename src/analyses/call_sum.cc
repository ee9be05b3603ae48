#include "analyses/call_sum.h"

#include "analyses/operation_names.h"
#include "trace/columns.h"

namespace sonde {

void add_api_calls(const Trace& trace, Groups<std::string_view>& groups) {
  const Calls& calls = trace.api;
  groups.reserve(row_count(calls));
  std::vector<std::string_view> shown(trace.names.size());
  for (Row row = 0; row < row_count(calls); ++row) {
    if (calls.name[row] == kNone) continue;
    std::string_view& name = shown[calls.name[row]];
    if (name.data() == nullptr) name = api_name(trace.name(calls.name[row]));
    groups.add(name, calls.end[row] - calls.start[row]);
  }
}

}  // namespace sonde
