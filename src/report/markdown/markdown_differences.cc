#include "report/markdown/markdown_differences.h"

#include <fmt/format.h>

#include "report/markdown/difference_markdown.h"
#include "report/markdown/markdown_text.h"
#include "report/page/differences_json.h"

namespace sonde {
namespace {

std::string findings_text(const std::vector<Finding>& base, const std::vector<Finding>& changed) {
  std::string text;
  for (const FindingPair& pair : match_findings(base, changed)) {
    if (!pair.base) text += fmt::format("- new finding: {}\n", markdown_code(pair.id));
    if (!pair.changed) text += fmt::format("- resolved finding: {}\n", markdown_code(pair.id));
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string markdown_differences(const ReportSource& base, const ReportSource& changed) {
  const auto [difference, notes] = difference_of(base, changed);
  std::string text = findings_text(base.diagnosis.findings, changed.diagnosis.findings);
  for (const std::string& note : notes) text += fmt::format("> **Note**: {}\n\n", markdown_text(note));
  return text + difference_markdown(difference, false);
}

}  // namespace sonde
