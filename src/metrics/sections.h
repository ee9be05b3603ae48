#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sonde {

/// A page of metrics as Nsight Compute defines it. A report that brings its own definition is followed first.
struct SectionInfo {
  std::string_view id;     ///< "SpeedOfLight", as --section takes it
  std::string_view title;  ///< "GPU Speed Of Light Throughput"
  int order;               ///< the tool shows sections by it
  std::string_view sets;   ///< names of the sets that collect it, with a blank between; empty: none does
  std::string_view parent;
  std::string_view meaning;
};

/// In the order in which they are shown.
[[nodiscard]] std::span<const SectionInfo> known_sections();
/// By id or by title, nullptr where there is none.
[[nodiscard]] const SectionInfo* find_section(std::string_view id_or_title);
/// By id, for an option; the error names the nearest.
[[nodiscard]] Result<const SectionInfo*> section_by_id(std::string_view id);
[[nodiscard]] bool collected_by(const SectionInfo& section, std::string_view set);

struct SectionLabel {
  std::string_view section;  ///< id
  std::string_view label;
  std::string_view metric;
};

/// What is in the headers of sections, in order.
[[nodiscard]] std::span<const SectionLabel> section_labels();
/// The metric behind a label of a section (id or title), labels of old versions included; empty where it is not known,
/// or where `base_unit` is given and another than the metric's: then the label stands for something else there.
[[nodiscard]] std::string_view metric_of_label(std::string_view section, std::string_view label,
                                               std::string_view base_unit = {});
/// All metrics of a section, those of its header first.
[[nodiscard]] std::vector<std::string_view> metrics_of_section(std::string_view id);

}  // namespace sonde
