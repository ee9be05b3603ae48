#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyses/api_label.h"
#include "findings/rule.h"
#include "findings/step_syncs.h"
#include "trace/columns.h"

/// Idle time of the GPUs, a finding for each cause. Idle nanoseconds of a GPU have one cause each, so that these
/// ceilings never add up past its idle time. What waits inside of steps cause is sync_in_loop's.
namespace sonde {
namespace {

/// Less of the wall time than this is not worth a sentence.
constexpr double kLeastPercent = 1;

/// What the thread was in most, with the shares of the cause's time: "aten::item 62 %, cudaStreamSynchronize 30 %".
std::string most_of(const Facts& facts, IdleCause cause) {
  constexpr size_t kMostNames = 3;
  std::map<std::string, int64_t> by_label;
  for (const IdleWhile& part : facts.idle.by_name) {
    if (part.cause == cause && part.name != kNone) {
      by_label[without_numbers(api_label(facts.trace.name(part.name)))] += part.ns;
    }
  }
  std::vector<std::pair<std::string, int64_t>> labels(by_label.begin(), by_label.end());
  std::ranges::stable_sort(labels, std::greater(), [](const auto& label) { return label.second; });
  labels.resize(std::min(labels.size(), kMostNames));
  const auto total = static_cast<double>(facts.idle.total(cause));
  std::string text;
  for (const auto& [label, ns] : labels) {
    const double percent = 100 * static_cast<double>(ns) / total;
    if (percent >= kLeastPercent) text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", label, percent);
  }
  return text.empty() ? "no call or range is named" : text;
}

/// Tells which idle pieces come from waits inside of steps.
class StepSyncs {
 public:
  explicit StepSyncs(const Facts& facts) : rows_(syncs_inside_steps(facts)) {
    if (rows_.empty()) return;
    const Calls& api = facts.trace.api;
    for (Row row = 0; row < row_count(api); ++row) {
      if (facts.api_kinds[row] != ApiKind::synchronize) continue;
      const bool inside = std::ranges::binary_search(rows_, row);
      of_thread_[api.thread[row]].emplace_back(api.start[row], inside);
    }
    for_each_idle_piece(facts.trace, facts.gpus, facts.extent, [&](const IdlePiece& piece) {
      if (piece.cause == IdleCause::synchronization && cause(piece)) total_ns_ += piece.end_ns - piece.start_ns;
    });
  }

  [[nodiscard]] bool holds(Row row) const { return std::ranges::binary_search(rows_, row); }
  [[nodiscard]] int64_t total_ns() const { return total_ns_; }
  /// A piece belongs to the last wait that its thread began before.
  [[nodiscard]] bool cause(const IdlePiece& piece) const {
    const auto waits = of_thread_.find(piece.thread);
    if (waits == of_thread_.end()) return false;
    const auto next = std::ranges::upper_bound(waits->second, piece.start_ns, {}, &std::pair<int64_t, bool>::first);
    return next != waits->second.begin() && std::prev(next)->second;
  }

 private:
  std::vector<Row> rows_;
  std::map<ThreadId, std::vector<std::pair<int64_t, bool>>> of_thread_;
  int64_t total_ns_ = 0;  ///< of idle time, over all GPUs
};

std::vector<Evidence> evidence_of(const Facts& facts, IdleCause cause, const StepSyncs& step_syncs) {
  std::vector<Evidence> evidence;
  for (const IdlePiece& piece : facts.idle.longest[static_cast<size_t>(cause)]) {
    if (cause == IdleCause::synchronization && step_syncs.cause(piece)) continue;
    evidence.push_back({piece.start_ns, piece.end_ns, facts.gpus.gpus[piece.gpu].place,
                        std::string(api_label(facts.trace.name(piece.name)))});
  }
  return evidence;
}

/// Time that threads spend blocked in synchronization: without it the host gains no more than that.
int64_t blocked_ns(const Facts& facts, const StepSyncs& step_syncs) {
  const Calls& api = facts.trace.api;
  int64_t blocked = 0;
  for (Row row = 0; row < row_count(api); ++row) {
    if (facts.api_kinds[row] == ApiKind::synchronize && facts.judged(api.start[row]) && !step_syncs.holds(row))
      blocked += api.end[row] - api.start[row];
  }
  return facts.per_gpu(blocked);
}

int64_t idle_of(const Facts& facts, IdleCause cause, const StepSyncs& step_syncs) {
  const int64_t claimed = cause == IdleCause::synchronization ? step_syncs.total_ns() : 0;
  return facts.per_gpu(facts.idle.total(cause) - claimed);
}

int64_t ceiling_of(const Facts& facts, IdleCause cause, const StepSyncs& step_syncs) {
  const int64_t idle = idle_of(facts, cause, step_syncs);
  return cause == IdleCause::synchronization ? std::min(idle, blocked_ns(facts, step_syncs)) : idle;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  if (facts.gpus.gpus.empty()) {
    diagnosis.abstentions.push_back({"gpu_idle", "gpu_idle.no_gpu_work", {}});
    return;
  }
  const StepSyncs step_syncs(facts);
  for (size_t c = 0; c < static_cast<size_t>(IdleCause::count_); ++c) {
    const auto cause = static_cast<IdleCause>(c);
    if (cause == IdleCause::before_first || cause == IdleCause::after_last) continue;
    const int64_t ceiling = ceiling_of(facts, cause, step_syncs);
    if (facts.percent_of_wall(ceiling) < kLeastPercent) continue;
    const auto idle = static_cast<double>(idle_of(facts, cause, step_syncs));
    diagnosis.findings.push_back(
        {.id = fmt::format("gpu_idle_{}", info_of(cause).name),
         .arguments = {{"time", Unit::nanoseconds, idle, {}}, {"most", Unit::none, 0, most_of(facts, cause)}},
         .ceiling_ns = ceiling,
         .evidence = evidence_of(facts, cause, step_syncs)});
  }
}

}  // namespace

extern const Rule gpu_idle_rule;
const Rule gpu_idle_rule{"gpu_idle", "the GPU does nothing, by cause", kIdleFields, &judge};

}  // namespace sonde
