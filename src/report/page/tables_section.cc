#include <fmt/format.h>

#include "report/page/section.h"
#include "report/page/table_columns_json.h"

namespace sonde {
namespace tables {
namespace {

using Json = nlohmann::ordered_json;

std::string note_of(const StatsTable& made) {
  if (!made.left_out) return made.table.note;
  return fmt::format(
      "Not created because the run has too many events; use the timeline, or run sonde stats -r {} FILE.",
      made.report->name);
}

Json table_json(const StatsTable& made, int64_t origin_ns) {
  Json columns = made.left_out ? Json::array() : table_columns_json(made.table, origin_ns);
  return {{"name", made.report->name}, {"title", made.report->title},   {"description", made.report->description},
          {"note", note_of(made)},     {"columns", std::move(columns)}, {"rows", made.rows}};
}

Json write(const ReportSource& source) {
  Json tables = Json::array();
  for (const StatsTable& made : source.tables) {
    if (made.rows > 0 || made.left_out) tables.push_back(table_json(made, source.origin_ns()));
  }
  return tables.empty() ? Json(nullptr) : Json{{"tables", std::move(tables)}};
}

}  // namespace
}  // namespace tables

extern const ReportSection tables_section;
const ReportSection tables_section{"tables", "every statistics table that the profile has data for", tables::write};

}  // namespace sonde
