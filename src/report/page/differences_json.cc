#include "report/page/differences_json.h"

#include <map>

#include "report/page/json_columns.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

ComparedRun compared(const ReportSource& source) {
  return {&source.trace, &source.modules, source.facts.steps ? &*source.facts.steps : nullptr};
}

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

Json ns_json(const PartOfRun& part) { return part.ns ? Json(*part.ns) : Json(nullptr); }

Json rows_json(const std::vector<DifferenceRow>& rows) {
  return json_column(rows, [](const DifferenceRow& row) {
    return Json{{"name", row.name},
                {"base_ns", ns_json(row.base)},
                {"new_ns", ns_json(row.changed)},
                {"base_count", number_or_null(row.base.count)},
                {"new_count", number_or_null(row.changed.count)}};
  });
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

RunDifference difference_of(const ReportSource& base, const ReportSource& changed) {
  return compare_runs(compared(base), compared(changed));
}

Json differences_json(const ReportSource& base, const ReportSource& changed) {
  const RunDifference found = difference_of(base, changed);
  return {{"per", found.per_step ? "step" : "run"},
          {"base_ns", found.base_ns},
          {"new_ns", found.changed_ns},
          {"findings", findings_json(match_findings(base.diagnosis.findings, changed.diagnosis.findings))},
          {"modules", rows_json(found.modules)},
          {"kernels", rows_json(found.kernels)},
          {"copies", rows_json(found.copies)},
          {"idle", rows_json(found.idle)}};
}

}  // namespace sonde
