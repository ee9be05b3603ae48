#include "base/system/processor_set.h"

#include <algorithm>
#include <cerrno>

#include "base/system/system_reason.h"
#include "base/text/decimal.h"

namespace sonde {
namespace {

Status add_range(std::string_view range, ProcessorSet& set) {
  const size_t dash = range.find('-');
  const auto first = integer_of<size_t>(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : integer_of<size_t>(range.substr(dash + 1));
  if (!first || !last || *last < *first || *last >= CPU_SETSIZE) {
    return fail("'{}' is not a processor or a range of processors, such as 2 or 4-7", range);
  }
  for (size_t processor = *first; processor <= *last; ++processor) set.push_back(processor);
  return {};
}

}  // namespace

Result<ProcessorSet> parse_processors(std::string_view text) {
  ProcessorSet set;
  for (;;) {
    const size_t comma = text.find(',');
    SONDE_TRY(add_range(text.substr(0, comma), set));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::ranges::sort(set);
  const auto twice = std::ranges::unique(set);
  set.erase(twice.begin(), twice.end());
  return set;
}

std::string processors_text(const ProcessorSet& set) {
  std::string text;
  for (size_t first = 0; first < set.size();) {
    size_t last = first;
    while (last + 1 < set.size() && set[last + 1] == set[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", set[first]);
    if (last > first) text += fmt::format("-{}", set[last]);
    first = last + 1;
  }
  return text;
}

ProcessorSet allowed_processors() {
  ProcessorSet set;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return set;
  for (size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed)) set.push_back(processor);
  }
  return set;
}

OnProcessors::OnProcessors(const ProcessorSet& set) {
  if (set.empty()) return;
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const size_t processor : set) CPU_SET(processor, &wanted);
  changed_ = sched_getaffinity(0, sizeof before_, &before_) == 0 && sched_setaffinity(0, sizeof wanted, &wanted) == 0;
  if (!changed_) status_ = fail("cannot run on the processors {}: {}", processors_text(set), system_reason(errno));
}

OnProcessors::~OnProcessors() {
  if (changed_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace sonde
