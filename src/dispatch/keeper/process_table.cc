#include "dispatch/keeper/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/files/descriptor.h"

namespace sonde::dispatch::keeper {
namespace {

Descriptor open_of(pid_t pid, const char* name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

/// The next number of a text of words, which is taken off it.
int64_t next_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(std::min(text.find(' '), text.size()));
  return value;
}

std::optional<pid_t> pid_of(std::string_view name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return pid;
}

}  // namespace

std::optional<Process> find_process(pid_t pid) {
  const Descriptor file = open_of(pid, "stat");
  std::array<char, 1024> buffer{};
  const ssize_t count = file ? read(file.get(), buffer.data(), buffer.size()) : 0;
  if (count <= 0) return std::nullopt;
  std::string_view text(buffer.data(), static_cast<size_t>(count));
  const size_t name_end = text.rfind(')');  // names hold anything, brackets too
  if (name_end == std::string_view::npos || name_end + 3 >= text.size()) return std::nullopt;
  Process process{.pid = pid, .state = text[name_end + 2]};
  text.remove_prefix(name_end + 3);
  process.parent = static_cast<pid_t>(next_number(text));
  process.group = static_cast<pid_t>(next_number(text));
  process.session = static_cast<pid_t>(next_number(text));
  constexpr int kBetweenSessionAndStart = 15;  // proc(5): fields 7 to 21
  for (int i = 0; i < kBetweenSessionAndStart; ++i) next_number(text);
  process.start_ticks = next_number(text);
  return process;
}

std::vector<Process> all_processes() {
  std::vector<Process> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return all;
  while (const dirent* entry = readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe): the stream is this call's own
    const auto pid = pid_of(&entry->d_name[0]);
    if (!pid) continue;
    if (auto process = find_process(*pid)) all.push_back(*process);
  }
  return all;
}

std::vector<Process> descendants_of(pid_t ancestor, const std::vector<Process>& all) {
  std::vector<Process> by_parent = all;
  std::ranges::sort(by_parent, {}, &Process::parent);
  std::vector<Process> found;
  const auto add_children = [&](pid_t parent) {
    const auto children = std::ranges::equal_range(by_parent, parent, {}, &Process::parent);
    found.insert(found.end(), children.begin(), children.end());
  };
  add_children(ancestor);
  // A table that was read while processes came and went can hold a circle.
  for (size_t i = 0; i < found.size() && found.size() <= all.size(); ++i) add_children(found[i].pid);
  return found;
}

std::string environment_of(pid_t pid) {
  const Descriptor file = open_of(pid, "environ");
  std::string text;
  std::array<char, 4096> buffer{};
  while (file) {
    const ssize_t count = read(file.get(), buffer.data(), buffer.size());
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  return text;
}

}  // namespace sonde::dispatch::keeper
