#include "findings/asking.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/system/parallel.h"
#include "findings/coverage.h"

namespace sonde {
namespace {

/// What one rule answers.
Diagnosis ask(const Rule& rule, const Facts& facts, std::span<const FailedCheck> failed, const Claims& earlier) {
  Diagnosis diagnosis(facts.gpus.gpus.size());
  const auto reason = std::ranges::find_if(failed, [&](const FailedCheck& f) { return rule.checks.has(f.check); });
  if (reason != failed.end()) {
    diagnosis.abstentions.push_back({rule.name, reason->text_id, reason->arguments});
    return diagnosis;
  }
  if (reads_claims(rule)) diagnosis.earlier = &earlier;
  rule.judge(facts, diagnosis);
  diagnosis.earlier = nullptr;
  if (diagnosis.abstentions.empty()) diagnosis.looked.push_back(rule.name);
  diagnosis.not_recorded = not_recorded_of(facts.trace, rule.fields);
  for (Finding& finding : diagnosis.findings) {
    finding.not_recorded = diagnosis.not_recorded;
    finding.saves_work = rule.saves == Saves::gpu_work || rule.of_kernel_reports;
    finding.saves_waits = rule.saves == Saves::waits;
    if (rule.fix != FixKind::unmeasured) finding.fix = rule.fix;
  }
  return diagnosis;
}

template <typename T>
void move_behind(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void add(Diagnosis& all, Diagnosis answer) {
  move_behind(all.findings, std::move(answer.findings));
  move_behind(all.abstentions, std::move(answer.abstentions));
  move_behind(all.looked, std::move(answer.looked));
  for (const std::string_view name : answer.not_recorded) {
    if (std::ranges::find(all.not_recorded, name) == all.not_recorded.end()) all.not_recorded.push_back(name);
  }
}

/// Rules in the order of their list, but for those that wait for others.
class Asking {
 public:
  Asking(std::span<const Rule* const> rules, const Facts& facts, std::span<const FailedCheck> failed)
      : rules_(rules),
        facts_(facts),
        failed_(failed),
        begun_(rules.size()),
        answers_(rules.size()),
        claims_(facts.gpus.gpus.size()) {
    settle_claims();
  }

  /// Asks one rule after the other until none is left.
  void work() {
    std::unique_lock lock(mutex_);
    while (const std::optional<size_t> next = await_next(lock)) {
      begun_[*next] = true;
      lock.unlock();
      Diagnosis answer = ask(*rules_[*next], facts_, failed_, claims_);
      lock.lock();
      answers_[*next] = std::move(answer);
      settle_claims();
      any_ended_.notify_all();
    }
  }

  [[nodiscard]] Diagnosis all() {
    Diagnosis all(facts_.gpus.gpus.size());
    for (std::optional<Diagnosis>& answer : answers_) add(all, *std::move(answer));
    all.claims = std::move(claims_);
    all.asked = rules_.size();
    return all;
  }

 private:
  [[nodiscard]] bool may_begin(size_t i) const { return !begun_[i] && (!reads_claims(*rules_[i]) || settled_ == i); }

  std::optional<size_t> await_next(std::unique_lock<std::mutex>& lock) {
    for (;;) {
      for (size_t i = 0; i < rules_.size(); ++i) {
        if (may_begin(i)) return i;
      }
      if (std::ranges::all_of(begun_, std::identity())) return std::nullopt;
      any_ended_.wait(lock);
    }
  }

  void settle_claims() {
    for (; settled_ < rules_.size(); ++settled_) {
      const Rule& rule = *rules_[settled_];
      if (rule.claims == ClaimUse::none) continue;
      if (!answers_[settled_]) return;
      if (adds_claims(rule)) claims_.add(answers_[settled_]->claims);
    }
  }

  std::span<const Rule* const> rules_;
  const Facts& facts_;
  std::span<const FailedCheck> failed_;
  std::mutex mutex_;
  std::condition_variable any_ended_;
  std::vector<bool> begun_;
  std::vector<std::optional<Diagnosis>> answers_;
  size_t settled_ = 0;  ///< the first rule that adds or reads claims and has not ended
  Claims claims_;       ///< of the rules before that one; they stay as they are while it reads them
};

}  // namespace

Diagnosis ask_all(std::span<const Rule* const> rules, const Facts& facts, std::span<const FailedCheck> failed) {
  Asking asking(rules, facts, failed);
  parallel_for(std::min(worker_count(), rules.size()), [&](size_t) { asking.work(); });
  return asking.all();
}

}  // namespace sonde
