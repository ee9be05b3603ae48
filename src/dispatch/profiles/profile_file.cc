#include "dispatch/profiles/profile_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sonde::dispatch::profiles {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::string_view kName = "profile";
constexpr size_t kMaxBytes = 256 << 10;
constexpr std::ptrdiff_t kMaxFindings = 20;
/// Less is not worth a number.
constexpr double kMinPercent = 0.5;

void replace_all(std::string& text, std::string_view name, const std::string& value) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value);
  }
}

std::string text_of(const Json& finding, const char* name) {
  const auto value = finding.find(name);
  return value != finding.end() && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

std::string output_path(const std::string& folder) { return fmt::format("{}/{}", folder, kName); }

std::optional<ProfileFile> find_profile(const std::string& folder) {
  std::error_code error;
  std::optional<ProfileFile> newest;
  fs::file_time_type newest_time;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    // SQLite's own files come and go beside a database.
    if (!name.starts_with(fmt::format("{}.", kName)) || name.contains(".sqlite-") ||
        entry->symlink_status(error).type() != fs::file_type::regular) {
      continue;
    }
    const auto time = entry->last_write_time(error);
    const auto bytes = entry->file_size(error);
    if (error || (newest && time <= newest_time)) continue;
    newest = ProfileFile{.path = entry->path().string(), .bytes = static_cast<int64_t>(bytes)};
    newest_time = time;
  }
  return newest;
}

std::vector<std::string> filled_words(const std::vector<std::string>& words, const Filling& filling) {
  std::vector<std::string> filled = words;
  for (std::string& word : filled) {
    replace_all(word, "{output}", filling.output);
    if (!filling.pid.empty()) replace_all(word, "{pid}", filling.pid);
    if (!filling.seconds.empty()) replace_all(word, "{seconds}", filling.seconds);
  }
  return filled;
}

Result<std::string> findings_of(const std::string& document) {
  const Json json = Json::parse(document, nullptr, false);
  if (!json.is_object() || !json.contains("findings") || !json["findings"].is_array()) {
    return fail("the output of its analysis is not a document with findings");
  }
  Json findings = json["findings"];
  std::string text = findings.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kMaxBytes) return text;
  if (std::ssize(findings) > kMaxFindings) findings.erase(findings.begin() + kMaxFindings, findings.end());
  for (Json& finding : findings) {
    if (finding.is_object()) finding.erase("evidence");
  }
  return findings.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Finding greatest_finding(int64_t task, const std::string& findings) {
  const Json json = Json::parse(findings, nullptr, false);
  if (!json.is_array() || json.empty() || !json.front().is_object()) {
    return {
        .task = task, .says = "no finding explains it.", .advice = "Compare its input with the input of other tasks."};
  }
  const Json& first = json.front();
  Finding finding{.task = task, .says = text_of(first, "says"), .advice = text_of(first, "do")};
  const auto percent = first.find("ceiling_percent");
  if (percent != first.end() && percent->is_number() && percent->get<double>() >= kMinPercent) {
    finding.says += fmt::format(" (fixing it saves at most {:.0f} % of the run)", percent->get<double>());
  }
  return finding;
}

}  // namespace sonde::dispatch::profiles
