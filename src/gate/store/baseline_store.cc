#include "gate/store/baseline_store.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/files/small_file.h"
#include "base/system/system_reason.h"
#include "base/text/calendar.h"
#include "base/text/suggest.h"
#include "gate/record/record_json.h"
#include "gate/store/choose_baseline.h"

namespace sonde::gate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEntryFile = "entry.json";
constexpr size_t kMaxEntryBytes = size_t{1} << 20;   // a thousand runs take a tenth of it
constexpr size_t kMaxRecordBytes = size_t{1} << 28;  // a hundred times the largest record seen
constexpr size_t kMaxNameLength = 100;

std::string folder_of(const std::string& store, const BaselineEntry& entry) {
  return (fs::path(store) / entry.name / entry.id).string();
}

/// Names of the folders in a folder, sorted. Those that begin with a dot are being made or taken away.
Result<std::vector<std::string>> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!name.starts_with('.') && at->is_directory(unknown)) names.push_back(std::move(name));
  }
  if (error) return fail("cannot read the baselines in {}: {}", folder.string(), error.message());
  std::ranges::sort(names);
  return names;
}

Result<BaselineEntry> read_entry(const fs::path& folder) {
  const std::string path = (folder / kEntryFile).string();
  const auto text = read_small_file(path, kMaxEntryBytes);
  if (!text) return std::unexpected(text.error());
  auto entry = parse_entry(*text);
  if (!entry) return fail("{} is not a valid baseline entry: {}", path, entry.error().message);
  return entry;
}

void add_entries_of(const fs::path& store, const std::string& name, const std::vector<std::string>& ids,
                    BaselineListing& listing) {
  for (const std::string& id : ids) {
    auto entry = read_entry(store / name / id);
    if (!entry) {
      listing.broken.push_back({name, id, entry.error().message});
      continue;
    }
    entry->name = name;
    entry->id = id;
    listing.entries.push_back(std::move(*entry));
  }
}

/// FNV-1a. In an entry's name, it tells runs of one commit and second apart; the same runs get the same name
/// everywhere.
uint32_t content_hash(std::span<const std::string> texts) {
  constexpr uint64_t kStart = 0xcbf29ce484222325;
  constexpr uint64_t kFactor = 0x100000001b3;
  uint64_t hash = kStart;
  for (const std::string& text : texts) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFactor;
  }
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

/// "20260131T120000Z-8e1e4ab1-3f2a91c0": names sort by time.
std::string id_of(const BaselineEntry& entry, std::span<const std::string> texts) {
  std::string id = moment_text(entry.time_s) + "Z";
  std::erase_if(id, [](char c) { return c == '-' || c == ':'; });
  const std::string commit = short_commit(entry.commit);
  const bool usable = !commit.empty() && check_baseline_name(commit);
  return fmt::format("{}{}{}-{:08x}", id, usable ? "-" : "", usable ? commit : "", content_hash(texts));
}

Status write_entry_files(const fs::path& folder, const BaselineEntry& entry, std::span<const std::string> texts) {
  for (size_t i = 0; i < texts.size(); ++i) {
    SONDE_TRY(write_new_file((folder / entry.runs[i].file).string(), texts[i]));
  }
  return write_new_file((folder / kEntryFile).string(), entry_json(entry));
}

/// Gives a finished folder its name: `id`, or "id.2", ... where that is taken by other runs of the same second.
Result<std::string> put_in_place(const fs::path& made, const fs::path& baseline, const std::string& id) {
  constexpr int kMostTries = 1000;
  for (int i = 1; i <= kMostTries; ++i) {
    std::string tried = i == 1 ? id : fmt::format("{}.{}", id, i);
    if (std::rename(made.c_str(), (baseline / tried).c_str()) == 0) return tried;
    if (errno != ENOTEMPTY && errno != EEXIST) break;
  }
  return fail("cannot write the entry to {}: {}", baseline.string(), system_reason(errno));
}

Status check_conditions(std::span<const RunRecord> records) {
  for (const RunRecord& record : records) {
    std::vector<std::string_view> names;
    if (conditions_forbid(records.front().conditions, record.conditions, {}, &names) == Forbids::nothing) continue;
    const auto value = [&](const RunRecord& of) {
      const auto found = of.conditions.find(names.front());
      return found == of.conditions.end() ? std::string("unknown") : found->second;
    };
    return fail(
        "the runs of an entry need the same conditions, but '{}' is {} in {} and {} in {}; add them as "
        "two entries",
        names.front(), value(records.front()), records.front().source, value(record), record.source);
  }
  return {};
}

bool fits(const BaselineEntry& entry, std::string_view which) {
  constexpr size_t kShortestCommit = 4;  // as git takes it
  return entry.label == which || entry.id.starts_with(which) || entry_number(entry) == which ||
         (which.size() >= kShortestCommit && entry.commit.starts_with(which));
}

Result<BaselineEntry> the_one(std::vector<BaselineEntry> found, std::string_view which) {
  if (found.size() == 1) return std::move(found.front());
  std::string ids;
  constexpr size_t kShown = 5;
  for (size_t i = 0; i < std::min(found.size(), kShown); ++i) {
    ids += fmt::format("{}{}@{}", i == 0 ? "" : ", ", found[i].name, found[i].id);
  }
  return fail("'{}' is ambiguous, it matches {} entries: {}{}", which, found.size(), ids,
              found.size() > kShown ? ", ..." : "");
}

}  // namespace

