#pragma once

#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/cpu/symbolizer.h"
#include "record/cuda/correlation_set.h"
#include "record/cuda/cuda_objects.h"
#include "record/cuda/cuda_tally.h"
#include "record/cuda/unserved_launches.h"
#include "record/rounds/extent.h"
#include "record/rounds/parts.h"

namespace sonde::record {

/// Turns the records of CUPTI into rows: what starts within the extent, and what the GPU starts later for a call within
/// it. They are written up to seconds later, so their heads' times say nothing. Those of a writer come one behind the
/// other.
class CudaRows {
 public:
  /// Gives a thread its row.
  using ThreadRow = std::function<ThreadId(uint32_t process, uint32_t thread)>;
  /// Gives a process its row.
  using ProcessRow = std::function<ProcessId(uint32_t process)>;

  CudaRows(Trace& trace, const Images& images, CudaObjects& objects, Symbolizer& symbolizer, const Extent& extent,
           ProcessRow process_row)
      : trace_(trace),
        images_(images),
        objects_(objects),
        symbolizer_(symbolizer),
        extent_(extent),
        process_row_(std::move(process_row)) {}

  /// All records, once. Those of other kinds change nothing.
  void add(const wire::Record& record, const CudaSource& source);
  /// Once all threads that wrote something have their rows: reads the slices again, for what follows from all of them.
  /// A call within a call is reported before that, and what belongs to the recording is known by its call. Gives the
  /// rows away, in parts.
  void finish(const Slices& slices, const ThreadRow& thread_row, const PartTaker& take);

  [[nodiscard]] const CudaTally& tally() const { return tally_; }

 private:
  using StreamName = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;  ///< process, device, context, stream

  [[nodiscard]] int64_t time(int64_t monotonic_ns) const { return monotonic_ns - extent_.begin_ns; }
  void add_row(const wire::Record& record, const CudaSource& source);
  void count(const wire::Record& record, const CudaSource& source);
  StreamId stream(const CudaSource& source, uint32_t device, uint32_t context, uint32_t number);
  /// Whether a time span can be: others are counted.
  bool has_sense(int64_t start, int64_t end);
  /// False, and nothing added, where the times make no sense.
  bool add_operation(GpuOps& ops, int64_t start, int64_t end, const wire::GpuPlace& place, const CudaSource& source);

  void kernel(const wire::KernelBody& body, const CudaSource& source);
  /// The two places of a copy between GPUs; kNone for others.
  struct CopyPlaces {
    uint32_t source_device = kNone;
    uint32_t source_context = kNone;
    uint32_t destination_device = kNone;
    uint32_t destination_context = kNone;
  };
  void copy(const wire::CopyBody& body, const CudaSource& source);
  void copy(const wire::PeerCopyBody& body, const CudaSource& source);
  void add_copy(const wire::CopyBody& body, const CopyPlaces& places, const CudaSource& source);
  void add_places(const CopyPlaces& places);
  void set(const wire::SetBody& body, const CudaSource& source);
  void sync(const wire::SyncBody& body, const CudaSource& source);
  void graph_launch(const wire::GraphLaunchBody& body, const CudaSource& source);
  void unified(const wire::UnifiedMemoryBody& body, const CudaSource& source);
  void migration(const wire::UnifiedMemoryBody& body, const CudaSource& source);
  void page_fault(const wire::UnifiedMemoryBody& body, const CudaSource& source);
  void allocation(const wire::AllocationBody& body, const CudaSource& source);
  void event(const wire::CudaEventBody& body, const CudaSource& source);
  void chain(const wire::Record& record, const CudaSource& source);

  [[nodiscard]] ChainId chain_of(const wire::ApiCallBody& call, const CudaSource& source) const;
  void note(const wire::Record& record, const CudaSource& source);
  void note_call(const wire::ApiCallBody& body, const CudaSource& source, uint16_t domain);
  void add_again(const wire::Record& record, const CudaSource& source, const ThreadRow& thread_row);
  [[nodiscard]] bool needs_all(const wire::Record& record) const;
  [[nodiscard]] bool is_outside(const wire::Record& record) const;
  [[nodiscard]] bool is_of_call(const CudaSource& source, uint32_t correlation) const;
  void add_call(const wire::Record& record, const CudaSource& source, const ThreadRow& thread_row);
  void add_graph(const wire::Record& record, const CudaSource& source, const ThreadRow& thread_row);
  void add_overhead(const wire::OverheadBody& body, const CudaSource& source, const ThreadRow& thread_row);
  void count_launch(const wire::ApiCallBody& call, const CudaSource& source);
  void sum_tallies();

  Trace& trace_;
  const Images& images_;
  CudaObjects& objects_;
  Symbolizer& symbolizer_;
  Extent extent_;
  ProcessRow process_row_;
  CudaTally tally_;
  UnservedLaunches unserved_;
  std::map<StreamName, StreamId> streams_;
  std::set<CudaSource> to_read_again_;
  CorrelationSet called_;                                     ///< by calls within the extent
  CorrelationSet called_of_runtime_;                          ///< by those of the runtime, at any time
  CorrelationSet started_;                                    ///< of kernels and graphs
  boost::unordered_flat_map<uint64_t, ChainId> chains_;       ///< by image and correlation
  std::map<CudaSource, wire::CudaTallyBody> counted_;         ///< the last of each
  std::map<CudaSource, wire::CudaTallyBody> counted_before_;  ///< the last before the extent
};

}  // namespace sonde::record
