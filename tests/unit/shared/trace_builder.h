#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyses/reports/shared_stats_report.h"
#include "trace/link.h"

namespace sonde {

/// Builds small traces by hand. Times are nanoseconds; build() sorts and links as an import does.
class TraceBuilder {
 public:
  TraceBuilder();

  ThreadId thread(int64_t pid, int64_t tid);
  StreamId stream(int64_t pid, int32_t device = 0);
  /// Domain 0 is NVTX's default domain.
  DomainId domain(std::string_view name, DomainKind kind = DomainKind::nvtx);

  /// Returns the call's correlation id, for the operations that it launches.
  uint32_t call(ThreadId thread, int64_t start, int64_t end, std::string_view name = "cudaLaunchKernel_v7000");
  /// A correlation id that no call has.
  uint32_t unlinked() { return next_correlation_++; }

  void kernel(StreamId stream, int64_t start, int64_t end, std::string_view name, uint32_t correlation,
              Dim3 grid = {1, 1, 1});
  void copy(StreamId stream, int64_t start, int64_t end, uint32_t correlation);
  /// Between a GPU and memory of the host of this kind.
  void host_copy(StreamId stream, int64_t start, int64_t end, CopyKind kind, MemoryKind host, int64_t bytes,
                 uint32_t correlation);
  /// From one GPU to another, by CUDA's numbers.
  void peer_copy(StreamId stream, int64_t start, int64_t end, uint32_t source_device, uint32_t destination_device,
                 int64_t bytes, uint32_t correlation);
  void set(StreamId stream, int64_t start, int64_t end, uint32_t correlation, int64_t bytes = kUnknown);
  /// Calls that put the recording of an event, or a wait for one, on a stream.
  void record_event(ThreadId thread, StreamId stream, int64_t start, int64_t end, uint32_t event);
  void wait_event(ThreadId thread, StreamId stream, int64_t start, int64_t end, uint32_t event);
  void migration(StreamId stream, int64_t start, int64_t end, CopyKind kind, int64_t bytes, int64_t address);
  void graph_launch(StreamId stream, int64_t start, int64_t end, uint32_t correlation);
  void push_pop(ThreadId thread, int64_t start, int64_t end, std::string_view name, DomainId domain = 0);
  /// Gives the last range the inputs of a PyTorch operator (trace/recorded_inputs.h).
  void inputs(std::string_view recorded);
  void start_end(ThreadId thread, ThreadId end_thread, int64_t start, int64_t end, std::string_view name,
                 DomainId domain = 0);
  void os_call(ThreadId thread, int64_t start, int64_t end, std::string_view name,
               CallClass call_class = CallClass::os);
  void cpu_fault(int64_t start, int64_t address, std::string_view instruction);
  void gpu_fault(int64_t start, int64_t address, int64_t count);
  /// Of device memory; `total` is the allocator's own, if it has one.
  void allocation(int64_t pid, int32_t device, int64_t start, AllocationKind kind, int64_t bytes, int64_t address,
                  int64_t total = kUnknown);
  void put_on_core(ThreadId thread, int64_t start, int32_t cpu);
  void take_off_core(ThreadId thread, int64_t start, int32_t cpu, ThreadState state = ThreadState::unknown);
  /// A GPU that all processes know by this CUDA number: build() gives it to the streams that have the number. The
  /// reference is valid until the next call.
  Device& device(int32_t ordinal = 0);

  /// The builder is spent afterwards.
  [[nodiscard]] Trace build();

 private:
  ProcessId process(int64_t pid);
  void switched(ThreadId thread, int64_t start, int32_t cpu, bool in, uint8_t state);
  void gpu_op(GpuOps& ops, StreamId stream, int64_t start, int64_t end, uint32_t correlation);
  void any_copy(StreamId stream, int64_t start, int64_t end, CopyKind kind, int64_t bytes, int64_t address,
                uint32_t correlation);
  void range(ThreadId thread, ThreadId end_thread, int64_t start, int64_t end, std::string_view name, DomainId domain,
             RangeStyle style);
  void fault(int64_t start, int64_t end, int32_t device, int64_t address, int64_t count, NameId instruction);
  static void add_call(Calls& calls, NameId name, ThreadId thread, int64_t start, int64_t end, CallClass call_class,
                       uint32_t correlation);

  struct PeerCopy {
    Row row;  ///< of `copies`
    uint32_t source_device;
    uint32_t destination_device;
  };
  void resolve_devices();
  void fill_peers();

  Trace trace_;
  std::vector<PeerCopy> peer_copies_;
  uint32_t next_correlation_ = 1;
};

/// Runs a report by its name and arguments, as on the command line: "um_sum:rows=5".
[[nodiscard]] Table run_report(std::string_view specification, const Trace& trace);
/// A table's texts point into its trace.
Table run_report(std::string_view specification, Trace&& trace) = delete;

/// A column's cells as text: numbers with the column's decimals, "-" for what is absent.
[[nodiscard]] std::vector<std::string> cells(const Table& table, std::string_view column);

/// Headers without units.
[[nodiscard]] std::vector<std::string> headers(const Table& table);

}  // namespace sonde
