#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/images.h"
#include "record/nccl/nccl_tally.h"
#include "record/rounds/definitions.h"
#include "record/rounds/extent.h"
#include "record/rounds/parts.h"
#include "trace/trace.h"
#include "wire/nccl_record.h"

namespace sonde::record {

/// Makes rows of what NCCL told. Records come in any order of their threads: a kernel's channels are told by another
/// thread than its operation.
class NcclRows {
 public:
  NcclRows(Trace& trace, const Definitions& definitions, const Images& images, const Extent& extent)
      : trace_(trace), definitions_(definitions), images_(images), extent_(extent) {}

  void add(const wire::Record& record, uint32_t process, uint32_t thread);
  /// After all records. `process_row` and `thread_row` give rows of the trace.
  void finish(const std::function<ProcessId(uint32_t)>& process_row,
              const std::function<ThreadId(uint32_t, uint32_t)>& thread_row, const PartTaker& take);
  [[nodiscard]] const NcclTally& tally() const { return tally_; }

 private:
  struct Key {
    uint32_t image;
    uint64_t number;
    bool operator==(const Key&) const = default;
    friend size_t hash_value(const Key& key) { return key.number * 0x9E3779B97F4A7C15U ^ key.image; }
  };
  struct Start {
    uint32_t image;
    uint32_t process;
    uint32_t thread;
    int64_t time;
    wire::NcclStartBody body;
  };
  struct Stop {
    int64_t time;
    uint64_t gpu_ns;
  };
  /// When the channels of an operation's kernel ran.
  struct GpuTime {
    int64_t first = 0;
    int64_t last = 0;
    int32_t channels = 0;
  };
  struct Launch {
    int64_t start;
    int64_t end;
    uint64_t communicator;
    uint64_t group;  ///< the group that it launched; 0: none was found yet
  };

  void add_communicator(const wire::Record& record, uint32_t image, uint32_t process);
  [[nodiscard]] uint32_t communicator_row(const Start& start, const std::function<ProcessId(uint32_t)>& process_row);
  void time_channels();
  void collect_launches();
  [[nodiscard]] Launch* launch_of(const Start& operation);
  void append_operation(const Start& operation, uint32_t communicator, ThreadId thread);
  [[nodiscard]] const Stop* stop_of(const Start& start) const;
  [[nodiscard]] NameId text(uint32_t image, uint32_t number) const {
    return number == 0 ? kNone : definitions_.string(image, number);
  }
  [[nodiscard]] int64_t time(int64_t monotonic_ns) const { return monotonic_ns - extent_.begin_ns; }

  Trace& trace_;
  const Definitions& definitions_;
  const Images& images_;
  const Extent& extent_;
  NcclTally tally_;
  std::vector<Start> operations_;
  std::vector<Start> channels_;
  std::vector<Start> launches_;
  boost::unordered_flat_map<Key, Stop> stops_;
  boost::unordered_flat_map<Key, GpuTime> gpu_times_;                ///< by operation
  boost::unordered_flat_map<Key, uint32_t> communicators_;           ///< rows of the trace
  boost::unordered_flat_map<Key, std::vector<Launch>> launches_of_;  ///< by thread, in the order of time
};

}  // namespace sonde::record
