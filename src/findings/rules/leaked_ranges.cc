#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>

#include <fmt/format.h>

#include "analyses/steps/range_turns.h"
#include "base/text/lower_case.h"
#include "findings/rule.h"
#include "trace/columns.h"

/// NVTX ranges that are pushed in a loop and not popped: each iteration's range lies in that of the iteration before.
/// NVTX keeps one stack per thread and domain, so a later pop ends the wrong range.
namespace sonde {
namespace leaked_ranges_finding {
namespace {

/// Ranges of one name in one another. Names of recursive parts ("level 1" in "level 0") nest as deep in real models;
/// those also need a sign below.
constexpr uint32_t kMinNested = 4;
/// How far up a range of the same name is looked for: ranges of other names that leak with it lie between.
constexpr int kMaxBetween = 4;
/// Words of names that stand for iterations of a loop, in lower case. Iterations follow one another.
constexpr std::array<std::string_view, 5> kLoopWords = {"iter", "step", "epoch", "batch", "frame"};

bool pushed_by_program(const Trace& trace, Row row) {
  const Ranges& r = trace.ranges;
  const DomainKind kind = trace.domains[r.domain[row]].kind;
  return r.style[row] == static_cast<uint8_t>(RangeStyle::push_pop) && r.thread[row] != kNone &&
         (kind == DomainKind::nvtx || kind == DomainKind::annotation);
}

bool is_open(const Ranges& r, Row row) { return r.end[row] == kUnknown; }

/// Names with numbers as '#'.
class Labels {
 public:
  explicit Labels(const Trace& trace) : trace_(trace), of_name_(trace.names.size(), kNone) {}

  uint32_t of(Row row) {
    uint32_t& id = of_name_[trace_.ranges.name[row]];
    if (id == kNone) {
      id = ids_.try_emplace(without_numbers(trace_.name(trace_.ranges.name[row])), static_cast<uint32_t>(ids_.size()))
               .first->second;
    }
    return id;
  }

