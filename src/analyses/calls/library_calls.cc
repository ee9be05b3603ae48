#include "analyses/calls/library_calls.h"

#include <algorithm>
#include <array>

#include "analyses/ranges/range_label.h"
#include "trace/columns.h"
#include "trace/rows_by_thread.h"

namespace sonde {
namespace {

constexpr auto kDomains = std::to_array<std::string_view>({
#define SONDE_LIBRARY_DOMAIN(name) name,
#include "analyses/calls/library_domains.inc"
#undef SONDE_LIBRARY_DOMAIN
});

std::string_view library_of(uint8_t call_class) {
  switch (static_cast<CallClass>(call_class)) {
    case CallClass::cublas: return "cuBLAS";
    case CallClass::cudnn: return "cuDNN";
    case CallClass::nccl: return "NCCL";
    default: return "other";
  }
}

void add_calls(const Trace& trace, std::vector<LibraryCall>& found) {
  const Calls& c = trace.library_calls;
  for (Row row = 0; row < row_count(c); ++row) {
    if (c.end[row] == kUnknown) continue;
    const ChainId chain = c.chain.empty() ? kNone : c.chain[row];
    found.push_back({c.start[row], c.end[row], c.thread[row], library_of(c.call_class[row]), c.name[row], chain});
  }
}

void add_ranges(const Trace& trace, std::vector<LibraryCall>& found) {
  std::vector<std::string_view> library(trace.domains.size());
  for (size_t d = 0; d < library.size(); ++d) {
    const auto* const known = std::ranges::find(kDomains, trace.name(trace.domains[d].name));
    if (known != kDomains.end()) library[d] = *known;
  }
  const Ranges& r = trace.ranges;
  for (Row row = 0; row < row_count(r); ++row) {
    const std::string_view of_domain = library[r.domain[row]];
    if (of_domain.empty() || !is_push_pop(r, row) || !is_closed(r, row)) continue;
    found.push_back({r.start[row], r.end[row], r.thread[row], of_domain, r.name[row], kNone});
  }
}

/// Finds the innermost library call around each API call of one thread.
class Sweep {
 public:
  Sweep(const Trace& trace, LibraryCalls& all) : trace_(trace), all_(all) {}

  void run(uint32_t first, uint32_t last, std::span<const Row> api_rows) {
    const Calls& api = trace_.api;
    open_.clear();
    for (const Row row : api_rows) {
      for (; first < last && all_.calls[first].start <= api.start[row]; ++first) open_.push_back(first);
      // A call that has ended holds nothing that begins from here on.
      while (!open_.empty() && all_.calls[open_.back()].end <= api.start[row]) open_.pop_back();
      const auto around = std::ranges::find_if(open_.rbegin(), open_.rend(),
                                               [&](uint32_t call) { return all_.calls[call].end >= api.end[row]; });
      if (around == open_.rend()) continue;
      all_.of_api[row] = *around;
      LibraryCall& call = all_.calls[*around];
      if (call.chain == kNone && !api.chain.empty()) call.chain = api.chain[row];
    }
  }

 private:
  const Trace& trace_;
  LibraryCalls& all_;
  std::vector<uint32_t> open_;
};

}  // namespace

LibraryCalls library_calls(const Trace& trace) {
  LibraryCalls all;
  add_calls(trace, all.calls);
  add_ranges(trace, all.calls);
  std::ranges::stable_sort(all.calls, {}, [](const LibraryCall& c) { return std::tuple(c.thread, c.start, -c.end); });
  all.of_api.assign(row_count(trace.api), kNone);
  const RowsByThread api(trace.api.thread, trace.threads.size());
  Sweep sweep(trace, all);
  for (uint32_t first = 0; first < all.calls.size();) {
    const ThreadId thread = all.calls[first].thread;
    uint32_t last = first;
    while (last < all.calls.size() && all.calls[last].thread == thread) ++last;
    if (thread < trace.threads.size()) sweep.run(first, last, api.rows_of(thread));
    first = last;
  }
  return all;
}

}  // namespace sonde
