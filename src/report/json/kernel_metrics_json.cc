#include "report/json/kernel_metrics_json.h"

#include <fmt/format.h>

#include "gate/history/history.h"
#include "gate/record/measured_metrics.h"
#include "gate/record/record_report.h"

namespace sonde {

using Json = nlohmann::ordered_json;

Json kernel_metrics_json(const Trace& trace) {
  gate::RunRecord record;
  gate::record_report(trace, record);
  Json object = Json::object();
  for (const gate::MeasuredMetric& measured : gate::measured_metrics()) {
    const gate::Metric& metric = *gate::find_metric(measured.metric);
    const auto value = gate::run_figure(record, metric);
    const std::string_view unit = metric.unit == Unit::percent ? "_percent" : "";
    object[fmt::format("{}{}", metric.name, unit)] = value ? Json(*value) : Json(nullptr);
  }
  return object;
}

}  // namespace sonde
