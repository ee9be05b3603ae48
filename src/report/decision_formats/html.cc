#include <algorithm>
#include <vector>

#include "report/decision/decision_json.h"
#include "report/page/page_html.h"
#include "report/page/report_document.h"
#include "report/text/plain_text.h"

namespace sonde {
namespace html {
namespace {

std::vector<ReportSource*> sources_of(const DecisionContext& context) {
  std::vector<ReportSource*> sources;
  for (ReportSource* source : {context.base, context.changed}) {
    if (source != nullptr) sources.push_back(source);
  }
  return sources;
}

/// The report of what profiles there are, with the verdicts in it; those alone where there are none.
void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  const std::vector<ReportSource*> sources = sources_of(context);
  const std::string title = context.title.empty() ? "Performance gate" : one_line(context.title);
  Blobs blobs;
  nlohmann::ordered_json document = report_document(title, sources, blobs);
  document["gate"] = blobs.add(decision_document(decision, context));
  write_page(document, blobs, sink);
}

}  // namespace
}  // namespace html

extern const DecisionFormat html_decision_format;
const DecisionFormat html_decision_format = {.name = "html",
                                             .description = "self-contained page with the reports of both sides",
                                             .ending = ".html",
                                             .parts = {.tables = true, .timeline = true},
                                             .needs_profiles = true,
                                             .write = html::write};

}  // namespace sonde
