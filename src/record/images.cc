#include "record/images.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "record/rounds/body.h"

namespace sonde::record {
namespace {

constexpr int64_t kAlways = std::numeric_limits<int64_t>::min();

}  // namespace

Images::Images(const Slices& slices) {
  std::set<uint32_t> named;
  std::set<uint32_t> met;
  LettingGo letting_go(slices.let_go);
  for (const Slice& slice : slices.all) {
    letting_go.has_read(slice);
    met.insert(slice.process);
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) {
      if (record.head.kind == wire::Kind::code_mapping) {
        code_.push_back({slice.process, record.head.time, body_of<wire::CodeMappingBody>(record), record.text});
      }
      const bool belongs = !all_.empty() && all_.back().process == slice.process;
      if (record.head.kind == wire::Kind::process_rank && belongs) {
        all_.back().rank = body_of<wire::ProcessRankBody>(record);  // it is written behind its process
      }
      if (record.head.kind != wire::Kind::process) continue;
      named.insert(slice.process);
      all_.push_back({slice.process, record.head.time, std::string(record.text), record.parent, record.cost_ns});
    }
  }
  for (const uint32_t process : met) {
    if (!named.contains(process)) all_.push_back({process, kAlways, {}, 0, 0});
  }
  std::ranges::stable_sort(code_, {}, &ReportedMapping::time);
  std::ranges::sort(all_, {}, [](const Image& i) { return std::tuple(i.process, i.since); });
}

uint32_t Images::at(uint32_t process, int64_t time) const {
  const auto behind = std::ranges::upper_bound(all_, std::tuple(process, time), {},
                                               [](const Image& i) { return std::tuple(i.process, i.since); });
  // What is older than the first image of its process belongs to that.
  const bool first = behind == all_.begin() || std::prev(behind)->process != process;
  return static_cast<uint32_t>((first ? behind : std::prev(behind)) - all_.begin());
}

}  // namespace sonde::record
