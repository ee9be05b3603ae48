#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_processes {
namespace {

/// Processes of one owner. By process ids there would be a new series for each start of a program.
struct Group {
  std::string_view user;
  std::string_view container;
  std::string_view state;  ///< dead: the GPU names it, and the host has no such process
  auto operator<=>(const Group&) const = default;
};

struct Held {
  double count = 0;
  std::optional<int64_t> memory_bytes;  ///< absent where no process of the group says its own
};

std::map<Group, Held> groups_of(const GpuView& gpu) {
  std::map<Group, Held> groups;
  for (const OwnedProcess& owned : gpu.processes) {
    Held& held = groups[{owned.owner.user, owned.owner.container, owned.owner.alive ? "alive" : "dead"}];
    held.count += 1;
    const auto bytes = owned.process.memory_used_bytes;
    if (bytes) held.memory_bytes = held.memory_bytes.value_or(0) + *bytes;
  }
  return groups;
}

template <typename Value>
void add_groups(const Scrape& scrape, Samples& out, Value value) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    for (const auto& [group, held] : groups_of(gpu)) {
      const std::optional<double> given = value(held);
      if (!given) continue;
      out.add({{"uuid", gpu.uuid}, {"user", group.user}, {"container", group.container}, {"state", group.state}},
              *given);
    }
  });
}

void count(const Scrape& scrape, Samples& out) {
  add_groups(scrape, out, [](const Held& held) { return std::optional(held.count); });
}

void memory(const Scrape& scrape, Samples& out) {
  add_groups(scrape, out, [](const Held& held) {
    return held.memory_bytes ? std::optional(static_cast<double>(*held.memory_bytes)) : std::nullopt;
  });
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_gpu_processes",
     .labels = "uuid, user, container, state",
     .help = "Processes on the GPU by owner; state dead: the process no longer exists on the host.",
     .collect = count},
    {.name = "sonde_gpu_process_memory_bytes",
     .labels = "uuid, user, container, state",
     .help = "GPU memory used by the owner's processes.",
     .collect = memory},
});

}  // namespace
}  // namespace gpu_processes

extern constinit const Family gpu_processes_family;
constinit const Family gpu_processes_family{
    .name = "gpu_processes", .title = "Processes", .metrics = gpu_processes::kMetrics};

}  // namespace sonde::monitor
