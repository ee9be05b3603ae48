#include "dispatch/keeper/attempt_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/files/descriptor.h"

namespace sonde::dispatch::keeper {
namespace {

constexpr std::string_view kAttemptFirstLine = "sonde-attempt 1\n";
constexpr size_t kLongestMessage = 1200;

std::string checksum(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return std::to_string(hash);
}

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append("=").append(value).append("\n");
}
void append_field(std::string& text, std::string_view name, const std::optional<int64_t>& value) {
  if (value) append_field(text, name, std::to_string(*value));
}

std::string sealed(std::string text) {
  append_field(text, "sum", checksum(text));
  text.resize(kRecordBytes, '\0');
  return text;
}

/// The lines between the first one and the checksum; absent where they are not all there.
std::optional<std::string_view> unsealed(std::string_view block) {
  const size_t at = block.find("\nsum=");
  if (!block.starts_with(kAttemptFirstLine) || at == std::string_view::npos) return std::nullopt;
  const size_t end = block.find('\n', at + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view sum = block.substr(at + 5, end - at - 5);
  if (sum != checksum(block.substr(0, at + 1))) return std::nullopt;
  return block.substr(kAttemptFirstLine.size(), at + 1 - kAttemptFirstLine.size());
}

std::string_view value_of(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with('=')) return line.substr(name.size() + 1);
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return {};
}

std::optional<int64_t> number_of(std::string_view lines, std::string_view name) {
  const std::string_view text = value_of(lines, name);
  int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

/// Empty where there is none.
std::string read_block(int file, int64_t offset) {
  std::string block(kRecordBytes, '\0');
  const ssize_t count = pread(file, block.data(), block.size(), offset);
  block.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return block;
}

}  // namespace

std::string record_text(const KeeperRecord& record) {
  std::string text(kAttemptFirstLine);
  if (record.is_worker_request) append_field(text, "worker", "1");
  append_field(text, "boot", record.boot);
  append_field(text, "keeper", record.keeper);
  append_field(text, "keeper_start", record.keeper_start);
  if (record.task > 0) append_field(text, "task", record.task);
  if (record.task > 0) append_field(text, "task_start", record.task_start);
  append_field(text, "attempt", record.attempt);
  return sealed(std::move(text));
}

std::string record_text(const EndRecord& record) {
  std::string message = record.message.substr(0, kLongestMessage);
  std::ranges::replace_if(message, [](char c) { return c == '\n' || c == '\0'; }, ' ');
  std::string text(kAttemptFirstLine);
  append_field(text, "cause", record.cause);
  append_field(text, "exit_status", record.exit_status);
  append_field(text, "signal", record.signal);
  append_field(text, "message", message);
  append_field(text, "ended_ns", record.ended_ns);
  append_field(text, "attempt", record.attempt);
  return sealed(std::move(text));
}

std::optional<KeeperRecord> parse_keeper_record(std::string_view block) {
  const auto lines = unsealed(block);
  if (!lines) return std::nullopt;
  return KeeperRecord{.is_worker_request = value_of(*lines, "worker") == "1",
                      .boot = std::string(value_of(*lines, "boot")),
                      .keeper = number_of(*lines, "keeper").value_or(0),
                      .keeper_start = number_of(*lines, "keeper_start").value_or(0),
                      .task = number_of(*lines, "task").value_or(0),
                      .task_start = number_of(*lines, "task_start").value_or(0),
                      .attempt = std::string(value_of(*lines, "attempt"))};
}

std::optional<EndRecord> parse_end_record(std::string_view block) {
  const auto lines = unsealed(block);
  if (!lines) return std::nullopt;
  return EndRecord{.cause = std::string(value_of(*lines, "cause")),
                   .exit_status = number_of(*lines, "exit_status"),
                   .signal = number_of(*lines, "signal"),
                   .message = std::string(value_of(*lines, "message")),
                   .ended_ns = number_of(*lines, "ended_ns").value_or(0),
                   .attempt = std::string(value_of(*lines, "attempt"))};
}

bool write_record(int file, int64_t offset, std::string_view text) {
  return pwrite(file, text.data(), text.size(), offset) == static_cast<ssize_t>(text.size());
}

std::optional<KeeperRecord> read_keeper_record(int file, std::string_view attempt) {
  auto record = parse_keeper_record(read_block(file, kKeeperOffset));
  return record && record->attempt == attempt ? std::move(record) : std::nullopt;
}

std::optional<EndRecord> read_end_record(int file, std::string_view attempt) {
  auto record = parse_end_record(read_block(file, kEndOffset));
  return record && record->attempt == attempt ? std::move(record) : std::nullopt;
}

std::string attempt_name(int64_t task, int64_t attempt) { return std::to_string(task) + "." + std::to_string(attempt); }

}  // namespace sonde::dispatch::keeper
