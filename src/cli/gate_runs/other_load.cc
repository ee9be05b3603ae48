#include "cli/gate_runs/other_load.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "base/text/decimal.h"
#include "cli/gate_runs/cpu_time.h"

namespace sonde {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

/// The columns of a processor's line (proc_stat(5)) that are no idling; guests are within user and nice.
constexpr std::array<size_t, 6> kBusyColumns = {1, 2, 3, 6, 7, 8};

std::optional<int64_t> busy_ticks(std::string_view line) {
  int64_t ticks = 0;
  for (size_t column = 0; !line.empty(); ++column) {
    const size_t end = std::min(line.find(' '), line.size());
    if (std::ranges::find(kBusyColumns, column) != kBusyColumns.end()) {
      const auto value = integer_of<int64_t>(line.substr(0, end));
      if (!value) return std::nullopt;
      ticks += *value;
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return ticks;
}

std::optional<std::string_view> line_of(std::string_view text, size_t processor) {
  const std::string head = fmt::format("\ncpu{} ", processor);
  const size_t at = text.find(head);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + 1);
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::optional<int64_t> busy_ns_of(std::string_view proc_stat, const ProcessorSet& set) {
  const int64_t tick_ns = kSecond_ns / std::max(1L, sysconf(_SC_CLK_TCK));
  int64_t sum = 0;
  for (const size_t processor : set) {
    const auto line = line_of(proc_stat, processor);
    const auto ticks = line ? busy_ticks(*line) : std::nullopt;
    if (!ticks) return std::nullopt;
    sum += *ticks * tick_ns;
  }
  return sum;
}

std::optional<ProcessorUse> processor_use(const ProcessorSet& set) {
  std::ifstream stream("/proc/stat");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto busy_ns = busy_ns_of(text, set);
  if (!busy_ns) return std::nullopt;
  return ProcessorUse{.busy_ns = *busy_ns, .own_ns = cpu_ns_of_ended_children()};
}

double share_of_others(const ProcessorUse& before, const ProcessorUse& after, int64_t wall_ns, size_t processors) {
  const int64_t others_ns = after.busy_ns - before.busy_ns - (after.own_ns - before.own_ns);
  const double capacity_ns = static_cast<double>(wall_ns) * static_cast<double>(processors);
  return capacity_ns <= 0 ? 0 : std::clamp(static_cast<double>(others_ns) / capacity_ns, 0.0, 1.0);
}

bool is_disturbing(double share, int64_t wall_ns, size_t processors) {
  constexpr double kShare = 0.1;
  constexpr double kTicks_ns = 5e7;  // five ticks: begin and end of the run, and of what else ran, are rounded
  return share >= kShare && share * static_cast<double>(wall_ns) * static_cast<double>(processors) >= kTicks_ns;
}

}  // namespace sonde
