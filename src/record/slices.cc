#include "record/slices.h"

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

Slices ordered_slices(std::span<const std::byte> spool) {
  std::vector<Placed> placed;
  SpoolReader reader(spool);
  while (const auto slice = reader.next()) placed.push_back({*slice, first_time(*slice)});
  std::ranges::stable_sort(placed, {},
                           [](const Placed& p) { return std::tuple(p.slice.process, p.slice.thread, p.time); });
  Slices slices;
  for (const Placed& p : placed) slices.all.push_back(p.slice);
  slices.unread_bytes = reader.left();
  return slices;
}

}  // namespace sonde::record
