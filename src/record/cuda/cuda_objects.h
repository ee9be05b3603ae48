#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "record/cuda/kernel_names.h"
#include "record/rounds/slices.h"
#include "wire/cuda_record.h"

namespace sonde::record {

/// A recorded program's writer of CUDA records. What CUPTI numbers is unique to it: exec() begins a new one.
struct CudaSource {
  uint32_t process;
  uint32_t thread;
  auto operator<=>(const CudaSource&) const = default;
};

/// What CUPTI tells once and uses by number: names, GPUs, contexts, streams. Read before all events.
class CudaObjects {
 public:
  CudaObjects(Trace& trace, const Slices& slices);

  /// A text by its number; empty for 0 and for one that was never reported.
  [[nodiscard]] const std::string& text(const CudaSource& source, uint32_t number) const;
  [[nodiscard]] KernelNames kernel(const CudaSource& source, uint32_t number);
  /// The name of a call of CUPTI's domain `domain`; one that was never reported is named by its number.
  [[nodiscard]] NameId call(const CudaSource& source, uint16_t domain, uint32_t number);

  /// The device of a context; empty where CUPTI did not tell it.
  [[nodiscard]] std::optional<uint32_t> device_of(const CudaSource& source, uint32_t context) const;
  /// A launched graph, by the number that CUPTI gives with it.
  struct Launched {
    uint32_t graph;               ///< that it was made of
    uint32_t executable = kNone;  ///< kNone where CUPTI did not tell of its instantiation
  };
  [[nodiscard]] Launched launched(uint32_t process, uint32_t number) const;
  /// Whether a graph came to be on the way to a clone or an executable one, and is none of the program's own.
  [[nodiscard]] bool is_step(uint32_t process, uint32_t graph) const;
  /// What is known of a stream: its GPU, priority, flags, whether it is the null stream of its context.
  void describe(const CudaSource& source, Stream& stream) const;

 private:
  template <typename T>
  using Numbered = boost::unordered_flat_map<uint64_t, T>;
  struct OfSource {
    Numbered<std::string> texts;
    Numbered<KernelNames> kernels;
    Numbered<NameId> calls;  ///< by domain and number
    Numbered<wire::ContextBody> contexts;
    Numbered<wire::StreamBody> streams;  ///< by context and number
    std::map<uint32_t, DeviceId> devices;
    std::vector<uint32_t> created_graphs;  ///< in this order; without steps that are known
  };

  void add(const wire::Record& record, OfSource& source);
  static void add_text(const wire::Record& record, OfSource& source);
  void add_device(const wire::DeviceBody& body, OfSource& source);
  [[nodiscard]] DeviceId device_row(const wire::DeviceBody& body, const std::string& name);

  void add_graph(const wire::CudaGraphBody& graph, const Slice& slice);
  void take_steps_to(const Slice& slice, uint32_t result);

  Trace& trace_;
  std::map<CudaSource, OfSource> sources_;
  std::vector<std::pair<wire::DeviceBody, OfSource*>> devices_;  ///< their names may come after them
  Numbered<uint32_t> graph_of_;                ///< by process and executable graph; kNone where it was more than one
  Numbered<uint32_t> executable_of_;           ///< by process and graph, the same
  boost::unordered_flat_set<uint64_t> steps_;  ///< graphs, by process and number
};

}  // namespace sonde::record
