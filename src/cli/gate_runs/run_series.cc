#include "cli/gate_runs/run_series.h"

#include <algorithm>

#include "gate/runs.h"
#include "report/tables/quantity.h"

namespace sonde {

std::string run_name(std::string_view side, size_t number) { return fmt::format("{}-{:02}", side, number); }

std::string run_text(const MadeRun& run) {
  std::string text = time_text(static_cast<double>(run.wall_ns));
  const gate::RunRecord& record = run.record;
  if (!record.step_ns.empty()) {
    std::vector<double> steps(record.step_ns.begin(), record.step_ns.end());
    text += fmt::format(", step {} ({})", time_text(gate::centre_of(steps, gate::Centre::median)),
                        counted(static_cast<int64_t>(steps.size()), "step"));
  } else if (record.avg_kernel_ns) {
    text += fmt::format(", mean kernel {}", time_text(*record.avg_kernel_ns));
  }
  return text;
}

Status RunSeries::warm_up() {
  std::vector<int64_t> base_ns;
  std::vector<int64_t> changed_ns;
  const auto once = [&](const RunCommand& command, std::vector<int64_t>& wall_ns) -> Status {
    const auto took_ns = maker_.warm_up(command, "warm-up");
    if (!took_ns) return std::unexpected(took_ns.error());
    wall_ns.push_back(*took_ns);
    return {};
  };
  const auto is_done = [&] {
    if (plan_.warm_up) return std::ssize(changed_ns) >= *plan_.warm_up;
    return is_warm(changed_ns) && (!plan_.base || is_warm(base_ns));
  };
  while (!is_done()) {
    fmt::print(stderr, "warming up\n");
    if (plan_.base) SONDE_TRY(once(*plan_.base, base_ns));
    SONDE_TRY(once(plan_.changed, changed_ns));
  }
  return {};
}

bool RunSeries::time_for_another() const {
  const int64_t needed = plan_.base ? 2 * longest_ns_ : longest_ns_;
  return !plan_.time_budget_ns || runs() == 0 || maker_.spent_ns() + needed <= *plan_.time_budget_ns;
}

Status RunSeries::make_until(int runs) {
  while (static_cast<int>(this->runs()) < runs && !out_of_time_) {
    out_of_time_ = !time_for_another();
    if (out_of_time_) break;
    const size_t made = this->runs();
    for (const Side side : run_order(made, made + 1, plan_.base.has_value())) SONDE_TRY(make(side));
  }
  return {};
}

Status RunSeries::make(Side side) {
  const bool is_base = side == Side::base;
  DecideSide& of_side = is_base ? base_ : changed_;
  const std::string_view word = is_base ? "base" : "new";
  const size_t number = of_side.records.size() + 1;
  auto made = maker_.make(is_base ? *plan_.base : plan_.changed, run_name(word, number));
  if (!made) return std::unexpected(made.error());
  fmt::print(stderr, "{:<4} {:>3} of {}: {}\n", word, number, plan_.most, run_text(*made));
  longest_ns_ = std::max(longest_ns_, made->wall_ns);
  of_side.records.push_back(std::move(made->record));
  of_side.files.push_back(std::move(made->file));
  return {};
}

}  // namespace sonde
