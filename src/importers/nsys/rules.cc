#include "importers/nsys/rules.h"

#include <algorithm>

namespace sonde::nsys {
SyncKind sync_kind(bool has_stream, bool has_event) {
  if (has_stream) return has_event ? SyncKind::stream_waits_event : SyncKind::stream;
  return has_event ? SyncKind::event : SyncKind::device;
}

uint8_t class_of_api(int64_t event_class) {
  if (event_class == kBacktrace) return kBacktraceRow;
  return static_cast<uint8_t>(event_class == kDriver ? CallClass::driver : CallClass::runtime);
}

bool has_backtrace_rows(const Calls& calls, size_t first) {
  const auto fresh = std::span(calls.call_class).subspan(first);
  return std::ranges::find(fresh, kBacktraceRow) != fresh.end();
}

void drop_backtrace_twins(NsysRun& run, size_t first) {
  const Trace& trace = run.trace();
  Calls& calls = run.trace().api;
  using Key = std::pair<ProcessId, uint32_t>;
  boost::unordered_flat_map<Key, Row> twins;
  const auto key_of = [&](Row row) {
    return Key{calls.thread[row] == kNone ? kNone : trace.threads[calls.thread[row]].process, calls.correlation[row]};
  };
  for (auto row = static_cast<Row>(first); row < row_count(calls); ++row) {
    if (calls.call_class[row] != kBacktraceRow) twins.try_emplace(key_of(row), row);
  }
  std::vector<Row> kept;
  for (Row row = 0; row < row_count(calls); ++row) {
    const auto twin = calls.call_class[row] == kBacktraceRow ? twins.find(key_of(row)) : twins.end();
    if (twin == twins.end()) {
      kept.push_back(row);
      if (calls.call_class[row] == kBacktraceRow) calls.call_class[row] = static_cast<uint8_t>(CallClass::runtime);
    } else if (!calls.chain.empty()) {
      calls.chain[twin->second] = calls.chain[row];
    }
  }
  select_rows(calls, kept);
  run.forget_names(calls.name);
  run.names_from(calls.name, first);
}

void append_ranges(NsysRun& run, std::span<NvtxPart> parts) {
  for (const NvtxPart& part : parts) {
    for (const DomainName& name : part.domain_names) run.name_domain(name.key, name.text);
  }
  for (NvtxPart& part : parts) {
    const IdMap keys = run.adopt(part);
    run.append(std::move(part.rows), keys, run.trace().ranges, {&Ranges::name});
    run.append(std::move(part.marks), keys, run.trace().marks, {&Marks::name});
    for (const CategoryName& category : part.categories) {
      run.trace().categories.push_back({.start = category.start,
                                        .thread = run.thread(category.thread),
                                        .domain = run.domain(category.domain),
                                        .number = category.number,
                                        .name = run.trace().names.intern(category.text)});
    }
  }
}

void append_diagnostics(NsysRun& run, Part<Diagnostics>& part) {
  constexpr int32_t kWarning = 2;
  const auto warnings = std::ranges::count_if(part.rows.severity, [](int32_t s) { return s >= kWarning; });
  const IdMap keys = run.adopt(part);
  run.append(std::move(part.rows), keys, run.trace().diagnostics, {&Diagnostics::text});
  run.trace().log.add(Issue::tool_warning, {}, warnings);
}

void note_missing_gpu_work(ImportLog& log, Recorded recorded) {
  if (recorded.api_calls && !recorded.gpu_work) log.add(Issue::no_gpu_activity);
  if (recorded.whole_graphs) log.add(Issue::graphs_traced_whole);
}

std::optional<int64_t> time_zone(int64_t seconds) {
  constexpr int64_t kMost = int64_t{14} * 3600;  // Kiribati
  return seconds >= -kMost && seconds <= kMost ? std::optional(seconds) : std::nullopt;
}

}  // namespace sonde::nsys
