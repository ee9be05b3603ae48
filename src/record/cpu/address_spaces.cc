#include "record/cpu/address_spaces.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <limits>
#include <ranges>

namespace sonde::record {
namespace {

constexpr uint32_t kNoSpace = std::numeric_limits<uint32_t>::max();

}  // namespace

void AddressSpaces::add(const PerfRecord& record) {
  switch (record.type) {
    case PERF_RECORD_MMAP2: map(record); return;
    case PERF_RECORD_COMM:
      if ((record.misc & PERF_RECORD_MISC_COMM_EXEC) != 0) begin(record.process, record.time, kNoSpace);
      return;
    case PERF_RECORD_FORK:
      if (record.process != record.parent) begin(record.process, record.time, image(record.parent, record.time));
      return;
    default: return;
  }
}

uint32_t AddressSpaces::begin(uint32_t process, int64_t time, uint32_t parent) {
  const auto number = static_cast<uint32_t>(spaces_.size());
  spaces_.push_back({.since = time, .parent = parent, .longest = 0, .mappings = {}, .replacements = {}});
  of_process_[process].push_back(number);
  return number;
}

void AddressSpaces::map(const PerfRecord& record) {
  uint32_t number = image(record.process, record.time);
  if (number == kNoSpace) number = begin(record.process, record.time, kNoSpace);
  Space& space = spaces_[number];
  const Mapping mapping{record.address + record.length, record.offset, record.time, file_of(record)};
  const auto [first, last] = space.mappings.equal_range(record.address);
  if (first != last && std::prev(last)->second == mapping) return;
  if (space.has_any(record.address, mapping.end)) space.replacements.push_back(record.time);
  space.mappings.emplace(record.address, mapping);
  space.longest = std::max(space.longest, record.length);
}

bool AddressSpaces::Space::has_any(uint64_t begin, uint64_t end) const {
  for (auto at = mappings.lower_bound(end); at != mappings.begin();) {
    --at;
    if (at->second.end > begin) return true;
    if (at->first + longest <= begin) return false;
  }
  return false;
}

uint64_t AddressSpaces::era(uint32_t process, int64_t time) const {
  constexpr uint32_t kImageShift = 32;
  const uint32_t number = image(process, time);
  if (number == kNoSpace) return number;
  const std::vector<int64_t>& replacements = spaces_[number].replacements;
  const auto before = std::ranges::upper_bound(replacements, time) - replacements.begin();
  return uint64_t{number} << kImageShift | static_cast<uint64_t>(before);
}

FileId AddressSpaces::file_of(const PerfRecord& record) {
  FileIdentity identity{std::string(record.text),
                        std::string(reinterpret_cast<const char*>(record.build_id.data()), record.build_id.size()),
                        record.inode};
  const auto [found, fresh] = known_files_.try_emplace(identity, static_cast<FileId>(files_.size()));
  if (fresh) files_.push_back(std::move(identity));
  return found->second;
}

/// What is older than the first image of its process belongs to that.
uint32_t AddressSpaces::image(uint32_t process, int64_t time) const {
  const auto found = of_process_.find(process);
  if (found == of_process_.end()) return kNoSpace;
  const auto& numbers = found->second;
  for (const uint32_t number : std::views::reverse(numbers)) {
    if (spaces_[number].since <= time) return number;
  }
  return numbers.front();
}

std::optional<CodePlace> AddressSpaces::find(uint32_t process, int64_t time, uint64_t address) const {
  for (uint32_t number = image(process, time); number != kNoSpace; number = spaces_[number].parent) {
    const Space& space = spaces_[number];
    const Mapping* newest = nullptr;
    uint64_t begin = 0;
    for (auto at = space.mappings.upper_bound(address); at != space.mappings.begin();) {
      --at;
      if (at->first + space.longest < at->first || at->first + space.longest <= address) break;
      const Mapping& mapping = at->second;
      const bool counts = address < mapping.end && mapping.since <= time;
      if (!counts || (newest != nullptr && mapping.since <= newest->since)) continue;
      newest = &mapping;
      begin = at->first;
    }
    if (newest != nullptr) return CodePlace{newest->file, address - begin + newest->offset};
    time = std::min(time, space.since);
  }
  return {};
}

}  // namespace sonde::record
