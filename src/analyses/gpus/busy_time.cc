#include "analyses/gpus/busy_time.h"

#include <algorithm>
#include <functional>

#include "base/system/sort_runs.h"

namespace sonde {

void merge_spans(std::vector<Span>& spans) {
  sort_runs(spans, std::identity());
  size_t kept = 0;
  for (const Span& span : spans) {
    if (kept > 0 && span.first <= spans[kept - 1].second) {
      spans[kept - 1].second = std::max(spans[kept - 1].second, span.second);
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
}

int64_t overlap_ns(std::span<const Span> a, std::span<const Span> b) {
  int64_t total = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    total += std::max<int64_t>(0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    if (a[i].second < b[j].second) {
      ++i;
    } else {
      ++j;
    }
  }
  return total;
}

int64_t total_ns(std::span<const Span> spans) {
  int64_t total = 0;
  for (const Span& span : spans) total += span.second - span.first;
  return total;
}

std::vector<Span> uncovered_parts(Span span, std::span<const Span> covering) {
  std::vector<Span> parts;
  auto next = std::ranges::upper_bound(covering, span.first, {}, &Span::second);
  int64_t at = span.first;
  for (; next != covering.end() && next->first < span.second; ++next) {
    if (next->first > at) parts.emplace_back(at, next->first);
    at = std::max(at, next->second);
  }
  if (at < span.second) parts.emplace_back(at, span.second);
  return parts;
}

int64_t covered_ns(Span extent, std::span<const Span> spans) {
  return extent.second - extent.first - total_ns(uncovered_parts(extent, spans));
}

int64_t union_ns(std::vector<Span>& spans) {
  merge_spans(spans);
  return total_ns(spans);
}

}  // namespace sonde
