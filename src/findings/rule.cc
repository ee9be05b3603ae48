#include "findings/rule.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "findings/asking.h"
#include "findings/saving_without_waits.h"
#include "trace/columns.h"

namespace sonde {

#define SONDE_RULE(name) extern const Rule name##_rule;
#include "findings/rules/list.inc"

#include "findings/kernel_rules/list.inc"
#undef SONDE_RULE

namespace {

bool saves_idle_time(const Finding& f) { return f.id.starts_with("gpu_idle_"); }

/// Idle time whose cause is known to be another than a wait before it.
bool waits_for_data(const Finding& f) { return f.id == "gpu_idle_input" || f.id == "gpu_idle_data_loading"; }

/// A replay without waits lets kernels run at once that each fill the GPU, and hides idle time that gpu_idle_* names,
/// too. Such findings share what can be saved at all: waiting for data comes first, then the largest.
void keep_within_waits(const Facts& facts, std::vector<Finding>& findings) {
  if (std::ranges::none_of(findings, &Finding::saves_waits)) return;
  std::vector<Finding*> sharing;
  for (Finding& f : findings) {
    if (f.saves_waits || saves_idle_time(f)) sharing.push_back(&f);
  }
  std::ranges::stable_sort(sharing, std::greater(),
                           [](const Finding* f) { return std::tuple(waits_for_data(*f), f->ceiling_ns); });
  int64_t left = saving_without_waits(facts);
  for (Finding* f : sharing) {
    f->ceiling_ns = std::min(f->ceiling_ns, left);
    left -= f->ceiling_ns;
  }
  std::erase_if(findings, [&](const Finding& f) {
    return (f.saves_waits || saves_idle_time(f)) && facts.percent_of_wall(f.ceiling_ns) < kWorthPercent;
  });
}

/// Two fixes can save the same time. Each finding gets at most what earlier findings leave of the wall time.
void keep_within_wall(int64_t wall_ns, std::vector<Finding>& findings) {
  int64_t left = wall_ns;
  for (Finding& finding : findings) {
    finding.ceiling_ns = std::min(finding.ceiling_ns, left);
    left -= finding.ceiling_ns;
  }
}

void add_likely_gains(std::vector<Finding>& findings) {
  for (Finding& f : findings) {
    if (f.takes_time && f.reachable) f.likely = likely_gain(f.fix, f.ceiling_ns);
  }
}

/// What no fix can act on, and what saves little beside a larger finding, gets one line.
void fold(const Facts& facts, std::vector<Finding>& findings) {
  const auto little = [&](const Finding& f) { return facts.percent_of_wall(f.ceiling_ns) < kWorthPercent; };
  const bool any_large = std::ranges::any_of(findings, [&](const Finding& f) { return f.fixable && !little(f); });
  for (Finding& f : findings) f.folded = !f.fixable || (f.takes_time && any_large && little(f));
}

/// People look for a place in what was recorded.
void show_as_recorded(const Facts& facts, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    for (Evidence& place : finding.evidence) {
      place.start_ns = facts.recorded_time(place.start_ns);
      place.end_ns = facts.recorded_time(place.end_ns);
    }
  }
}

Answer answer_of(const Facts& facts, const Diagnosis& diagnosis) {
  if (std::ranges::any_of(diagnosis.findings, [](const Finding& f) { return !f.folded; })) return Answer::problems;
  const bool looked = 2 * diagnosis.looked.size() >= diagnosis.asked;
  return looked && facts.has_gpu_work() ? Answer::nothing_found : Answer::could_not_look;
}

}  // namespace

void Claims::add(const Claims& others) {
  const auto add_to = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (size_t gpu = 0; gpu < idle.size(); ++gpu) add_to(idle[gpu], others.idle[gpu]);
  add_to(waits, others.waits);
  add_to(copies, others.copies);
  add_to(kernels, others.kernels);
  add_to(side_by_side, others.side_by_side);
  add_to(float32, others.float32);
  add_to(pauses, others.pauses);
  add_to(launches, others.launches);
}

std::span<const Rule* const> rules() {
  static const std::array all = {
#define SONDE_RULE(name) &name##_rule,
#include "findings/rules/list.inc"

#include "findings/kernel_rules/list.inc"
#undef SONDE_RULE
  };
  return all;
}

Fields diagnosis_fields() {
  Fields fields = kRecorderFields;  // replays of all rules use them
  for (const Rule* rule : rules()) fields |= rule->fields;
  return fields;
}

Diagnosis diagnose(const Facts& facts) {
  std::vector<const Rule*> asked;
  std::ranges::copy_if(rules(), std::back_inserter(asked),
                       [&](const Rule* rule) { return rule->of_kernel_reports == facts.is_kernel_report(); });
  Diagnosis diagnosis = ask_all(asked, facts, failed_checks(facts));
  keep_within_waits(facts, diagnosis.findings);
  fold(facts, diagnosis.findings);
  std::ranges::stable_sort(diagnosis.findings, std::greater(),
                           [](const Finding& f) { return std::tuple(!f.folded, f.reachable, f.ceiling_ns); });
  keep_within_wall(facts.wall_ns(), diagnosis.findings);
  add_likely_gains(diagnosis.findings);
  fold(facts, diagnosis.findings);  // what is left of a fix for the same time may be little
  std::ranges::stable_sort(diagnosis.findings, {}, &Finding::folded);
  if (facts.recorder) show_as_recorded(facts, diagnosis.findings);
  diagnosis.answer = answer_of(facts, diagnosis);
  if (diagnosis.answer == Answer::nothing_found) diagnosis.limit = gpu_limit(facts);
  // At the limit there is nothing that measuring a kernel can show.
  if (diagnosis.limit) std::erase_if(diagnosis.findings, [](const Finding& f) { return !f.fixable; });
  diagnosis.explained = explained_by(facts, diagnosis.findings);
  return diagnosis;
}

}  // namespace sonde
