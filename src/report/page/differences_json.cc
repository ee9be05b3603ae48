#include "report/page/differences_json.h"

#include <array>
#include <map>
#include <span>

#include <fmt/format.h>

#include "gate/record/record_run.h"
#include "report/json/difference_json.h"
#include "report/page/json_columns.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

/// The place of the n-th finding of an id.
std::optional<size_t> nth_of(const std::vector<Finding>& findings, const std::string& id, size_t n) {
  for (size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].id == id && n-- == 0) return i;
  }
  return std::nullopt;
}

Json index_json(std::optional<size_t> index) { return index ? Json(*index) : Json(nullptr); }

Json findings_json(const std::vector<FindingPair>& pairs) {
  return json_column(pairs, [](const FindingPair& pair) {
    return Json{{"id", pair.id}, {"base", index_json(pair.base)}, {"new", index_json(pair.changed)}};
  });
}

void add_part(gate::Part& sum, const gate::Part& part) {
  if (!part.ns) return;
  sum.ns = sum.ns.value_or(0) + *part.ns;
  sum.count = sum.count.value_or(0) + part.count.value_or(0);
}

/// Adds up what lies behind the most rows that a list may have.
std::vector<gate::DifferenceRow> shortened(std::vector<gate::DifferenceRow> rows) {
  constexpr size_t kMaxRows = 1000;
  if (rows.size() <= kMaxRows) return rows;
  gate::DifferenceRow others{
      .name = fmt::format("({} others)", rows.size() - kMaxRows + 1), .within = {}, .base = {}, .changed = {}};
  for (const gate::DifferenceRow& row : std::span(rows).subspan(kMaxRows - 1)) {
    add_part(others.base, row.base);
    add_part(others.changed, row.changed);
  }
  rows.resize(kMaxRows - 1);
  rows.push_back(std::move(others));
  return rows;
}

Json table_rows_json(const std::vector<gate::DifferenceRow>& rows) {
  return json_column(shortened(rows), [](const gate::DifferenceRow& row) {
    return Json{{"name", row.name},
                {"base_ns", row.base.ns ? Json(*row.base.ns) : Json(nullptr)},
                {"new_ns", row.changed.ns ? Json(*row.changed.ns) : Json(nullptr)},
                {"base_count", number_or_null(row.base.count)},
                {"new_count", number_or_null(row.changed.count)}};
  });
}

/// Idle time by cause: what the top level has beside the busy time.
std::vector<gate::DifferenceRow> idle_rows(const gate::Difference& found) {
  std::vector<gate::DifferenceRow> rows;
  for (const gate::DifferenceRow& row : found.top) {
    if (!row.within.empty()) rows.push_back(row);
  }
  return rows;
}

void take_part(const Trace& trace, gate::PartOfRun part, gate::RunRecord& record) {
  if (record.part == part) return;
  const bool has_steps = record.steps > 0;
  record = gate::record_part(trace, part);
  record.has_unused_steps = has_steps;
}

}  // namespace

std::vector<FindingPair> match_findings(const std::vector<Finding>& base, const std::vector<Finding>& changed) {
  std::vector<FindingPair> pairs;
  std::map<std::string, size_t> met;
  for (size_t i = 0; i < changed.size(); ++i) {
    const std::string& id = changed[i].id;
    pairs.push_back({id, nth_of(base, id, met[id]++), i});
  }
  std::map<std::string, size_t> of_base;
  for (size_t i = 0; i < base.size(); ++i) {
    const std::string& id = base[i].id;
    if (of_base[id]++ >= met[id]) pairs.push_back({id, i, std::nullopt});
  }
  return pairs;
}

PageDifference difference_of(const ReportSource& base, const ReportSource& changed) {
  std::array before = {gate::record_part(base.trace, gate::PartOfRun::steps)};
  std::array after = {gate::record_part(changed.trace, gate::PartOfRun::steps)};
  const gate::PartOfRun part = gate::common_part(before, after);
  take_part(base.trace, part, before[0]);
  take_part(changed.trace, part, after[0]);
  PageDifference found{.difference = gate::difference_of(before, after), .notes = {}};
  found.notes = limits_of(found.difference, before, after);
  return found;
}

Json differences_json(const ReportSource& base, const ReportSource& changed) {
  const auto [found, notes] = difference_of(base, changed);
  return {{"per", found.per_step ? "step" : "run"},
          {"part", part_name(found.part)},
          {"notes", notes},
          {"base_ns", found.base_ns},
          {"new_ns", found.changed_ns},
          {"findings", findings_json(match_findings(base.diagnosis.findings, changed.diagnosis.findings))},
          {"causes", causes_json(found.causes)},
          {"modules", table_rows_json(found.modules)},
          {"kernels", table_rows_json(found.kernels)},
          {"copies", table_rows_json(found.copies)},
          {"idle", table_rows_json(idle_rows(found))}};
}

}  // namespace sonde
