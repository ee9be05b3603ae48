#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "exporters/files/json_output.h"
#include "exporters/nsys/global_ids.h"
#include "trace/columns.h"
#include "trace/trace.h"

/// The parts of a torch.profiler trace. Each appends events to the list that pytorch_trace.cc opens and closes.
namespace sonde::pytorch_export {

/// Where an event stands: torch's "pid" and "tid" are process and thread, or GPU and stream.
struct Place {
  int64_t pid = 0;
  int64_t tid = 0;
};

class Writer {
 public:
  Writer(const Trace& trace, TextFile& file, Progress& progress);

  const Trace& trace;

  /// Opens a complete event ("ph": "X") up to and without its args. `name` is escaped already.
  void open(std::string_view category, std::string_view name, Place place, int64_t start, int64_t end);
  /// Begins any other event: the caller appends the rest.
  void begin();
  /// Ends an event; `tail` closes what is open.
  void close(std::string_view tail);

  template <typename... Args>
  void put(Args&&... args) {
    fmt::format_to(std::back_inserter(file_.text()), std::forward<Args>(args)...);
  }
  void append(std::string_view text) { file_.append(text); }
  void microseconds(int64_t ns) { append_microseconds(file_.text(), ns); }

  /// One end of an arrow: "s" where it starts, "f" where it ends.
  void flow(std::string_view phase, std::string_view category, uint64_t id, Place place, int64_t time);

  /// The text of a name, escaped once.
  [[nodiscard]] std::string_view name(NameId id);
  [[nodiscard]] Place place_of_thread(ThreadId thread) const;
  [[nodiscard]] Place place_of_stream(StreamId stream) const;
  /// The GPU's number in the file: the source's own where each GPU has another, else the row of Trace::devices.
  [[nodiscard]] int64_t gpu_of(StreamId stream) const;
  /// Correlation ids are unique in a process only; here they are unique in the file.
  [[nodiscard]] uint64_t correlation(ProcessId process, uint32_t id) const;
  [[nodiscard]] int64_t pid_of(ProcessId process) const;
  [[nodiscard]] int64_t device_number(DeviceId device) const { return device_numbers_[device]; }

 private:
  TextFile& file_;
  Progress& progress_;
  GlobalIds ids_;
  bool first_ = true;
  int64_t unreported_ = 0;
  std::vector<std::string> names_;
  std::vector<bool> escaped_;
  std::vector<int64_t> device_numbers_;
  std::vector<uint64_t> correlation_base_;
};

void write_header(Writer& writer);  ///< up to the opening bracket of the events
void write_threads(Writer& writer);
void write_ranges(Writer& writer);
void write_calls(Writer& writer);
void write_gpu_operations(Writer& writer);
void write_syncs(Writer& writer);
void write_allocations(Writer& writer);
void write_window(Writer& writer);

/// Torch's "External id" of a range's row.
[[nodiscard]] inline uint64_t external_id(Row range) { return uint64_t{range} + 1; }
/// The row of the innermost annotation or operator around an API call, kNone.
[[nodiscard]] Row operator_around(const Trace& trace, Row call);

}  // namespace sonde::pytorch_export
