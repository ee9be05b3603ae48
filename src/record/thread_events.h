#pragma once

#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/kernels/profiles.h"
#include "record/library_calls.h"
#include "record/nvtx/payload_text.h"
#include "record/rounds/definitions.h"
#include "record/trace_of.h"

namespace sonde::record {

/// Turns records into rows. A thread's records come one behind the other, in the order in which it wrote them.
class ThreadEvents {
 public:
  ThreadEvents(Trace& trace, const Definitions& definitions, const Images& images, int64_t origin_ns, Tally& tally,
               KernelProfiles& kernels)
      : trace_(trace),
        definitions_(definitions),
        images_(images),
        origin_ns_(origin_ns),
        tally_(tally),
        kernels_(kernels) {}

  void begin_thread(ThreadId thread, uint32_t process);
  void add(const wire::Record& record);
  /// Gives away the rows that nothing later changes, sorted, and takes them out of the trace.
  void hand_over(const PartTaker& take);
  /// Rows with long payloads weigh more than others.
  [[nodiscard]] bool has_many_payloads() const;
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

  /// The event that was written last: what a payload belongs to.
  struct Last {
    enum class Of : uint8_t { nothing, range, mark };
    Of of = Of::nothing;
    uint16_t domain = 0;
    Row row = 0;
  };

  Row add_range(const wire::Record& record, RangeStyle style);
  void push(const wire::Record& record);
  void start(const wire::Record& record);
  void end(const wire::Record& record);
  void end_range(Row row, const End& end);
  [[nodiscard]] std::vector<Row> changing_ranges() const;
  void complete_payloads();
  void give(const PartTaker& take);
  void pop(const wire::Record& record);
  void mark(const wire::Record& record);
  void os_call(const wire::Record& record);
  void payload(const wire::Record& record);
  template <typename Events>
  void put_payload(Events& events, Row row, Payload payload, const std::optional<std::string>& message);
  [[nodiscard]] PayloadContext payload_context(uint16_t domain) const;
  [[nodiscard]] NameId name_of(const wire::Record& record);
  /// The push/pop ranges of the thread that are open, outermost first.
  [[nodiscard]] std::vector<OpenRange> open_ranges() const;
  [[nodiscard]] int64_t time(int64_t monotonic_ns) const { return monotonic_ns - origin_ns_; }

  Trace& trace_;
  const Definitions& definitions_;
  const Images& images_;
  int64_t origin_ns_;
  Tally& tally_;
  KernelProfiles& kernels_;
  ThreadId thread_ = kNone;
  uint32_t process_ = 0;
  uint32_t image_ = 0;
  Last last_;  ///< of the thread
  size_t payload_bytes_ = 0;
  size_t first_call_ = 0;                                        ///< row of the thread's first
  boost::unordered_flat_map<uint16_t, std::vector<Open>> open_;  ///< of the thread, by domain
  boost::unordered_flat_map<uint64_t, Row> started_;             ///< by image and number
  boost::unordered_flat_map<uint64_t, End> ends_;                ///< whose start did not come yet, by the same

  LibraryCalls library_calls_{trace_};
};

}  // namespace sonde::record
