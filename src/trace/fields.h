#pragma once

#include <cstdint>
#include <initializer_list>

namespace sonde {

/// Groups of columns that an importer can read or leave out. A column that was not asked for stays an empty vector;
/// one that was asked for has a row for every event (see fill_columns()).
enum class Field {
  kernels,                ///< kernels: start, end, name
  kernel_short_names,     ///< kernels: name without return type, template arguments and parameters
  kernel_mangled_names,   ///< kernels: the linker's name
  kernel_grid,            ///< kernels: grid and block
  kernel_resources,       ///< kernels: registers, shared and local memory, cluster, occupancy, graph node, collective
  kernel_launch_details,  ///< kernels: grid id, cache and shared memory configuration
  copies,                 ///< copies: start, end, bytes, kind, memory kinds, addresses
  sets,                   ///< sets: start, end, bytes, value, memory kind
  graph_launches,         ///< graph_launches: start, end, graph, executable
  syncs,                  ///< syncs: start, end, kind, event
  streams,                ///< the stream of each GPU operation read (and with it device, context, process)
  launches,               ///< correlation ids of GPU operations, API calls and overheads, and the links
  api,                    ///< api: start, end, name, thread, class
  api_results,            ///< api and overheads: return value
  ranges,                 ///< ranges: start, end, name, thread, domain, style; domains
  range_links,            ///< ranges: parent; with api, the innermost range around each call
  range_details,          ///< ranges and marks: colour, category, payload, sequence number, shapes
  marks,                  ///< marks
  os_calls,               ///< os_calls (OS runtime) and syscalls
  library_calls,          ///< cuBLAS, cuDNN and the like
  overheads,              ///< time that the profiler itself took
  call_chains,            ///< call chains of API, OS and library calls and of samples
  samples,                ///< CPU samples
  python_samples,         ///< Python threads, sampled: what they do, and their stacks with call_chains
  scheduling,             ///< context switches with thread states
  counters,               ///< counters over time, GPU metrics included
  allocations,            ///< device memory allocated and freed
  page_faults,            ///< unified-memory page faults of CPU and GPU
  cuda_events,            ///< records of CUDA events
  graph_events,           ///< creation of CUDA graphs, executables and nodes
  diagnostics,            ///< what the recording tool said of the recording
  kernel_profiles,        ///< launches measured by a kernel profiler: launch, metrics, sections, advice, ranges, stacks
  metric_instances,       ///< kernel_profiles: the parts of metrics (by instruction, opcode, time)
  source_lines,           ///< device_functions: the source line of each instruction
  nccl,                   ///< NCCL's own account of its operations, and its communicators
  inventory,              ///< what the source holds, counted
  capture,                ///< how the profile was taken: options, environment, host (private)
  count_
};

/// The set of fields that a reader wants.
class Fields {
 public:
  constexpr Fields() = default;
  constexpr Fields(std::initializer_list<Field> fields) {
    for (const Field f : fields) bits_ |= bit(f);
  }
  [[nodiscard]] static constexpr Fields all() {
    Fields fields;
    fields.bits_ = bit(Field::count_) - 1;
    return fields;
  }

  [[nodiscard]] constexpr bool has(Field field) const { return (bits_ & bit(field)) != 0; }
  [[nodiscard]] constexpr bool any_of(const Fields& other) const { return (bits_ & other.bits_) != 0; }
  constexpr Fields& operator|=(const Fields& other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr Fields operator|(Fields a, const Fields& b) { return a |= b; }

 private:
  /// Constant: rows of rules and reports are filled before main() from fields that other files define.
  static constexpr uint64_t bit(Field field) { return uint64_t{1} << static_cast<unsigned>(field); }
  uint64_t bits_ = 0;
};

/// Everything that occupies a GPU: kernels, copies, sets, graph launches.
inline constexpr Fields kGpuWork{Field::kernels, Field::copies, Field::sets, Field::graph_launches};

}  // namespace sonde
