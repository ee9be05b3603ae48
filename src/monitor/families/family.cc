#include "monitor/families/family.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace sonde::monitor {

#define SONDE_FAMILY(name) extern const Family name##_family;
#include "monitor/families/list.inc"
#undef SONDE_FAMILY

namespace {

/// Names of programs, users and containers are anybody's; the text format is UTF-8.
std::string label_value(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return std::string(text);
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

std::span<const Family* const> families() {
  static const std::array all = {
#define SONDE_FAMILY(name) &name##_family,
#include "monitor/families/list.inc"
#undef SONDE_FAMILY
  };
  return all;
}

void Samples::add(std::span<const Label> labels, double value) {
  prometheus::ClientMetric& sample = samples_.emplace_back();
  sample.label.reserve(labels.size());
  for (const auto& [name, text] : labels) sample.label.push_back({std::string(name), label_value(text)});
  switch (kind_) {
    case MetricKind::gauge: sample.gauge.value = value; break;
    case MetricKind::counter: sample.counter.value = value; break;
    case MetricKind::untyped: sample.untyped.value = value; break;
  }
}

bool values_hold(const GpuView& gpu) {
  return gpu.sample.mark.quality == Quality::fresh || gpu.sample.mark.quality == Quality::contradictory;
}

void tell_states(Samples& out, std::string_view uuid, std::string_view label, std::span<const std::string_view> states,
                 std::string_view current) {
  for (const std::string_view state : states) out.add({{"uuid", uuid}, {label, state}}, state == current ? 1 : 0);
}

}  // namespace sonde::monitor