std::string default_store() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
  const char* const named = std::getenv("SONDE_BASELINE");
  return named != nullptr && *named != '\0' ? named : ".sonde/baseline";
}

Status check_baseline_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const bool right =
      !name.empty() && name.size() <= kMaxNameLength && is_letter(name.front()) &&
      std::ranges::all_of(name, [&](char c) { return is_letter(c) || c == '.' || c == '_' || c == '-'; });
  if (right) return {};
  std::string better(name.substr(0, kMaxNameLength));
  std::ranges::replace_if(better, [&](char c) { return !is_letter(c) && c != '.' && c != '_'; }, '-');
  better.erase(0, std::min(better.find_first_not_of(".-_"), better.size()));
  return fail(
      "'{}' is not a valid baseline name; use letters, digits, '.', '_' and '-', and begin with a letter or digit{}",
      name, better.empty() ? "" : fmt::format("; for example '{}'", better));
}

Result<BaselineListing> list_baseline(const std::string& store, std::string_view name) {
  auto names = folders_in(store);
  if (!names) return std::unexpected(names.error());
  BaselineListing listing;
  for (const std::string& each : *names) {
    if (!name.empty() && each != name) continue;
    const auto ids = folders_in(fs::path(store) / each);
    if (!ids) return std::unexpected(ids.error());
    add_entries_of(store, each, *ids, listing);
  }
  std::ranges::sort(listing.entries, {}, [](const BaselineEntry& e) { return std::tie(e.time_s, e.name, e.id); });
  return listing;
}

Result<BaselineEntry> add_baseline(const std::string& store, BaselineEntry entry, std::span<const RunRecord> records) {
  SONDE_TRY(check_baseline_name(entry.name));
  if (records.empty()) return fail("a baseline entry needs at least one run");
  SONDE_TRY(check_conditions(records));
  std::vector<std::string> texts;
  entry.runs.clear();
  for (const RunRecord& record : records) {
    texts.push_back(record_json(record));
    entry.runs.push_back({fmt::format("run-{}.json", texts.size()), record.source});
  }
  entry.conditions = common_conditions(records);
  const fs::path baseline = fs::path(store) / entry.name;
  const fs::path made = baseline / unused_name(".new");
  std::error_code error;
  fs::create_directories(made, error);
  if (error) return fail("cannot create the folder {}: {}", made.string(), error.message());
  const Status written = write_entry_files(made, entry, texts);
  auto id = written ? put_in_place(made, baseline, id_of(entry, texts)) : std::unexpected(written.error());
  if (!id) {
    fs::remove_all(made, error);
    return std::unexpected(id.error());
  }
  entry.id = std::move(*id);
  return entry;
}

Result<BaselineEntry> find_entry(const std::string& store, std::string_view name, std::string_view which) {
  const size_t at = which.find('@');
  if (name.empty() && at != std::string_view::npos) {
    return find_entry(store, which.substr(0, at), which.substr(at + 1));
  }
  const auto listing = list_baseline(store, name);
  if (!listing) return std::unexpected(listing.error());
  for (const BrokenEntry& broken : listing->broken) {
    if (broken.id == which) return fail("{}", broken.message);
  }
  if (which == "latest" && !listing->entries.empty()) return listing->entries.back();
  std::vector<BaselineEntry> found;
  std::vector<std::string_view> known;
  for (const BaselineEntry& entry : listing->entries) {
    if (entry.id == which) return entry;
    if (!which.empty() && fits(entry, which)) found.push_back(entry);
    known.insert(known.end(), {entry.id, entry.label});
  }
  if (!found.empty()) return the_one(std::move(found), which);
  return fail("{} has no entry '{}'{}; `sonde baseline list` lists the entries",
              name.empty() ? store : fmt::format("the baseline '{}' in {}", name, store), which,
              did_you_mean(which, known));
}

Result<std::vector<RunRecord>> load_entry(const std::string& store, const BaselineEntry& entry) {
  std::vector<RunRecord> records;
  for (const BaselineRun& run : entry.runs) {
    const std::string path = (fs::path(folder_of(store, entry)) / run.file).string();
    const auto text = read_small_file(path, kMaxRecordBytes);
    if (!text) return std::unexpected(text.error());
    auto record = parse_record(*text);
    if (!record) return fail("{} is not a valid run record: {}", path, record.error().message);
    records.push_back(std::move(*record));
  }
  return records;
}

Status set_pinned(const std::string& store, const BaselineEntry& entry, bool pinned) {
  BaselineEntry changed = entry;
  changed.pinned = pinned;
  return replace_file((fs::path(folder_of(store, entry)) / kEntryFile).string(), entry_json(changed));
}

Status remove_entry(const std::string& store, const BaselineEntry& entry) {
  const fs::path folder = folder_of(store, entry);
  const fs::path gone = folder.parent_path() / unused_name(".gone");
  std::error_code error;
  fs::rename(folder, gone, error);
  if (!error) fs::remove_all(gone, error);
  if (error) return fail("cannot remove {}: {}", folder.string(), error.message());
  return {};
}

}  // namespace sonde::gate
