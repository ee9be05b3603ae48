#include "config/read.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include "base/files/yaml_documents.h"
#include "base/system/system_reason.h"
#include "base/text/suggest.h"
#include "config/checks.h"
#include "config/file_reader.h"
#include "config/utf8.h"
#include "config/value_reader.h"

namespace sonde::config {
namespace {

// What a person writes by hand has a few thousand bytes; more is another file, and would be read for minutes.
constexpr size_t kMaxFileBytes = size_t{1} << 20U;
// As many mistakes are looked for; a file with more of them is none of ours.
constexpr size_t kMaxProblems = 1000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Reads one file; collects its errors and continues.
class FileReader {
 public:
  void read(std::string_view yaml, const std::string& file) {
    if (yaml.starts_with(kByteOrderMark)) yaml.remove_prefix(kByteOrderMark.size());
    if (is_readable(yaml)) read_documents(std::string(yaml));
    if (out.reading.problems.empty()) check();
    std::ranges::stable_sort(out.reading.problems, {}, [](const Problem& p) { return std::tuple(p.line, p.column); });
    for (const Key& key : all_keys()) resolve_path(key, out.reading.config, folder_of(file));
  }

  FileReading out;

 private:
  void problem(const YAML::Mark& mark, std::string_view key, std::string message) {
    const bool nowhere = mark.is_null();
    out.reading.problems.push_back(
        {nowhere ? 1 : mark.line + 1, nowhere ? 1 : mark.column + 1, std::string(key), std::move(message)});
  }

  bool is_readable(std::string_view yaml) {
    const auto bad = first_bad_text(yaml);
    if (yaml.size() > kMaxFileBytes) {
      out.reading.problems.push_back(
          {0, 0, "", fmt::format("the file is larger than {} bytes; allowed: at most that size", kMaxFileBytes)});
    } else if (bad) {
      out.reading.problems.push_back(
          {bad->line, bad->column, "",
           fmt::format("the byte 0x{:02x} is not valid text; allowed: YAML in UTF-8", bad->byte)});
    }
    return out.reading.problems.empty();
  }

  void read_documents(const std::string& yaml) {
    try {
      read_document(YAML::Load(yaml));
      if (const auto second = second_yaml_document(yaml)) {
        problem(*second, "", "a second YAML document begins here (---); allowed: one");
      }
    } catch (const YAML::DeepRecursion& e) {
      problem(e.mark, "", "lists and keys are nested too deeply; allowed: a few hundred levels");
    } catch (const YAML::Exception& e) {
      problem(e.mark, "",
              fmt::format("not valid YAML: {}{}; allowed: KEY: VALUE, indented with spaces", e.msg,
                          is_indented_by_tab(yaml, e.mark.line) ? " (the line starts with a tab)" : ""));
    }
  }

  /// `line`: from 0.
  static bool is_indented_by_tab(const std::string& yaml, int line) {
    size_t begin = 0;
    for (; line > 0 && begin < yaml.size(); --line) begin = std::min(yaml.find('\n', begin), yaml.size() - 1) + 1;
    const size_t text = yaml.find_first_not_of(" \t", begin);
    return line == 0 &&
           yaml.substr(begin, text == std::string::npos ? text : text - begin).find('\t') != std::string::npos;
  }

  void read_document(const YAML::Node& document) {
    if (!document.IsNull()) read_section(document, "", YAML::Mark());
  }

  /// `place`: of the section's name, for what has none of its own.
  void read_section(const YAML::Node& node, const std::string& section, const YAML::Mark& place) {
    const std::vector<std::string_view> known = names_below(section);
    if (node.IsNull()) return;  // all of its keys may be commented out
    if (!node.IsMap()) {
      problem(node.Mark().is_null() ? place : node.Mark(), section,
              fmt::format("{}; allowed: the keys {}", stands_here(node), fmt::join(known, ", ")));
      return;
    }
    std::set<std::string> seen;
    for (const auto& entry : node) {
      if (out.reading.problems.size() >= kMaxProblems) return;
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
      const std::string path = section.empty() ? name : fmt::format("{}.{}", section, name);
      if (std::ranges::find(known, name) == known.end()) {
        read_unknown(entry.first, name, section, known);
      } else if (!seen.insert(name).second) {
        problem(entry.first.Mark(), path, "duplicate key; allowed: once");
      } else {
        read_entry(entry.first.Mark(), entry.second, path);
      }
    }
  }