 private:
  const Trace& trace_;
  Ids of_name_;
  std::map<std::string, uint32_t> ids_;
};

/// For each range: how many ranges of its name lie around it and in one another, and the innermost of them.
struct Nesting {
  Ids depth;
  Ids around;
};

/// A later iteration has the same name or a greater number: not the same or a smaller one.
bool can_follow(std::string_view before, std::string_view name) {
  return name == before || name.size() > before.size() || (name.size() == before.size() && name > before);
}

Nesting nesting_of(const Trace& trace, Labels& labels) {
  const Ranges& r = trace.ranges;
  Nesting nesting{Ids(row_count(r), 0), Ids(row_count(r), kNone)};
  for (Row row = 0; row < row_count(r); ++row) {
    if (!pushed_by_program(trace, row)) continue;
    nesting.depth[row] = 1;
    Row around = r.parent[row];
    for (int i = 0; i < kMaxBetween && around != kNone && labels.of(around) != labels.of(row); ++i)
      around = r.parent[around];
    if (around == kNone || labels.of(around) != labels.of(row)) continue;
    if (!can_follow(trace.name(r.name[around]), trace.name(r.name[row]))) continue;
    nesting.depth[row] = nesting.depth[around] + 1;
    nesting.around[row] = around;
  }
  return nesting;
}

/// Ranges of one name on one thread.
struct Leak {
  int64_t ranges = 0;  ///< of that name
  Row innermost = kNone;
  uint32_t nested = 0;
};

using Leaks = std::map<std::tuple<ThreadId, DomainId, uint32_t>, Leak>;

/// The deepest place of each name that nests.
Leaks deepest_places(const Trace& trace, const Nesting& nesting, Labels& labels) {
  const Ranges& r = trace.ranges;
  Leaks leaks;
  const auto key = [&](Row row) { return std::tuple(r.thread[row], r.domain[row], labels.of(row)); };
  for (Row row = 0; row < row_count(r); ++row) {
    if (nesting.depth[row] < kMinNested) continue;
    Leak& leak = leaks[key(row)];
    if (nesting.depth[row] > leak.nested) leak = {0, row, nesting.depth[row]};
  }
  if (leaks.empty()) return leaks;
  for (Row row = 0; row < row_count(r); ++row) {
    if (nesting.depth[row] == 0) continue;
    if (const auto found = leaks.find(key(row)); found != leaks.end()) ++found->second.ranges;
  }
  return leaks;
}

/// The ranges of a leak, the outermost first.
std::vector<Row> rows_of(const Leak& leak, const Nesting& nesting) {
  std::vector<Row> rows;
  for (Row row = leak.innermost; row != kNone; row = nesting.around[row]) rows.push_back(row);
  std::ranges::reverse(rows);
  return rows;
}

bool names_iterations(std::string_view name) {
  const std::string lower = lower_case(name);
  return std::ranges::any_of(kLoopWords, [&](std::string_view word) { return lower.contains(word); });
}

/// Ranges of recursive code nest as well. They are popped, and occur again.
bool is_leak(const Trace& trace, const Leak& leak, const std::vector<Row>& rows) {
  if (names_iterations(trace.name(trace.ranges.name[rows.front()]))) return true;
  const auto open = std::ranges::count_if(rows, [&](Row row) { return is_open(trace.ranges, row); });
  return 2 * open >= std::ssize(rows) && leak.ranges == std::ssize(rows);
}

std::vector<Evidence> evidence_of(const Facts& facts, const std::vector<Row>& rows) {
  const Ranges& r = facts.trace.ranges;
  std::vector<Evidence> evidence;
  for (const Row row : rows | std::views::take(kMaxEvidence)) {
    evidence.push_back({r.start[row], is_open(r, row) ? facts.run.second : r.end[row],
                        fmt::format("thread {}", facts.trace.threads[r.thread[row]].tid),
                        std::string(facts.trace.name(r.name[row]))});
  }
  return evidence;
}

std::string how_they_end(int64_t open) {
  return open > 0 ? fmt::format("{} have no end", open) : "later iterations pop them without a push";
}

Finding finding_of(const Facts& facts, const Leak& leak, const std::vector<Row>& rows) {
  const Trace& trace = facts.trace;
  const auto name = [&](Row row) { return std::string(trace.name(trace.ranges.name[row])); };
  const auto open = std::ranges::count_if(rows, [&](Row row) { return is_open(trace.ranges, row); });
  return {.id = "leaked_ranges",
          .arguments = {count_argument("nested", leak.nested), text_argument("name", without_numbers(name(rows[0]))),
                        text_argument("first", name(rows[0])), text_argument("second", name(rows[1])),
                        text_argument("end", how_they_end(open))},
          .takes_time = false,
          .evidence = evidence_of(facts, rows)};
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  // A finding on the whole run: its other parts do not repeat it.
  const Trace& trace = facts.trace;
  if (trace.ranges.parent.empty() || facts.extent.first != facts.parts.parts.front().extent.first) return;
  Labels labels(trace);
  const Nesting nesting = nesting_of(trace, labels);
  std::optional<Finding> worst;
  uint32_t most = 0;
  for (const auto& [place, leak] : deepest_places(trace, nesting, labels)) {
    const std::vector<Row> rows = rows_of(leak, nesting);
    if (leak.nested <= most || !is_leak(trace, leak, rows)) continue;
    most = leak.nested;
    worst = finding_of(facts, leak, rows);
  }
  if (worst) diagnosis.findings.push_back(std::move(*worst));
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"leaked_ranges.says",
     "NVTX ranges '{name}' are pushed and not popped in their iteration: {nested} of them lie in one another "
     "('{second}' in '{first}'), and {end}. Times by range, module and step count later iterations in earlier ones."},
    {"leaked_ranges.do",
     "Pop each range in the iteration and on the thread that pushed it: one nvtxRangePop "
     "(torch.cuda.nvtx.range_pop()) for each nvtxRangePush, also before continue, break, return and after exceptions. "
     "Scoped ranges cannot leak: with torch.cuda.nvtx.range(...), with nvtx.annotate(...), nvtx3::scoped_range in C++. "
     "Then record again."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"leaked_ranges"},
      .reports = "NVTX ranges are pushed without a pop, or popped by a later loop: each iteration's range lies in that "
                 "of the iteration before. Times by range, module and step are wrong.",
      .when = fmt::format("At least {} ranges of one name on one thread, apart from growing numbers in it, lie in one "
                          "another. The name contains `iter`, `step`, `epoch`, `batch` or `frame`; or at least half of "
                          "them have no end, and the thread has no other range of that name.",
                          kMinNested),
      .not_when = "Operators, modules and Python functions do not count: profilers end them.",
      .ceiling = "0: it costs no time.",
      .evidence = "The outermost of these ranges.",
      .min_percent = 0}};
}

}  // namespace
}  // namespace leaked_ranges_finding

extern const Rule leaked_ranges_rule;
const Rule leaked_ranges_rule{.name = "leaked_ranges",
                              .description = "NVTX ranges that are pushed in a loop and not popped",
                              .fields = Fields{Field::ranges, Field::range_links},
                              .checks = {},
                              .judge = &leaked_ranges_finding::judge,
                              .texts = leaked_ranges_finding::kTexts,
                              .docs = &leaked_ranges_finding::docs};

}  // namespace sonde
