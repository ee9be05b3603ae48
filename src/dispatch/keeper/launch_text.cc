#include "dispatch/keeper/launch_text.h"

#include <charconv>

namespace sonde::dispatch::keeper {
namespace {

constexpr std::string_view kLaunchFirstLine = "sonde-launch 1\n";

void append(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(" ").append(std::to_string(value.size())).append("\n").append(value).append("\n");
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes "NAME LENGTH\nVALUE\n" off the front.
bool take(std::string_view& text, std::string_view& name, std::string_view& value) {
  const size_t space = text.find(' ');
  const size_t line = text.find('\n');
  if (line == std::string_view::npos || space > line) return false;
  const auto length = number(text.substr(space + 1, line - space - 1));
  const std::string_view rest = text.substr(line + 1);
  if (!length || *length < 0 || static_cast<size_t>(*length) >= rest.size()) return false;
  name = text.substr(0, space);
  value = rest.substr(0, static_cast<size_t>(*length));
  text = rest.substr(value.size() + 1);
  return true;
}

bool set(KeeperLaunch& launch, std::string_view name, std::string_view value) {
  if (name == "word") launch.command.emplace_back(value);
  if (name == "environment") launch.environment.emplace_back(value);
  if (name == "folder") launch.folder = value;
  if (name == "output") launch.output = value;
  for (const auto& [key, member] : {std::pair{"time_limit_ns", &KeeperLaunch::time_limit_ns},
                                    {"grace_ns", &KeeperLaunch::grace_ns},
                                    {"output_limit_bytes", &KeeperLaunch::output_limit_bytes},
                                    {"task", &KeeperLaunch::task},
                                    {"attempt", &KeeperLaunch::attempt}}) {
    if (name != key) continue;
    const auto read = number(value);
    if (!read) return false;
    launch.*member = *read;
  }
  return true;
}

}  // namespace

std::string launch_text(const KeeperLaunch& launch) {
  std::string text(kLaunchFirstLine);
  for (const std::string& word : launch.command) append(text, "word", word);
  for (const std::string& variable : launch.environment) append(text, "environment", variable);
  append(text, "folder", launch.folder);
  append(text, "output", launch.output);
  append(text, "time_limit_ns", std::to_string(launch.time_limit_ns));
  append(text, "grace_ns", std::to_string(launch.grace_ns));
  append(text, "output_limit_bytes", std::to_string(launch.output_limit_bytes));
  append(text, "task", std::to_string(launch.task));
  append(text, "attempt", std::to_string(launch.attempt));
  return text;
}

std::optional<KeeperLaunch> parse_launch(std::string_view text) {
  if (!text.starts_with(kLaunchFirstLine)) return std::nullopt;
  text.remove_prefix(kLaunchFirstLine.size());
  KeeperLaunch launch;
  std::string_view name;
  std::string_view value;
  while (!text.empty()) {
    if (!take(text, name, value) || !set(launch, name, value)) return std::nullopt;
  }
  if (launch.command.empty()) return std::nullopt;
  return launch;
}

}  // namespace sonde::dispatch::keeper
