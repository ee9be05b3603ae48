#pragma once

#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/definitions.h"
#include "record/library_calls.h"
#include "record/trace_of.h"

namespace sonde::record {

/// Turns records into rows. A thread's records come one behind the other, in the order in which it wrote them.
class ThreadEvents {
 public:
  ThreadEvents(Trace& trace, const Definitions& definitions, const Images& images, int64_t origin_ns, Tally& tally)
      : trace_(trace), definitions_(definitions), images_(images), origin_ns_(origin_ns), tally_(tally) {}

  void begin_thread(ThreadId thread, uint32_t process);
  void add(const wire::Record& record);
  /// Gives away the rows that nothing later changes, sorted, and takes them out of the trace.
  void hand_over(const PartTaker& take);
  /// As hand_over(), with the rows that may have changed: nothing comes any more.
  void finish(const PartTaker& take);

 private:
  struct Open {
    uint16_t level;
    Row row;
  };
  struct End {
    int64_t time;
    ThreadId thread;
  };

  Row add_range(const wire::Record& record, RangeStyle style);
  void push(const wire::Record& record);
  void start(const wire::Record& record);
  void end(const wire::Record& record);
  void end_range(Row row, const End& end);
  [[nodiscard]] std::vector<Row> changing_ranges() const;
  void give(const PartTaker& take);
  void pop(const wire::Record& record);
  void mark(const wire::Record& record);
  void os_call(const wire::Record& record);
  [[nodiscard]] NameId name_of(const wire::Record& record);
  [[nodiscard]] int64_t time(int64_t monotonic_ns) const { return monotonic_ns - origin_ns_; }

  Trace& trace_;
  const Definitions& definitions_;
  const Images& images_;
  int64_t origin_ns_;
  Tally& tally_;
  ThreadId thread_ = kNone;
  uint32_t process_ = 0;
  uint32_t image_ = 0;
  size_t first_call_ = 0;                                        ///< row of the thread's first
  boost::unordered_flat_map<uint16_t, std::vector<Open>> open_;  ///< of the thread, by domain
  boost::unordered_flat_map<uint64_t, Row> started_;             ///< by image and number
  boost::unordered_flat_map<uint64_t, End> ends_;                ///< whose start did not come yet, by the same

  LibraryCalls library_calls_{trace_};
};

}  // namespace sonde::record
