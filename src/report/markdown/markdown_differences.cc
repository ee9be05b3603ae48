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
  const gate::Difference found = difference_of(base, changed);
  return findings_text(base.diagnosis.findings, changed.diagnosis.findings) + difference_markdown(found, false);
}

}  // namespace sonde
