#include "report/json/measured_kernels_json.h"

#include "findings/measured_kernels.h"

namespace sonde {

using Json = nlohmann::ordered_json;

Json measured_kernels_json(const Facts& facts, const Diagnosis& diagnosis) {
  const auto percent = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json list = Json::array();
  for (const MeasuredKernel& k : measured_kernels(facts, diagnosis)) {
    list.push_back({{"name", facts.trace.name(k.longest->profile->name)},
                    {"launches", k.launches},
                    {"time_ns", k.ns},
                    {"time_percent", facts.percent_of_wall(k.ns)},
                    {"bound", k.bound.empty() ? Json(nullptr) : Json(k.bound)},
                    {"compute_percent", percent(k.longest->compute_percent)},
                    {"memory_percent", percent(k.longest->memory_percent)},
                    {"finding", k.finding.empty() ? Json(nullptr) : Json(k.finding)},
                    {"ceiling_ns", k.saves_ns}});
  }
  return list;
}

}  // namespace sonde
