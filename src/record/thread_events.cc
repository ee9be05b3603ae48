#include "record/thread_events.h"

#include <algorithm>

#include "record/text.h"
#include "wire/os_calls.h"

namespace sonde::record {
namespace {

/// Programs number their ranges from 1 on; one with more than 2^40 of them does not finish.
uint64_t range_key(uint32_t image, uint64_t range) { return uint64_t{image} << 40U | (range & 0xFFFFFFFFFFU); }

template <typename T>
void put(std::vector<T>& column, T value) {
  column.push_back(value);
}

}  // namespace

void ThreadEvents::begin_thread(ThreadId thread, uint32_t process) {
  thread_ = thread;
  process_ = process;
  first_call_ = trace_.os_calls.start.size();
  open_.clear();
}

void ThreadEvents::add(const wire::Record& record) {
  const uint32_t image = images_.at(process_, written_at(record));
  if (image != image_) open_.clear();
  image_ = image;
  switch (record.head.kind) {
    case wire::Kind::push: return push(record);
    case wire::Kind::pop: return pop(record);
    case wire::Kind::start: started_[range_key(image, record.id)] = add_range(record, RangeStyle::start_end); return;
    case wire::Kind::end: ends_.push_back({record.id, image, time(record.head.time), thread_}); return;
    case wire::Kind::mark: return mark(record);
    case wire::Kind::os_call: return os_call(record);
    default: return;
  }
}

NameId ThreadEvents::name_of(const wire::Record& record) {
  return record.string != 0 ? definitions_.string(image_, record.string) : intern_text(trace_, record.text);
}

Row ThreadEvents::add_range(const wire::Record& record, RangeStyle style) {
  Ranges& r = trace_.ranges;
  const auto row = static_cast<Row>(r.start.size());
  put(r.start, time(record.head.time));
  put(r.end, kUnknown);
  put(r.name, name_of(record));
  put(r.thread, thread_);
  put(r.end_thread, thread_);
  put(r.domain, definitions_.domain(image_, record.head.domain));
  put(r.style, static_cast<uint8_t>(style));
  put(r.category, record.attributes.category == 0 ? kNone : record.attributes.category);
  put(r.color, record.has_color ? record.attributes.color : kNone);
  put(r.payload_kind, record.payload_kind);
  put(r.payload, record.payload_kind == 0 ? kUnknown : static_cast<int64_t>(record.attributes.payload));
  return row;
}

void ThreadEvents::push(const wire::Record& record) {
  const Row row = add_range(record, RangeStyle::push_pop);
  open_[record.head.domain].push_back({record.head.level, row});
}

/// Ranges above the one that ends have lost their own ends: they stay open.
void ThreadEvents::pop(const wire::Record& record) {
  std::vector<Open>& open = open_[record.head.domain];
  const uint16_t level = record.head.level;
  while (level != wire::kNoLevel && !open.empty() && open.back().level > level) open.pop_back();
  if (open.empty() || open.back().level != level) {
    ++tally_.unmatched_ends;
    return;
  }
  trace_.ranges.end[open.back().row] = time(record.head.time);
  open.pop_back();
}

void ThreadEvents::mark(const wire::Record& record) {
  Marks& m = trace_.marks;
  put(m.start, time(record.head.time));
  put(m.name, name_of(record));
  put(m.thread, thread_);
  put(m.domain, definitions_.domain(image_, record.head.domain));
  put(m.category, record.attributes.category == 0 ? kNone : record.attributes.category);
}

/// A call is written when it comes back: those that a signal handler made within it stand before it.
void ThreadEvents::os_call(const wire::Record& record) {
  Calls& c = trace_.os_calls;
  constexpr size_t kDeepest = 64;  // more than handlers nest, and a bound where the times make no sense
  const int64_t start = time(record.head.time);
  const size_t first = std::max(first_call_, c.start.size() - std::min(c.start.size(), kDeepest));
  for (size_t row = c.start.size(); row > first && c.start[row - 1] >= start; --row) ++c.nesting[row - 1];
  put(c.start, start);
  put(c.end, time(record.end));
  put(c.name, trace_.names.intern(wire::kOsCallNames[record.head.level]));
  put(c.thread, thread_);
  put(c.call_class, static_cast<uint8_t>(CallClass::os));
  put(c.result, record.result);
  put(c.nesting, 0);
}

void ThreadEvents::match_ends() {
  for (const End& end : ends_) {
    const auto found = started_.find(range_key(end.image, end.range));
    if (found == started_.end()) {
      ++tally_.unmatched_ends;
      continue;
    }
    trace_.ranges.end[found->second] = end.time;
    trace_.ranges.end_thread[found->second] = end.thread;
    started_.erase(found);
  }
}

}  // namespace sonde::record
