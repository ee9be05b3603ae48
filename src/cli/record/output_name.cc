#include "cli/record/output_name.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "record/ranks/rank_parts.h"
#include "record/record.h"
#include "record/rounds/spool.h"

namespace sonde::record_cli {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

/// With which a name ends as files of nsys and ncu do (".nsys-rep"); empty where it does not.
std::string_view other_ending(std::string_view name) {
  constexpr auto kEndings =
      std::to_array<std::string_view>({".nsys-rep", ".qdrep", ".qdstrm", ".ncu-rep", ".ncu-repz"});
  const auto* const found = std::ranges::find_if(kEndings, [&](std::string_view e) { return name.ends_with(e); });
  return found == kEndings.end() ? std::string_view() : *found;
}

/// The profile that a name stands for.
Result<std::string> profile_of(std::string name) {
  std::error_code error;
  if (name.empty()) return fail("-o: the name is empty");
  if (name.ends_with('/') || std::filesystem::is_directory(name, error)) {
    return fail("-o {}: this is a folder; name a file in it, such as {}{}report", name, name,
                name.ends_with('/') ? "" : "/");
  }
  name.resize(name.size() - other_ending(name).size());
  if (!name.ends_with(".sqlite") && !name.ends_with(".db")) name += ".sqlite";
  return name;
}

/// The text with every macro but %n in its place; %n becomes `number`.
Result<std::string> expand(std::string_view pattern, int number) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      text += pattern[i];
      continue;
    }
    const char macro = i + 1 < pattern.size() ? pattern[++i] : '\0';
    const size_t close = pattern.find('}', i);
    if (macro == '%') {
      text += '%';
    } else if (macro == 'p') {
      text += record::kProcessMacro;
    } else if (macro == 'n') {
      text += std::to_string(number);
    } else if (macro == 'h') {
      text += host_name();
    } else if (macro == 'q' && pattern.substr(i).starts_with("q{") && close != std::string_view::npos) {
      const std::string name(pattern.substr(i + 2, close - i - 2));
      const char* value = getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nothing changes the environment here.
      if (value == nullptr && !record::names_rank(name)) return fail("-o: the environment has no variable {}", name);
      text += value == nullptr ? fmt::format("%q{{{}}}", name) : value;  // each recorded process has its own
      i = close;
    } else {
      return fail("-o: '%{}' in '{}' is not one of %n, %h, %p, %q{{NAME}} and %%", macro, pattern);
    }
  }
  return profile_of(std::move(text));
}

/// Whether another recorder will write it.
bool is_being_recorded(const std::filesystem::path& output) {
  const std::string spool = output.filename().string() + std::string(record::kSpoolEnding);
  std::error_code error;
  const auto folder = output.has_parent_path() ? output.parent_path() : std::filesystem::path(".");
  return std::ranges::any_of(std::filesystem::directory_iterator(folder, error),
                             [&](const auto& entry) { return entry.path().filename().string().starts_with(spool); });
}

}  // namespace

Result<std::string> recording_name(std::string_view pattern) {
  auto first = expand(pattern, 1);
  if (!first || *first == *expand(pattern, 2)) return first;
  constexpr int kMost = 100'000;
  for (int number = 1; number < kMost; ++number) {
    auto name = expand(pattern, number);
    if (!name || (!std::filesystem::exists(*name) && !is_being_recorded(*name))) return name;
  }
  return fail("-o: {} files '{}' already exist", kMost, pattern);
}

std::string pattern_of(std::string_view name) {
  std::string pattern;
  for (const char c : name) pattern += c == '%' ? "%%" : std::string(1, c);
  return pattern;
}

std::string word_of_ending(std::string_view option, std::string_view name, std::string_view output) {
  const std::string_view ending = other_ending(name);
  if (ending.empty()) return {};
  return fmt::format("{} {}: Sonde writes SQLite files in the schema of nsys, not {} files; the profile will be {}",
                     option, name, ending.substr(1), output);
}

/// A recovered recording is one profile, and its processes' numbers are no longer known.
Result<std::string> recovered_name(const std::string& recording, const std::optional<std::string>& output) {
  const size_t ending = recording.rfind(record::kSpoolEnding);
  const bool named = ending != std::string::npos && ending > 0;
  if (!output && !named) return fail("--recover {}: the name of the profile is unknown; give it with -o", recording);
  auto name = output ? recording_name(*output) : recording.substr(0, ending);
  if (!name) return name;
  if (output && name->contains(record::kProcessMacro)) {
    return fail("-o {}: the process ID (%p) is unknown in a recovered recording", *name);
  }
  if (record::has_rank_macro(*name)) {
    return fail("{}: a recovered recording is one profile of all ranks; give it a name without %q with -o", *name);
  }
  return name;
}

}  // namespace sonde::record_cli
