#include "dump_views.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyses/views/kernel_view.h"

namespace sonde {
namespace {

using nlohmann::json;

json value(int64_t number) { return number == kUnknown ? json() : json(number); }
json value(double number) { return std::isnan(number) ? json() : json(number); }
json value(std::string_view text) { return text.data() == nullptr ? json() : json(text); }

json values(const Column& column) {
  json out = json::array();
  std::visit(
      [&](const auto& cells) {
        for (const auto& cell : cells) out.push_back(value(cell));
      },
      column.values);
  return out;
}

json view_of(const Trace& trace, const KernelProfile& kernel, const KernelView& view) {
  json out{{"kernel", kernel.id}, {"view", view.name}};
  const auto table = view.run(trace, kernel);
  if (!table) {
    out["error"] = table.error().message;
    return out;
  }
  out["note"] = table->note;
  out["columns"] = json::object();
  for (const Column& column : table->columns) out["columns"][column.name] = values(column);
  return out;
}

}  // namespace

void dump_views(const Trace& trace) {
  for (const KernelProfile& kernel : trace.kernel_profiles) {
    for (const KernelView& view : kernel_views()) {
      fmt::print("{}\n", view_of(trace, kernel, view).dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
}

}  // namespace sonde
