#include "report/decision/benchmark_json.h"

#include <fmt/format.h>

#include "report/decision/checked_figure.h"
#include "report/decision/checks.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

std::string_view unit_text(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return "ns";
    case Unit::bytes: return "bytes";
    case Unit::percent: return "%";
    default: return "count";
  }
}

Json figure_json(const CheckedFigure& figure) {
  const gate::Verdict& verdict = *figure.verdict;
  Json row = {{"name", fmt::format("{} ({})", figure.metric->name, figure.name)},
              {"unit", unit_text(figure.metric->unit)},
              {"value", figure.value}};
  if (figure.low && figure.high) {
    row["range"] = fmt::format("±{:.1f}%", 50 * (*figure.high - *figure.low) / figure.value);
  }
  row["extra"] = decided_text(gate::reason_text(verdict.reason), verdict.reason, verdict.arguments);
  return row;
}

}  // namespace

Json benchmark_document(const gate::Decision& decision, gate::Better better) {
  Json rows = Json::array();
  for (const CheckedFigure& figure : checked_figures(decision)) {
    if (figure.metric->better == better) rows.push_back(figure_json(figure));
  }
  return rows;
}

}  // namespace sonde
