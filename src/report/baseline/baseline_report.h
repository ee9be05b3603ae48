#pragma once

#include <span>
#include <string>
#include <vector>

#include "gate/record/run_record.h"
#include "gate/store/baseline_store.h"
#include "report/tables/table_format.h"

/// What is in a store of baselines.
namespace sonde {

/// A row an entry.
[[nodiscard]] Table baseline_table(const gate::BaselineListing& listing);
/// Schema: docs/schemas/baseline_list.schema.json.
[[nodiscard]] std::string baseline_list_json(const gate::BaselineListing& listing);

/// Conditions, runs, and the headline figures with their spread over the runs.
[[nodiscard]] std::string baseline_entry_text(const gate::BaselineEntry& entry,
                                              std::span<const gate::RunRecord> records, const RenderOptions& options);
/// The entry as in the list, with its figures (schema: docs/schemas/baseline_list.schema.json, "entry").
[[nodiscard]] std::string baseline_entry_json(const gate::BaselineEntry& entry,
                                              std::span<const gate::RunRecord> records);

}  // namespace sonde
