#include "record/ranks/rank_parts.h"

#include <algorithm>
#include <map>
#include <optional>

#include "record/cpu/perf_records.h"
#include "record/images.h"
#include "record/python/records.h"
#include "wire/rank_variables.h"

namespace sonde::record {
namespace {

constexpr std::string_view kMacroBegin = "%q{";
constexpr std::string_view kWithoutRank = "launcher";

bool names_local_rank(std::string_view variable) {
  return !variable.empty() && std::ranges::any_of(wire::kRankVariables, [&](const wire::RankVariables& row) {
    return variable == row.local_rank;
  });
}

struct Macro {
  size_t at;
  size_t bytes;
  std::string_view variable;
};

std::optional<Macro> next_macro(std::string_view text) {
  for (size_t at = text.find(kMacroBegin); at != std::string_view::npos; at = text.find(kMacroBegin, at + 1)) {
    const size_t close = text.find('}', at);
    if (close == std::string_view::npos) return {};
    const auto variable = text.substr(at + kMacroBegin.size(), close - at - kMacroBegin.size());
    if (names_rank(variable)) return Macro{at, close + 1 - at, variable};
  }
  return {};
}

/// Local ranks that are not known are as ranks.
std::string output_for(std::string output, const std::optional<wire::ProcessRankBody>& rank) {
  while (const auto macro = next_macro(output)) {
    const bool local = rank && names_local_rank(macro->variable) && rank->local_rank >= 0;
    const std::string value = rank ? std::to_string(local ? rank->local_rank : rank->rank) : std::string(kWithoutRank);
    output.replace(macro->at, macro->bytes, value);
  }
  return output;
}

/// Whose records are kept of those that are not one process's.
uint32_t process_of(const PerfRecord& record) { return record.process; }
std::optional<uint32_t> process_of(const python::PythonRecord& record) {
  return record.kind == python::RecordKind::sample ? std::optional(record.sample.process) : std::nullopt;
}

/// The kept records of a slice, as slices.
template <typename Record, typename RecordsReader>
void add_kept(const Slice& slice, RecordsReader reader, const std::set<uint32_t>& processes, std::vector<Slice>& kept) {
  Record record;
  size_t left = reader.left();
  const size_t first = kept.size();
  while (reader.next(record)) {
    const auto bytes = slice.records.subspan(slice.records.size() - left, left - reader.left());
    left = reader.left();
    const std::optional<uint32_t> process = process_of(record);
    if (process && !processes.contains(*process)) continue;
    const bool adjoins = kept.size() > first && kept.back().records.data() + kept.back().records.size() == bytes.data();
    if (adjoins) {
      kept.back().records = {kept.back().records.data(), kept.back().records.size() + bytes.size()};
    } else {
      kept.push_back({slice.process, slice.thread, bytes, slice.mark});
    }
  }
}

}  // namespace

bool names_rank(std::string_view variable) {
  return names_local_rank(variable) || std::ranges::any_of(wire::kRankVariables, [&](const wire::RankVariables& row) {
           return variable == row.rank;
         });
}

bool has_rank_macro(std::string_view output) { return next_macro(output).has_value(); }

std::vector<RankPart> rank_parts(const Slices& slices, const std::string& output) {
  struct Place {
    std::optional<int32_t> rank;
    std::string output;
    auto operator<=>(const Place&) const = default;
  };
  const Images images(slices);
  std::map<uint32_t, std::optional<wire::ProcessRankBody>> of_process;
  for (const Image& image : images.all()) {
    auto& rank = of_process[image.process];
    if (image.rank) rank = image.rank;
  }
  std::map<Place, std::set<uint32_t>> places;
  for (const auto& [process, rank] : of_process) {
    const auto number = rank ? std::optional(rank->rank) : std::nullopt;
    places[{number, output_for(output, rank)}].insert(process);
  }
  if (places.empty()) return {{output_for(output, std::nullopt), {}}};
  std::vector<RankPart> parts;
  for (auto& [place, processes] : places) parts.push_back({place.output, std::move(processes)});
  return parts;
}

Slices slices_of(const Slices& slices, const std::set<uint32_t>& processes) {
  Slices part;
  part.let_go = slices.let_go;
  part.unread_bytes = slices.unread_bytes;
  std::ranges::copy_if(slices.all, std::back_inserter(part.all),
                       [&](const Slice& slice) { return processes.contains(slice.process); });
  for (const Slice& slice : slices.cpu) {
    add_kept<PerfRecord>(slice, PerfReader(slice.records, PerfReader::Samples::chain), processes, part.cpu);
  }
  for (const Slice& slice : slices.python) {
    add_kept<python::PythonRecord>(slice, python::RecordReader(slice.records), processes, part.python);
  }
  return part;
}

}  // namespace sonde::record
