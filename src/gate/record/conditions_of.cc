#include "gate/record/conditions_of.h"

#include <fmt/format.h>

namespace sonde::gate {

Conditions conditions_of(const Trace& trace) {
  Conditions found;
  found["kind"] = trace.kernel_profiles.empty() ? "timeline" : "kernel report";
  found["ranks"] = fmt::format("{}", trace.ranks.size());
  if (!trace.ranks.empty()) {
    found["tool"] = trace.ranks.front().product;
    found["tool_version"] = trace.ranks.front().product_version;
  }
  return found;
}

}  // namespace sonde::gate