  void read_entry(const YAML::Mark& name, const YAML::Node& value, const std::string& path) {
    const Key* key = find_key(path);
    if (key == nullptr) {
      read_section(value, path, name);
      return;
    }
    keep_place(path, name);
    if (key->rule.kind == Kind::task_types) keep_places_below(path, value);
    read_value(value, *key, out.reading.config, [&](const YAML::Mark& mark, std::string_view below, std::string says) {
      const bool has_place = !mark.is_null() && !value.IsNull();
      problem(has_place ? mark : name, below.empty() ? path : path + "." + one_line(below), std::move(says));
    });
  }

  void keep_place(const std::string& path, const YAML::Mark& mark) {
    out.places.emplace(path, Place{mark.line + 1, mark.column + 1});
  }

  /// Of the types and of their keys.
  void keep_places_below(const std::string& path, const YAML::Node& node) {
    constexpr size_t kDeepest = 4;  // dots of sonde.tasks.types.NAME.KEY, where a name has none
    if (!node.IsMap() || static_cast<size_t>(std::ranges::count(path, '.')) >= kDeepest) return;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) continue;
      const std::string inner = fmt::format("{}.{}", path, entry.first.Scalar());
      keep_place(inner, entry.first.Mark());
      keep_places_below(inner, entry.second);
    }
  }

  /// Names of a file stand in messages without quotation marks.
  static std::string one_line(std::string_view name) {
    const std::string shown = in_quotes(name);
    return shown.substr(1, shown.size() - 2);
  }

  /// Sections beside ours are left alone.
  void read_unknown(const YAML::Node& node, const std::string& name, const std::string& section,
                    std::span<const std::string_view> known) {
    if (section.empty()) return;
    const std::string path = node.IsScalar() ? fmt::format("{}.{}", section, one_line(name)) : section;
    const std::string what = node.IsScalar() ? "unknown key" : "a key must be a plain name";
    problem(node.Mark(), path, fmt::format("{}{}; allowed: {}", what, hint(name, known), fmt::join(known, ", ")));
  }

  static std::string hint(const std::string& name, std::span<const std::string_view> known) {
    constexpr size_t kLongest = 64;  // the search takes the product of the lengths
    if (name.empty() || name.size() > kLongest) return {};
    if (name == "<<") return " (merge keys are not supported: write the keys out)";
    for (const Key& key : all_keys()) {
      if (last_part(key.name) == name) return fmt::format(" ('{}' belongs under {})", name, section_of(key.name));
    }
    const auto best = nearest(name, known);
    return best ? fmt::format(" (did you mean '{}'?)", *best) : std::string();
  }

  void check() {
    check_together(out.reading.config, [&](std::string_view key, std::string_view other, std::string says) {
      const auto at = out.places.contains(key) ? out.places.find(key) : out.places.find(other);
      const Place place = at == out.places.end() ? Place() : at->second;
      out.reading.problems.push_back({place.line, place.column, std::string(key), std::move(says)});
    });
  }
};

/// The whole text of a file. Pipes are read too: shells make them of a command's output.
Result<std::string> text_of(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return fail("cannot read {}: it is a folder; name a file in it, such as {}", file,
                (std::filesystem::path(file) / "config.yaml").string());
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail("cannot open {}: {}", file, system_reason(errno));
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return fail("cannot read {}: {}", file, system_reason(errno));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

}  // namespace

std::string folder_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

FileReading read_file_text(std::string_view yaml, const std::string& file) {
  FileReader reader;
  reader.read(yaml, file);
  return std::move(reader.out);
}

Result<FileReading> load_file(const std::string& file) {
  if (file.empty()) return read_file_text("", file);
  const auto text = text_of(file);
  if (!text) return std::unexpected(text.error());
  FileReading reading = read_file_text(*text, file);
  const auto& problems = reading.reading.problems;
  if (!problems.empty()) return std::unexpected(Error{problems_text(problems, file)});
  return reading;
}

Reading read_config(std::string_view yaml, const std::string& file) { return read_file_text(yaml, file).reading; }

Result<Config> load_config(const std::string& file) {
  auto reading = load_file(file);
  if (!reading) return std::unexpected(std::move(reading).error());
  return std::move(reading->reading.config);
}

std::string problems_text(std::span<const Problem> problems, std::string_view file) {
  constexpr size_t kMaxLines = 100;  // as many as a person reads, and the log of a service should take
  std::vector<std::string> lines;
  for (const Problem& p : problems.first(std::min(problems.size(), kMaxLines))) {
    const std::string place = p.line == 0 ? std::string(file) : fmt::format("{}:{}:{}", file, p.line, p.column);
    lines.push_back(fmt::format("{}: {}{}{}", place, p.key, p.key.empty() ? "" : ": ", p.message));
  }
  if (problems.size() > kMaxLines) {
    lines.push_back(fmt::format("{}: and at least {} more", file, problems.size() - kMaxLines));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace sonde::config
