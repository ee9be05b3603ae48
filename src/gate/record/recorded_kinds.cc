#include "gate/record/recorded_kinds.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text/lower_case.h"

namespace sonde::gate {
namespace {

using Kinds = std::set<std::string>;

struct EventType {
  std::string_view type, word;
};
struct Switch {
  std::string_view option, on, word;
};

constexpr auto kEventTypes = std::to_array<EventType>({
#define SONDE_EVENT_TYPE(type, word) {type, word},
#include "gate/record/recorded_kinds.inc"
});
constexpr auto kCaptureSwitches = std::to_array<Switch>({
#define SONDE_CAPTURE_SWITCH(option, on, word) {option, on, word},
#include "gate/record/recorded_kinds.inc"
});
constexpr auto kCommandSwitches = std::to_array<Switch>({
#define SONDE_COMMAND_SWITCH(option, on, word) {option, on, word},
#include "gate/record/recorded_kinds.inc"
});
constexpr auto kTables = std::to_array<EventType>({
#define SONDE_RECORDED_TABLE(table, word) {table, word},
#include "gate/record/recorded_kinds.inc"
});
constexpr auto kPytorchOptions = std::to_array<std::string_view>({
#define SONDE_PYTORCH_OPTION(name) name,
#include "gate/record/recorded_kinds.inc"
});

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// By the options that nsys keeps in an export. Empty where it has none.
Kinds kinds_of_options(const Rank& rank) {
  Kinds kinds;
  for (const auto& [name, value] : rank.capture) {
    if (name != "CAPTURE_EVENT_TYPE") continue;
    const auto* const known = std::ranges::find(kEventTypes, value, &EventType::type);
    kinds.insert(known == kEventTypes.end() ? lower_case(value) : std::string(known->word));
  }
  if (kinds.empty()) return kinds;
  for (const auto& [name, value] : rank.capture) {
    for (const Switch& s : kCaptureSwitches) {
      if (name.ends_with(s.option) && value == s.on) kinds.emplace(s.word);
    }
    if (name.contains("GPU_METRICS") && name.ends_with("DEVICES")) kinds.emplace("gpu-metrics");
  }
  return kinds;
}

/// By the command line of `nsys profile` that a report keeps. Empty where it is none.
Kinds kinds_of_command(std::string_view command) {
  const std::vector<std::string_view> words = parts_of(command, ' ');
  if (std::ranges::find(words, "profile") == words.end()) return {};
  std::string traced = option_value(command, "trace", "t");
  if (traced.empty()) traced = "cuda,opengl,nvtx,osrt";  // Nsight Systems User Guide, nsys profile --trace: the default
  Kinds kinds;
  for (const std::string_view word : parts_of(traced, ',')) {
    if (word != "none") kinds.emplace(word);
  }
  for (const Switch& s : kCommandSwitches) {
    const std::string option = option_value(command, s.option);
    const std::string_view value = std::string_view(option).substr(0, option.find(':'));  // node:host-only
    if (value == s.on || (s.on == "*" && !value.empty() && value != "none")) kinds.emplace(s.word);
  }
  return kinds;
}

Kinds kinds_held(const Rank& rank) {
  Kinds kinds;
  for (const auto& [table, rows] : rank.holds) {
    for (const EventType& known : kTables) {
      if (rows > 0 && table.starts_with(known.type)) kinds.emplace(known.word);
    }
  }
  for (const std::string_view option : kPytorchOptions) {
    if (capture_value(rank, option) == "1") kinds.emplace(option);
  }
  return kinds;
}

}  // namespace

std::string option_value(std::string_view command_line, std::string_view long_name, std::string_view short_name) {
  const std::vector<std::string_view> words = parts_of(command_line, ' ');
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool is_long = word.starts_with("--") && word.substr(2).starts_with(long_name);
    if (is_long && word.substr(2 + long_name.size()).starts_with('=')) {
      return std::string(word.substr(long_name.size() + 3));
    }
    const bool is_short = !short_name.empty() && word.size() == 2 && word[0] == '-' && word.substr(1) == short_name;
    const bool matches = is_short || (is_long && word.size() == long_name.size() + 2);
    if (matches && i + 1 < words.size()) return std::string(words[i + 1]);
  }
  return {};
}

std::string_view capture_value(const Rank& rank, std::string_view name) {
  const auto found = std::ranges::find(rank.capture, name, &std::pair<std::string, std::string>::first);
  if (found == rank.capture.end() || found->second == "(scrubbed)" || found->second == "unknown") return {};
  return found->second;
}

std::set<std::string> recorded_kinds(const Rank& rank) {
  Kinds kinds = kinds_of_options(rank);
  if (!kinds.empty()) return kinds;
  kinds = kinds_of_command(capture_value(rank, "COMMAND_LINE"));
  Kinds held = kinds_held(rank);
  if (kinds.empty()) return held;
  // Whether nsys may sample CPUs depends on the machine: it always finds some where it may.
  for (const std::string word : {"cpu samples", "cpuctxsw"}) {
    if (held.contains(word)) kinds.insert(word);
  }
  return kinds;
}

}  // namespace sonde::gate
