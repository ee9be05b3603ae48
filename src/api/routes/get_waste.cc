#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "monitor/json.h"

namespace sonde::api {
namespace get_waste {
namespace {

constexpr int64_t kNsPerDay = 86'400'000'000'000;
constexpr int64_t kDefaultDays = 7;

Response answer(const Call& call) {
  const auto host = call.services.monitor->snapshot();
  const auto config = call.services.config->current();
  const int64_t days = query_integer(call, "days", kDefaultDays);
  const int64_t first_ns = call.services.now_ns() / kNsPerDay * kNsPerDay - (days - 1) * kNsPerDay;
  const std::map<int64_t, std::vector<monitor::WasteEntry>> chosen(host->waste.lower_bound(first_ns),
                                                                   host->waste.end());
  return json_response(monitor::waste_json(chosen, config->sonde.cost));
}

constexpr std::array kParameters = {
    Parameter{.name = "days",
              .schema = R"({"type": "integer", "minimum": 1, "maximum": 366})",
              .description = "Number of days including today (UTC); default: 7"},
};

}  // namespace
}  // namespace get_waste

extern const Route get_waste_route;
constinit const Route get_waste_route{
    .name = "get_waste",
    .path = "/api/v1/waste",
    .summary = "GPU time that was allocated or paid for but not used, by day and owner",
    .description = "In hours, kWh and, if `sonde.cost` sets prices, money.",
    .parameters = get_waste::kParameters,
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Waste"})",
    .example = {},
    .answer = get_waste::answer};

}  // namespace sonde::api
