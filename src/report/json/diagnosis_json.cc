#include "report/json/diagnosis_json.h"

#include "findings/recorder_notes.h"
#include "report/json/argument_json.h"
#include "report/json/measured_kernels_json.h"
#include "report/text/diagnosis_text.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDiagnosisSchema = "sonde.diagnosis/1";

Json evidence_json(const std::vector<Evidence>& evidence, int64_t origin_ns) {
  Json list = Json::array();
  for (const Evidence& e : evidence) {
    list.push_back({{"start_ns", e.launch ? 0 : e.start_ns - origin_ns},
                    {"end_ns", e.end_ns - (e.launch ? e.start_ns : origin_ns)},
                    {"place", e.place},
                    {"what", e.what.empty() ? Json(nullptr) : Json(e.what)},
                    {"brief", e.what.empty() ? Json(nullptr) : Json(e.shown())}});
    if (e.launch) list.back()["launch"] = *e.launch;
    if (!e.source.empty()) list.back()["source"] = {{"line", e.source}, {"percent", e.source_percent}};
  }
  return list;
}

Json likely_json(const Finding& f) {
  if (!f.likely) return nullptr;
  return {{"low_ns", f.likely->low_ns}, {"high_ns", f.likely->high_ns}, {"cases", f.likely->cases}};
}

Json finding_json(const Facts& facts, const Finding& f, int64_t origin_ns) {
  return {{"id", f.id},
          {"ceiling_ns", f.ceiling_ns},
          {"ceiling_percent", facts.percent_of_wall(f.ceiling_ns)},
          {"likely", likely_json(f)},
          {"says", text_of(f.id + ".says", f.arguments)},
          {"do", text_of(f.id + ".do", f.arguments)},
          {"arguments", arguments_json(f.arguments)},
          {"evidence", evidence_json(f.evidence, origin_ns)},
          {"reachable", f.reachable},
          {"folded", f.folded},
          {"takes_time", f.takes_time},
          {"not_recorded", f.not_recorded}};
}

Json headline_json(const Facts& facts, const Diagnosis& diagnosis) {
  const std::string headline = headline_without_findings(facts, diagnosis);
  return headline.empty() ? Json(nullptr) : Json(headline);
}

Json limit_json(const GpuLimit& limit) {
  Json work = Json::array();
  for (const WorkAtLimit& w : limit.work) {
    work.push_back(
        {{"operators", kind_name(w.kind)},
         {"precision", w.precision == MathPrecision::unknown ? Json(nullptr) : Json(precision_name(w.precision))},
         {"unit", w.precision == MathPrecision::unknown ? "byte/s" : "FLOP/s"},
         {"time_percent", w.time_percent},
         {"per_second", w.per_second},
         {"limit_per_second", w.limit_per_second},
         {"limit_percent", w.limit_percent}});
  }
  return {{"percent", limit.percent}, {"work", std::move(work)}};
}

std::string_view answer_name(Answer answer) {
  switch (answer) {
    case Answer::problems: return "problems";
    case Answer::nothing_found: return "nothing_found";
    case Answer::could_not_look: return "could_not_look";
  }
  return {};
}

Json explained_json(const TimeExplained& explained) {
  Json json = {
      {"by_findings_ns", explained.by_findings_ns}, {"work_ns", explained.work_ns}, {"idle_ns", explained.idle_ns}};
  if (const auto& roofline = explained.roofline) {
    json["roofline"] = {{"known_percent", roofline->known_percent}, {"roofline_percent", roofline->roofline_percent}};
  }
  return json;
}

/// What repeats, and how many of its turns were judged.
Json steps_json(const Facts& facts) {
  if (!facts.steps) return nullptr;
  return {{"range", facts.steps->range}, {"recorded", facts.steps->iterations}, {"judged", facts.steps->steady.size()}};
}

/// How much of the run has kernel metrics.
Json measured_json(const JoinCounts& counts) {
  return {{"launches", counts.launches},
          {"matched_launches", counts.matched_launches},
          {"own_launches", counts.own_launches},
          {"launches_ns", counts.launches_ns},
          {"matched_launches_ns", counts.matched_launches_ns},
          {"measured_kernels", counts.measured},
          {"matched_measured_kernels", counts.matched_measured}};
}

/// Where it was recorded.
Json part_json(const Facts& facts, int64_t origin_ns) {
  return {{"start_ns", facts.recorded_time(facts.extent.first) - origin_ns},
          {"end_ns", facts.recorded_time(facts.extent.second) - origin_ns}};
}

Json findings_json(const Facts& facts, const Diagnosis& diagnosis, int64_t origin_ns) {
  Json findings = Json::array();
  for (const Finding& f : diagnosis.findings) findings.push_back(finding_json(facts, f, origin_ns));
  return findings;
}

/// The whole run, of which a part is judged.
Json run_json(const RunParts& parts) {
  return {{"total_ns", parts.run_ns()}, {"set_up_ns", parts.set_up_ns()}, {"after_ns", parts.after_ns()}};
}

}  // namespace

Json part_document(const Facts& facts, const Diagnosis& diagnosis, int64_t origin_ns) {
  Json part = part_json(facts, origin_ns);
  part["wall_ns"] = facts.wall_ns();
  part["steps"] = steps_json(facts);
  part["answer"] = answer_name(diagnosis.answer);
  part["explained"] = explained_json(diagnosis.explained);
  part["findings"] = findings_json(facts, diagnosis, origin_ns);
  return part;
}

Json diagnosis_document(const Facts& facts, const Diagnosis& diagnosis, int64_t origin_ns) {
  Json document = {{"schema", kDiagnosisSchema},
                   {"file", facts.trace.ranks.front().file},
                   {"wall_ns", facts.wall_ns()},
                   {"run", run_json(facts.parts)},
                   {"judged", part_json(facts, origin_ns)},
                   {"steps", steps_json(facts)},
                   {"recorder", facts.recorder ? recorder_json(facts.recorder->step) : Json(nullptr)},
                   {"answer", answer_name(diagnosis.answer)},
                   {"headline", headline_json(facts, diagnosis)},
                   {"explained", explained_json(diagnosis.explained)},
                   {"looked", diagnosis.looked},
                   {"findings", findings_json(facts, diagnosis, origin_ns)},
                   {"other_parts", Json::array()},
                   {"not_recorded", diagnosis.not_recorded},
                   {"no_conclusion", Json::array()}};
  if (diagnosis.limit) document["limit"] = limit_json(*diagnosis.limit);
  if (facts.is_kernel_report()) document["kernels"] = measured_kernels_json(facts, diagnosis);
  if (facts.kernels) document["measured"] = measured_json(facts.kernels->counts);
  for (const Abstention& a : diagnosis.abstentions) {
    document["no_conclusion"].push_back(
        {{"rule", a.rule}, {"id", a.id}, {"says", text_of(a.id + ".says", a.arguments)}});
  }
  return document;
}

Json recorder_json(const RecordedStep& step) {
  Json json = {{"steps", step.steps},   {"recorded_ns", step.recorded_ns}, {"without_ns", step.without_ns},
               {"low_ns", step.low_ns}, {"high_ns", step.high_ns},         {"busy_ns", step.busy_ns},
               {"given", step.given},   {"notes", Json::array()}};
  for (const RecorderNote& note : recorder_notes(step)) {
    json["notes"].push_back({{"id", note.id}, {"says", text_of(fmt::format("{}.says", note.id), note.arguments)}});
  }
  return json;
}

std::string diagnosis_json(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde
