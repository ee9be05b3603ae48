#include <array>
#include <functional>
#include <map>

#include "analyses/memory/memory_peak.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport memory_peak_module_sum_report;

namespace memory_peak_module_sum {
namespace {

constexpr std::array kRoles = {MemoryRole::activation, MemoryRole::gradient, MemoryRole::optimizer_state,
                               MemoryRole::temporary,  MemoryRole::unknown,  MemoryRole::earlier};

Fields fields(const ReportArguments&) { return kMemoryStackFields; }

struct OfPlace {
  std::string place;
  int64_t bytes = 0;
  int64_t allocations = 0;
  std::array<int64_t, kRoles.size()> by_role{};
};

std::vector<OfPlace> places_of(const MemoryAtPeak& peak) {
  std::map<std::string, OfPlace> places;
  for (const HeldMemory& held : peak.held) {
    OfPlace& sum = places[held.place];
    sum.place = held.place;
    sum.bytes += held.bytes;
    sum.allocations += held.allocations;
    const auto role = std::ranges::find(kRoles, held.role) - kRoles.begin();
    sum.by_role.at(static_cast<size_t>(role)) += held.bytes;
  }
  std::vector<OfPlace> all;
  for (auto& [name, sum] : places) all.push_back(std::move(sum));
  std::ranges::stable_sort(all, std::greater(), &OfPlace::bytes);
  return all;
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(memory_peak_module_sum_report);
  auto& share = table.reals("Peak", Unit::percent, 1);
  auto& size = table.integers("Size", Unit::bytes);
  std::array<Column::Integers*, kRoles.size()> roles{};
  for (size_t i = 0; i < kRoles.size(); ++i)
    roles.at(i) = &table.integers(std::string(name_of(kRoles.at(i))), Unit::bytes);
  auto& allocations = table.integers("Allocations");
  auto& gpu = table.texts("GPU");
  auto& name = table.texts("Name");
  for (const MemoryAtPeak& peak : memory_at_peaks(trace)) {
    const std::string_view place = table.keep(peak.gpu);
    for (const OfPlace& sum : places_of(peak)) {
      share.push_back(peak.bytes > 0 ? 100 * static_cast<double>(sum.bytes) / static_cast<double>(peak.bytes)
                                     : kAbsent);
      size.push_back(sum.bytes);
      for (size_t i = 0; i < kRoles.size(); ++i) roles.at(i)->push_back(sum.by_role.at(i));
      allocations.push_back(sum.allocations);
      gpu.push_back(place);
      name.push_back(sum.place.empty() ? std::string_view() : table.keep(sum.place));
    }
  }
  return table;
}

}  // namespace
}  // namespace memory_peak_module_sum

const StatsReport memory_peak_module_sum_report{
    .name = "memory_peak_module_sum",
    .usage = "memory_peak_module_sum",
    .title = "Memory Peak Summary by Module",
    .description = R"(Which parts of the program hold each GPU's memory when most of it is allocated.

Peak (%)       Size as a percentage of the memory in use at the peak
Size           memory in use at the peak, from allocations in the module and in no module inside it
Activation, Gradient, Optimizer State, Temporary, Unknown, Before Recording  Size by role (see `memory_peak_sum`)
Allocations    number of allocations
GPU            the GPU
Name           PyTorch module or NVTX range, numbers as #. Without one, the program's innermost function and its line, if
               stacks were recorded, otherwise the operator or API call; - if none of them is known

This report is specific to Sonde.)",
    .data =
        "memory usage with addresses (torch.profiler: profile_memory=True, torch.cuda.memory._dump_snapshot(), "
        "nsys: --cuda-memory-usage=true)",
    .in_default_set = false,
    .fields = memory_peak_module_sum::fields,
    .run = memory_peak_module_sum::run,
};

}  // namespace sonde
