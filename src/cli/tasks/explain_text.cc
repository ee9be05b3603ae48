#include "cli/tasks/explain_text.h"

#include <algorithm>
#include <cmath>

#include "base/text/text_width.h"
#include "cli/tasks/amounts.h"
#include "cli/tasks/grid.h"
#include "cli/tasks/ids.h"
#include "report/text/sentence.h"

namespace sonde::tasks {
namespace {

constexpr size_t kExplainWidth = 100;

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

/// "gpu_0", and where the description has none its place.
std::string gpu_name(const Json& judgement) {
  const std::string id = text_of(judgement, "id");
  return id.empty() ? fmt::format("gpu_{}", whole_of(judgement, "index").value_or(0)) : id;
}

std::string score_text(const Json& judgement) {
  std::string words = text_of(judgement, "score_text");
  const auto score = number_of(judgement, "score");
  if (!score) return words;
  const std::string number = fmt::format("score {:.4g}", *score);
  return words.empty() ? number : fmt::format("{} ({})", words, number);
}

/// What a decision found of one GPU: why not, or how good.
std::string verdict(const Json& judgement) {
  const std::string score = score_text(judgement);
  if (flag_of(judgement, "chosen")) return "chosen" + (score.empty() ? "" : ": " + score);
  if (flag_of(judgement, "eligible")) return "eligible" + (score.empty() ? "" : ": " + score);
  return {};
}

class Text {
 public:
  explicit Text(size_t width) : width_(width == 0 ? kExplainWidth : width) {}

  void line(std::string_view text, size_t indent = 0) { text_ += wrapped(text, indent, width_); }

  /// "name   sentence", with the lines that follow under the sentence.
  void row(std::string_view name, size_t name_width, std::string_view sentence) {
    const size_t indent = name_width + 4;
    const std::string lines = wrapped(sentence, indent, std::max(width_, indent + 20));
    const size_t used = std::min(2 + text_width(name), indent);
    text_ += "  " + std::string(name) + std::string(indent - used, ' ') + lines.substr(std::min(lines.size(), indent));
  }
  void blank() { text_ += "\n"; }
  [[nodiscard]] std::string done() && { return std::move(text_); }

 private:
  size_t width_;
  std::string text_;
};

void add_gpus(const Json& judgements, Text& text) {
  size_t widest = 0;
  for (const Json& judgement : judgements) widest = std::max(widest, text_width(gpu_name(judgement)));
  for (const Json& judgement : judgements) {
    std::string name = gpu_name(judgement);
    if (const std::string good = verdict(judgement); !good.empty()) {
      text.row(name, widest, good);
      name.clear();
    }
    for (const Json& refusal : list_of(judgement, "refusals")) {
      const bool for_good = flag_of(refusal, "for_good");
      text.row(name, widest, text_of(refusal, "reason") + (for_good ? " (this does not change by itself)" : ""));
      name.clear();
    }
    if (!name.empty()) text.row(name, widest, "is not eligible");
  }
}

void add_queue(const Json& explanation, double now, Text& text) {
  if (const auto position = whole_of(explanation, "position")) {
    std::vector<int64_t> ahead;
    for (const Json& id : list_of(explanation, "ahead")) {
      if (id.is_number_integer()) ahead.push_back(id.get<int64_t>());
    }
    const bool more = static_cast<int64_t>(ahead.size()) < *position - 1;
    text.line(*position == 1 ? std::string("It is next in the queue.")
                             : fmt::format("It is number {} in the queue, after {}{}.", *position,
                                           ids_text(std::move(ahead)), more ? " and others" : ""));
  }
  const Json& start = member(explanation, "start");
  const auto likely = moment_of(start, "likely");
  const std::string unknown = text_of(explanation, "start_unknown");
  if (likely) {
    const std::string when =
        *likely <= now ? std::string("at any time")
                       : fmt::format("at {}, in {}", moment_text_here(likely, now), seconds_text(*likely - now));
    text.line(fmt::format("Expected start: {}. 80 % of tasks start within the predicted range, {} to {}.", when,
                          moment_text_here(moment_of(start, "earliest"), now),
                          moment_text_here(moment_of(start, "latest"), now)));
  } else if (!unknown.empty()) {
    text.line("Its start time is unknown: " + unknown);
  }
}

void add_decision(const Json& decision, double now, Text& text) {
  text.blank();
  text.line(fmt::format("Attempt {}, decided at {} by {}, with {} waiting:", whole_of(decision, "attempt").value_or(0),
                        moment_text_here(moment_of(decision, "moment"), now), text_of(decision, "strategy"),
                        whole_of(decision, "waiting").value_or(0)));
  if (const std::string note = text_of(decision, "note"); !note.empty()) text.line(capital(note), 2);
  add_gpus(list_of(decision, "gpus"), text);
}

}  // namespace

std::string explain_text(const Json& explanation, double now, size_t width) {
  Text text(width);
  text.line(capital(text_of(explanation, "summary")));
  add_queue(explanation, now, text);
  if (const Json& unblocks = list_of(explanation, "unblocks"); !unblocks.empty()) {
    text.blank();
    text.line("What would let it start:");
    for (const Json& what : unblocks) text.line("- " + text_of(Json{{"what", what}}, "what"), 2);
  }
  if (const Json& gpus = list_of(explanation, "gpus"); !gpus.empty()) {
    text.blank();
    text.line("The GPUs now:");
    add_gpus(gpus, text);
  }
  for (const Json& decision : list_of(explanation, "decisions")) add_decision(decision, now, text);
  return std::move(text).done();
}

}  // namespace sonde::tasks
