#include <algorithm>
#include <utility>

#include "analyses/views/kernel_view.h"

namespace sonde {
namespace instruction_mix {
namespace {

constexpr std::string_view kPerOpcode = "sass__inst_executed_per_opcode";

/// Opcodes with their executions, the most executed first.
std::vector<std::pair<NameId, double>> opcodes_of(const Metric& metric) {
  std::vector<std::pair<NameId, double>> opcodes;
  for (const MetricInstance& part : metric.instances) {
    if (const auto count = part.value.number(); count && part.key.name() != kNone) {
      opcodes.emplace_back(part.key.name(), *count);
    }
  }
  std::ranges::stable_sort(opcodes, std::greater(), &std::pair<NameId, double>::second);
  return opcodes;
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  const Metric* metric = find_metric(trace, kernel, kPerOpcode);
  const auto opcodes = metric == nullptr ? std::vector<std::pair<NameId, double>>() : opcodes_of(*metric);
  if (opcodes.empty()) return fail("{} (ncu --section InstructionStats)", kPerOpcode);
  double total = 0;
  for (const auto& [name, count] : opcodes) total += count;
  Table table;
  auto& names = table.texts("Opcode");
  auto& counts = table.integers("Executed by warps");
  auto& shares = table.reals("Share", Unit::percent, 1);
  for (const auto& [name, count] : opcodes) {
    names.push_back(trace.name(name));
    counts.push_back(static_cast<int64_t>(count));
    shares.push_back(total > 0 ? 100 * count / total : kAbsent);
  }
  return table;
}

}  // namespace
}  // namespace instruction_mix

extern const KernelView instruction_mix_view;
const KernelView instruction_mix_view{
    .name = "instruction_mix",
    .title = "Instruction Mix",
    .section = "InstructionStats",
    .description = "Warp instructions executed by opcode (sass__inst_executed_per_opcode), most frequent first.",
    .run = instruction_mix::run,
};

}  // namespace sonde
