#include "record/rounds/slices.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace sonde::record {
namespace {

struct Placed {
  Slice slice;
  int64_t time;
};

int64_t first_time(const Slice& slice) {
  wire::Reader reader(slice.records);
  wire::Record record;
  return reader.next(record) ? written_at(record) : std::numeric_limits<int64_t>::min();
}

}  // namespace

int64_t written_at(const wire::Record& record) {
  switch (record.head.kind) {
    case wire::Kind::os_call:
    case wire::Kind::past_range:
    case wire::Kind::library_call: return record.end;
    default: return record.head.time;
  }
}

Slices ordered_slices(std::span<const std::byte> spool, std::function<void()> let_go) {
  std::vector<Placed> placed;
  SpoolReader reader(spool);
  Slices slices;
  slices.let_go = std::move(let_go);
  LettingGo letting_go(slices.let_go);
  while (const auto slice = reader.next()) {
    if (slice->mark == kCpuSliceMark) {
      slices.cpu.push_back(*slice);
    } else if (slice->mark == kPythonSampleMark || slice->mark == kPythonDefinitionMark) {
      slices.python.push_back(*slice);
    } else {
      placed.push_back({*slice, first_time(*slice)});
    }
    letting_go.has_read(*slice);
  }
  std::ranges::stable_sort(placed, {},
                           [](const Placed& p) { return std::tuple(p.slice.process, p.slice.thread, p.time); });
  for (const Placed& p : placed) slices.all.push_back(p.slice);
  slices.unread_bytes = reader.left();
  return slices;
}

}  // namespace sonde::record
