#include "importers/pytorch/kinds.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sonde::pytorch {
namespace {

template <typename Value, size_t N>
Value look_up(const std::array<std::pair<std::string_view, Value>, N>& table, std::string_view name, Value otherwise) {
  const auto* found = std::ranges::find(table, name, &std::pair<std::string_view, Value>::first);
  return found == table.end() ? otherwise : found->second;
}

using NamedCategory = std::pair<std::string_view, Category>;

constexpr auto kCategories = std::to_array<NamedCategory>({
    {"cpu_op", Category::op},
    {"python_function", Category::python},
    {"cuda_runtime", Category::runtime},
    {"kernel", Category::kernel},
    {"ac2g", Category::flow},
    {"fwdbwd", Category::fwdbwd},
    {"user_annotation", Category::annotation},
    {"cuda_driver", Category::driver},
    {"gpu_memcpy", Category::copy},
    {"gpu_memset", Category::set},
    {"cpu_instant_event", Category::memory},
    {"cuda_sync", Category::sync},
    {"cuda_event", Category::cuda_event},
    {"gpu_user_annotation", Category::mirrored},
    {"overhead", Category::overhead},
    {"Trace", Category::span},
    {"async_cpu_to_gpu", Category::flow},
    {"async_gpu", Category::flow},
    {"async", Category::flow},
    {"cpu_to_cuda", Category::flow},
    {"forward_backward", Category::fwdbwd},
    {"Operator", Category::op},
    {"Kernel", Category::kernel},
    {"Memcpy", Category::copy},
    {"Memset", Category::set},
    {"Runtime", Category::runtime},
    {"hip_runtime", Category::runtime},
});

using NamedCopy = std::pair<std::string_view, CopyKind>;

/// The first that a name contains counts.
constexpr auto kCopies = std::to_array<NamedCopy>({
    {"UVM HtoD", CopyKind::unified_host_to_device},
    {"UVM DtoH", CopyKind::unified_device_to_host},
    {"UVM DtoD", CopyKind::unified_device_to_device},
    {"HtoD", CopyKind::host_to_device},
    {"DtoH", CopyKind::device_to_host},
    {"DtoD", CopyKind::device_to_device},
    {"HtoH", CopyKind::host_to_host},
    {"PtoP", CopyKind::peer_to_peer},
    {"HtoA", CopyKind::host_to_array},
    {"AtoH", CopyKind::array_to_host},
    {"AtoA", CopyKind::array_to_array},
    {"AtoD", CopyKind::array_to_device},
    {"DtoA", CopyKind::device_to_array},
    {"HostToDevice", CopyKind::host_to_device},
    {"DeviceToHost", CopyKind::device_to_host},
    {"DeviceToDevice", CopyKind::device_to_device},
    {"HostToHost", CopyKind::host_to_host},
});

using NamedMemory = std::pair<std::string_view, MemoryKind>;

/// ROCm says "Host" and leaves open whether it is pinned.
constexpr auto kMemories = std::to_array<NamedMemory>({
    {"Pageable", MemoryKind::pageable},
    {"Pinned", MemoryKind::pinned},
    {"Device", MemoryKind::device},
    {"Array", MemoryKind::array},
    {"Managed", MemoryKind::managed},
    {"Device Static", MemoryKind::device_static},
    {"Managed Static", MemoryKind::managed_static},
    {"Unknown", MemoryKind::unknown},
    {"Host", MemoryKind::unknown},
});

/// What stands between the first "(" and the ")" behind it.
std::string_view in_parentheses(std::string_view name) {
  const size_t open = name.find('(');
  if (open == std::string_view::npos) return {};
  const size_t close = name.find(')', open);
  return name.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
}

MemoryKind memory_of(std::string_view name) { return look_up(kMemories, name, MemoryKind::absent); }

}  // namespace

Category category_of(std::string_view name) { return look_up(kCategories, name, Category::unknown); }

CopyShape copy_shape(std::string_view name) {
  CopyShape shape;
  const auto* copy = std::ranges::find_if(kCopies, [&](const NamedCopy& c) { return name.contains(c.first); });
  if (copy != kCopies.end()) shape.kind = copy->second;
  constexpr std::string_view kArrow = " -> ";
  const std::string_view ends = in_parentheses(name);
  const size_t arrow = ends.find(kArrow);
  if (arrow == std::string_view::npos) return shape;
  shape.source = memory_of(ends.substr(0, arrow));
  shape.destination = memory_of(ends.substr(arrow + kArrow.size()));
  return shape;
}

MemoryKind set_memory(std::string_view name) { return memory_of(in_parentheses(name)); }

SyncKind sync_kind(std::string_view name) {
  if (name.contains("Wait Event")) return SyncKind::stream_waits_event;
  if (name.contains("Event")) return SyncKind::event;
  if (name.contains("Stream")) return SyncKind::stream;
  return SyncKind::device;
}

}  // namespace sonde::pytorch
