#include "findings/call_lists.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyses/api_label.h"

namespace sonde {

std::string names_of_calls(const Facts& facts, const std::vector<Row>& calls) {
  std::map<std::string, int64_t> counts;
  for (const Row row : calls) ++counts[std::string(api_label(facts.trace.name(facts.trace.api.name[row])))];
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text;
}

std::vector<Evidence> calls_as_evidence(const Facts& facts, std::vector<Row> calls) {
  constexpr size_t kMostEvidence = 10;
  const Calls& api = facts.trace.api;
  std::ranges::stable_sort(calls, std::greater(), [&](Row row) { return api.end[row] - api.start[row]; });
  calls.resize(std::min(calls.size(), kMostEvidence));
  std::vector<Evidence> evidence;
  for (const Row row : calls) {
    evidence.push_back({api.start[row], api.end[row],
                        fmt::format("thread {}", facts.trace.threads[api.thread[row]].tid),
                        std::string(api_label(facts.trace.name(api.name[row])))});
  }
  return evidence;
}

}  // namespace sonde
