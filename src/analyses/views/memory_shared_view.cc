#include <array>

#include "analyses/kernels/memory_counters.h"
#include "analyses/views/kernel_view.h"
#include "analyses/views/memory_table.h"
#include "metrics/counter_value.h"

namespace sonde {
namespace memory_shared {
namespace {

struct SharedRow {
  std::string_view name;
  std::string_view instructions;  ///< as memory_instructions() takes it; empty: there is no such counter
  std::string_view operation;     ///< behind "mem_shared" in the names of wavefronts and bank conflicts
};

constexpr std::array kRows = {
    SharedRow{"load", "shared_ld", "_op_ld"},       SharedRow{"matrix load", "ldsm", "_op_ldsm"},
    SharedRow{"store", "shared_st", "_op_st"},      SharedRow{"store of a global load", "", "_op_ldgsts"},
    SharedRow{"atomic", "shared_atom", "_op_atom"}, SharedRow{"total", "shared", ""},
};

std::optional<double> of_pipe(const Trace& trace, const KernelProfile& kernel, std::string_view counter,
                              std::string_view operation) {
  const std::string own = fmt::format("l1tex__{}_mem_shared{}", counter, operation);
  const std::string of_smsp = fmt::format("smsp__sass_l1tex_{}_mem_shared{}", counter, operation);
  const std::string of_sm = fmt::format("sm__sass_l1tex_{}_mem_shared{}", counter, operation);
  return first_total(trace, kernel, {own, of_smsp, of_sm});
}

std::optional<double> wavefronts(const Trace& trace, const KernelProfile& kernel, std::string_view operation) {
  const auto counted = of_pipe(trace, kernel, "data_pipe_lsu_wavefronts", operation);
  return counted || !operation.empty() ? counted : metric_number(trace, kernel, "memory_l1_wavefronts_shared");
}

std::optional<double> needed_wavefronts(const Trace& trace, const KernelProfile& kernel, std::string_view operation) {
  if (!operation.empty()) return std::nullopt;
  return metric_number(trace, kernel, "memory_l1_wavefronts_shared_ideal");
}

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  MemoryTable table({"Shared memory"}, {{"Instructions"},
                                        {"Wavefronts"},
                                        {"Needed Wavefronts"},
                                        {"Wavefronts/Instruction", Unit::none, 2},
                                        {"Bank Conflicts"},
                                        {"Of Peak", Unit::percent, 2}});
  for (const SharedRow& row : kRows) {
    const auto instructions =
        row.instructions.empty() ? std::nullopt : memory_instructions(trace, kernel, row.instructions);
    const auto passes = wavefronts(trace, kernel, row.operation);
    const auto conflicts = of_pipe(trace, kernel, "data_bank_conflicts_pipe_lsu", row.operation);
    const std::string counter = fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared{}", row.operation);
    table.add({row.name}, {instructions, passes, needed_wavefronts(trace, kernel, row.operation),
                           quotient(passes, instructions), conflicts, counter_percent_of_peak(trace, kernel, counter)});
  }
  if (table.is_empty()) {
    return fail(
        "not collected: l1tex__data_pipe_lsu_wavefronts_mem_shared_* and "
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_* (ncu --section MemoryWorkloadAnalysis_Tables)");
  }
  return std::move(table).take({});
}

}  // namespace
}  // namespace memory_shared

extern const KernelView memory_shared_view;
const KernelView memory_shared_view{
    .name = "memory_shared",
    .title = "Shared Memory",
    .section = "MemoryWorkloadAnalysis_Tables",
    .description =
        "Shared memory instructions, their passes (wavefronts) through L1's data stage, and bank "
        "conflicts, which are the extra passes. Wavefronts/Instruction: 1 is ideal for 4 bytes "
        "a "
        "thread, n with n-way conflicts; wider accesses need more.",
    .run = memory_shared::run,
};

}  // namespace sonde
