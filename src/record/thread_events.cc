#include "record/thread_events.h"

#include <algorithm>
#include <numeric>

#include "record/rounds/call_row.h"
#include "record/text.h"
#include "trace/columns.h"
#include "wire/os_calls.h"
#include "wire/payload_record.h"
#include "wire/pc_record.h"
#include "wire/whole_body.h"

namespace sonde::record {
namespace {

/// Programs number their ranges from 1 on; one with more than 2^40 of them does not finish.
uint64_t range_key(uint32_t image, uint64_t range) { return uint64_t{image} << 40U | (range & 0xFFFFFFFFFFU); }

/// Within so many calls lies what a call may have interrupted: more than handlers nest, and a bound where the times
/// make no sense.
constexpr size_t kDeepest = 64;

/// Of payloads, in a part of the profile.
constexpr size_t kPartPayloadBytes = size_t{4} << 20U;

/// The last rows of a table from `first` on, `most` of them.
std::vector<Row> last_rows(size_t rows, size_t first, size_t most) {
  std::vector<Row> last(std::min(rows - first, most));
  std::iota(last.begin(), last.end(), static_cast<Row>(rows - last.size()));
  return last;
}

/// Takes rows, given in their order, out of a table.
template <typename Table>
Table take_rows(Table& table, std::span<const Row> rows) {
  Table taken = table;
  select_rows(taken, rows);
  std::vector<Row> others;
  for (Row row = 0; row < row_count(table); ++row) {
    if (!std::ranges::binary_search(rows, row)) others.push_back(row);
  }
  select_rows(table, others);
  return taken;
}

template <typename T>
void put(std::vector<T>& column, T value) {
  column.push_back(value);
}

}  // namespace

void ThreadEvents::begin_thread(ThreadId thread, uint32_t process) {
  thread_ = thread;
  last_ = {};
  process_ = process;
  first_call_ = trace_.os_calls.start.size();
  open_.clear();
  library_calls_.begin_thread(thread);
}

void ThreadEvents::add(const wire::Record& record) {
  const uint32_t image = images_.at(process_, written_at(record));
  if (image != image_) open_.clear();
  image_ = image;
  if (record.head.kind == wire::Kind::payload) return payload(record);
  last_ = {};
  switch (record.head.kind) {
    case wire::Kind::push: return push(record);
    case wire::Kind::pop: return pop(record);
    case wire::Kind::start: return start(record);
    case wire::Kind::end: return end(record);
    case wire::Kind::mark: return mark(record);
    case wire::Kind::library_call:
      library_calls_.add(static_cast<wire::Library>(record.head.level), name_of(record), time(record.head.time),
                         time(record.end));
      return;
    case wire::Kind::past_range: trace_.ranges.end[add_range(record, RangeStyle::push_pop)] = time(record.end); return;
    case wire::Kind::os_call: return os_call(record);
    default: break;
  }
  if (wire::is_pc_record(record.head.kind)) return kernels_.add_sample(record, process_);
  if (!wire::is_kernel_record(record.head.kind)) return;
  const bool launched = record.head.kind == wire::Kind::measured_kernel;
  kernels_.add(record, process_, static_cast<uint32_t>(trace_.threads[thread_].tid),
               launched ? open_ranges() : std::vector<OpenRange>());
}

std::vector<OpenRange> ThreadEvents::open_ranges() const {
  std::vector<Row> rows;
  for (const auto& [domain, open] : open_) {
    for (const Open& range : open) rows.push_back(range.row);
  }
  std::ranges::sort(rows);  // a thread's rows are in the order of their starts
  std::vector<OpenRange> ranges;
  for (const Row row : rows) {
    const NameId domain = trace_.domains[trace_.ranges.domain[row]].name;
    ranges.push_back({.domain = trace_.name(domain).empty() ? kNone : domain,
                      .name = trace_.ranges.name[row],
                      .thread = static_cast<uint64_t>(trace_.threads[thread_].tid),
                      .category = {},
                      .color = {}});
  }
  return ranges;
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
  put(r.color, record.has_color ? int64_t{record.attributes.color} : kUnknown);
  put(r.payload_kind, record.payload_kind);
  put(r.payload, record.payload_kind == 0 ? kUnknown : static_cast<int64_t>(record.attributes.payload));
  last_ = {Last::Of::range, record.head.domain, row};
  return row;
}

void ThreadEvents::end_range(Row row, const End& end) {
  trace_.ranges.end[row] = end.time;
  trace_.ranges.end_thread[row] = end.thread;
}

/// Threads come one behind the other, so that the end of a range on another thread may come before its start.
void ThreadEvents::start(const wire::Record& record) {
  const uint64_t key = range_key(image_, record.id);
  const Row row = add_range(record, RangeStyle::start_end);
  const auto end = ends_.find(key);
  if (end == ends_.end()) {
    started_[key] = row;
    return;
  }
  end_range(row, end->second);
  ends_.erase(end);
}

void ThreadEvents::end(const wire::Record& record) {
  const uint64_t key = range_key(image_, record.id);
  const End end{time(record.head.time), thread_};
  const auto started = started_.find(key);
  if (started == started_.end()) {
    tally_.unmatched_ends += ends_.try_emplace(key, end).second ? 0 : 1;
    return;
  }
  end_range(started->second, end);
  last_ = {Last::Of::range, record.head.domain, started->second};
  started_.erase(started);
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
  last_ = {Last::Of::range, record.head.domain, open.back().row};
  open.pop_back();
}

void ThreadEvents::mark(const wire::Record& record) {
  Marks& m = trace_.marks;
  put(m.start, time(record.head.time));
  put(m.name, name_of(record));
  put(m.thread, thread_);
  put(m.domain, definitions_.domain(image_, record.head.domain));
  put(m.category, record.attributes.category == 0 ? kNone : record.attributes.category);
  put(m.color, record.has_color ? int64_t{record.attributes.color} : kUnknown);
  put(m.payload_kind, record.payload_kind);
  put(m.payload, record.payload_kind == 0 ? kUnknown : static_cast<int64_t>(record.attributes.payload));
  last_ = {Last::Of::mark, record.head.domain, static_cast<Row>(m.start.size() - 1)};
}

PayloadContext ThreadEvents::payload_context(uint16_t domain) const {
  return {
      .schema = [this, domain](uint64_t schema) { return definitions_.payload_schemas().find(image_, domain, schema); },
      .string =
          [this](uint64_t number) {
            return std::string(trace_.name(definitions_.string(image_, static_cast<uint32_t>(number))));
          }};
}

/// An event that was written without a name is called as its payload says.
template <typename Events>
void ThreadEvents::put_payload(Events& events, Row row, Payload payload, const std::optional<std::string>& message) {
  if (message && trace_.name(events.name[row]).empty()) events.name[row] = intern_text(trace_, *message);
  payload_bytes_ += payload.bytes.size() + payload.json.size();
  events.payloads.resize(events.start.size());
  if (events.payloads[row].schema == 0) events.payloads[row] = std::move(payload);
}

void ThreadEvents::payload(const wire::Record& record) {
  wire::PayloadBody body{};
  if (last_.of == Last::Of::nothing || !wire::take(record.body, body)) return;
  const auto bytes = record.body.subspan(sizeof body, body.bytes);
  const auto text = read_payload(body.schema, bytes, payload_context(last_.domain));
  ++tally_.payloads;
  if (!text) ++tally_.unread_payloads;
  Payload payload{.schema = body.schema,
                  .bytes = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                  .json = text ? text->json : std::string()};
  const auto message = text ? text->message : std::nullopt;
  if (last_.of == Last::Of::range) {
    put_payload(trace_.ranges, last_.row, std::move(payload), message);
  } else {
    put_payload(trace_.marks, last_.row, std::move(payload), message);
  }
}

bool ThreadEvents::has_many_payloads() const { return payload_bytes_ > kPartPayloadBytes; }

/// A call is written when it comes back: those that a signal handler made within it stand before it.
void ThreadEvents::os_call(const wire::Record& record) {
  Calls& c = trace_.os_calls;
  const int64_t start = time(record.head.time);
  const size_t first = std::max(first_call_, c.start.size() - std::min(c.start.size(), kDeepest));
  for (size_t row = c.start.size(); row > first && c.start[row - 1] >= start; --row) ++c.nesting[row - 1];
  append(c,
         {start, time(record.end), trace_.names.intern(wire::kOsCallNames[record.head.level]), thread_, CallClass::os});
  put(c.result, record.result);
  put(c.nesting, 0);
}

std::vector<Row> ThreadEvents::changing_ranges() const {
  std::vector<Row> rows;
  for (const auto& [domain, open] : open_) {
    for (const Open& range : open) rows.push_back(range.row);
  }
  for (const auto& [range, row] : started_) rows.push_back(row);
  std::ranges::sort(rows);
  return rows;
}

void ThreadEvents::complete_payloads() {
  payload_bytes_ = 0;
  if (!trace_.ranges.payloads.empty()) trace_.ranges.payloads.resize(trace_.ranges.start.size());
  if (!trace_.marks.payloads.empty()) trace_.marks.payloads.resize(trace_.marks.start.size());
}

void ThreadEvents::give(const PartTaker& take) {
  complete_payloads();
  tally_.ranges += static_cast<int64_t>(trace_.ranges.start.size());
  tally_.open_ranges += std::ranges::count(trace_.ranges.end, kUnknown);
  tally_.marks += static_cast<int64_t>(trace_.marks.start.size());
  tally_.os_calls += static_cast<int64_t>(trace_.os_calls.start.size());
  tally_.library_calls += static_cast<int64_t>(trace_.library_calls.start.size());
  tally_.module_ranges += std::ranges::count_if(
      trace_.ranges.domain, [&](DomainId d) { return trace_.domains[d].kind == DomainKind::module; });
  library_calls_.see(trace_.ranges);
  give_part(trace_, take);
}

void ThreadEvents::hand_over(const PartTaker& take) {
  complete_payloads();
  last_ = {};
  const std::vector<Row> ranges = changing_ranges();
  const std::vector<Row> calls = last_rows(trace_.os_calls.start.size(), first_call_, kDeepest);
  Ranges open = take_rows(trace_.ranges, ranges);
  Calls late = take_rows(trace_.os_calls, calls);
  give(take);
  trace_.ranges = std::move(open);
  trace_.os_calls = std::move(late);
  first_call_ = 0;
  const auto renumber = [&](Row& row) {
    row = static_cast<Row>(std::ranges::lower_bound(ranges, row) - ranges.begin());
  };
  for (auto& [domain, open_ranges] : open_) {
    for (Open& range : open_ranges) renumber(range.row);
  }
  for (auto& [range, row] : started_) renumber(row);
}

void ThreadEvents::finish(const PartTaker& take) {
  tally_.unmatched_ends += static_cast<int64_t>(ends_.size());
  give(take);
  library_calls_.finish([&] {
    if (event_rows(trace_) >= kPartRows) give(take);
  });
  tally_.libraries = library_calls_.seen();
  give(take);
}

}  // namespace sonde::record
