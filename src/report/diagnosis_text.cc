#include "report/diagnosis_text.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <vector>

#include <fmt/args.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "findings/texts.h"
#include "report/join_text.h"
#include "report/quantity.h"
#include "report/text_width.h"

namespace sonde {
namespace {

constexpr size_t kUsualWidth = 100;

/// A name in at most `width` characters; of names with shares ("NAME 12 %, NAME 3 %") the long ones are cut, each for
/// itself.
std::string cut_names(std::string_view text, size_t width) {
  constexpr std::string_view kBetween = " %, ";
  std::vector<std::string> names;
  for (const auto name : std::views::split(text, kBetween)) names.emplace_back(std::string_view(name));
  const auto joined = [&](size_t room) {
    std::vector<std::string> cut;
    for (const std::string& name : names) cut.push_back(cut_middle(name, room));
    return fmt::format("{}", fmt::join(cut, kBetween));
  };
  size_t room = width;
  while (room > 1 && text_width(joined(room)) > width) --room;
  return joined(room);
}

std::string argument_text(const Argument& a) {
  constexpr size_t kLongestName = 120;
  if (!a.text.empty()) return cut_names(a.text, kLongestName);
  switch (a.unit) {
    case Unit::nanoseconds: return time_text(a.number);
    case Unit::bytes: return bytes_text(a.number);
    case Unit::percent: return percent_text(a.number, 100);
    case Unit::gigabytes_per_second: return rate_text(a.number * 1e9);
    default: return count_text(static_cast<int64_t>(a.number));
  }
}

bool is_number(std::string_view word) { return word.find_first_not_of("0123456789.,") == std::string_view::npos; }

/// Breaks `text` between words, not between a number and its unit; each line begins with `indent` blanks.
std::string wrapped(std::string_view text, size_t indent, size_t width) {
  std::string lines;
  std::string line;
  const auto end_line = [&] {
    lines += std::string(indent, ' ') + line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    size_t blank = std::min(text.find(' '), text.size());
    if (is_number(text.substr(0, blank))) blank = std::min(text.find(' ', blank + 1), text.size());
    const std::string_view word = text.substr(0, blank);
    if (!line.empty() && indent + text_width(line) + 1 + text_width(word) > width) end_line();
    line += fmt::format("{}{}", line.empty() ? "" : " ", word);
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  if (!line.empty()) end_line();
  return lines;
}

/// What was judged: "run.sqlite: 19 of 20 x 'iteration', 96.0 ms on 1 GPU".
std::string heading(const Facts& facts) {
  std::string part;
  if (facts.steps) {
    const int64_t steady = facts.steps->iterations - facts.steps->slow_iterations;
    part =
        fmt::format("{} of {} x '{}', ", count_text(steady), count_text(facts.steps->iterations), facts.steps->range);
  }
  return fmt::format("{}: {}{} on {}\n", facts.trace.ranks.front().file, part,
                     time_text(static_cast<double>(facts.wall_ns())),
                     counted(static_cast<int64_t>(facts.gpus.gpus.size()), "GPU"));
}

std::string where_text(const Facts& facts, const Finding& finding) {
  if (finding.evidence.empty()) return {};
  const Evidence& first = finding.evidence.front();
  return fmt::format("longest: {} at {} on {}{}{}", time_text(static_cast<double>(first.end_ns - first.start_ns)),
                     time_text(static_cast<double>(first.start_ns - facts.run.first)), first.place,
                     first.what.empty() ? "" : ", in ", first.what);
}

/// "at most 52.2 ms (18.2 % of this time)".
std::string ceiling_text(const Facts& facts, const Finding& finding) {
  if (!finding.takes_time) return "takes no time yet";
  return fmt::format("{} {} ({} of this time)",
                     finding.reachable ? "at most" : "bound:", time_text(static_cast<double>(finding.ceiling_ns)),
                     percent_text(facts.percent_of_wall(finding.ceiling_ns), 100));
}

std::string finding_text(const Facts& facts, const Finding& finding, size_t number, size_t width) {
  constexpr size_t kIndent = 4;
  std::string text = fmt::format("{}. {}  {}\n", number, ceiling_text(facts, finding), finding.id);
  text += wrapped(text_of(finding.id + ".says", finding.arguments), kIndent, width);
  text += wrapped(where_text(facts, finding), kIndent, width);
  text += wrapped("-> " + text_of(finding.id + ".do", finding.arguments), kIndent, width);
  return text;
}

/// Rules that abstain for one reason stand together.
std::string abstentions_text(const std::vector<Abstention>& abstentions, size_t width) {
  std::vector<std::pair<std::string, std::string>> reasons;  // reason, rules
  for (const Abstention& a : abstentions) {
    const std::string reason = text_of(a.id + ".says", a.arguments);
    const auto known = std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
    if (known == reasons.end()) {
      reasons.emplace_back(reason, a.rule);
    } else {
      known->second += fmt::format(", {}", a.rule);
    }
  }
  std::string text;
  for (const auto& [reason, rules] : reasons) {
    text += '\n' + wrapped(fmt::format("no conclusion by {}: {}", rules, reason), 0, width);
  }
  return text;
}

}  // namespace

std::string text_of(std::string_view id, const std::vector<Argument>& arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const Argument& a : arguments) store.push_back(fmt::arg(a.name.c_str(), argument_text(a)));
  return fmt::vformat(catalogue_text(id), store);
}

std::string diagnosis_text(const Facts& facts, const Diagnosis& diagnosis, size_t most, const RenderOptions& options) {
  const size_t width = options.width == 0 ? kUsualWidth : options.width;
  std::string text = heading(facts);
  if (facts.kernels) text += wrapped(matched_text(facts.kernels->counts), 0, width);
  if (diagnosis.findings.empty() && !facts.gpus.gpus.empty()) text += "\nNo rule found anything worth a fix.\n";
  const size_t shown = std::min(most, diagnosis.findings.size());
  for (size_t i = 0; i < shown; ++i) text += '\n' + finding_text(facts, diagnosis.findings[i], i + 1, width);
  if (shown < diagnosis.findings.size()) {
    text += fmt::format("\n{} more: sonde why --all\n", diagnosis.findings.size() - shown);
  }
  if (!diagnosis.not_recorded.empty()) {
    const std::string names = fmt::format("{}", fmt::join(diagnosis.not_recorded, ", "));
    text += '\n' + wrapped("not recorded, and so not looked at: " + names, 0, width);
  }
  return text + abstentions_text(diagnosis.abstentions, width);
}

}  // namespace sonde
