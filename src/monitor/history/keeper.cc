#include "monitor/history/keeper.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "base/text/calendar.h"
#include "base/time_units.h"

namespace sonde::monitor::history {
namespace {

/// What waits at most while the database cannot be written: a day of eight GPUs, 15 MB.
constexpr size_t kMaxMinutes = 11520;
constexpr size_t kMaxIncidents = 10000;
constexpr double kNsPerDay = 86400e9;

int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// Moves a database away, with the files beside it. Empty where that failed.
std::string set_aside(const std::string& path) {
  std::string aside = fmt::format("{}.broken-{}", path, moment_text(now_ns() / kNsPerSecond));
  std::error_code error;
  std::filesystem::rename(path, aside, error);
  if (error) return {};
  for (const char* const end : {"-wal", "-shm"}) std::filesystem::rename(path + end, aside + end, error);
  return aside;
}

bool passes(const Incident& incident, std::string_view uuid, bool open_only, int64_t before_id) {
  return (uuid.empty() || incident.gpu_uuid == uuid) && (!open_only || !incident.cleared_ns) &&
         (before_id == 0 || incident.id < before_id);
}

int64_t newest_of(const std::vector<GpuMinute>& rows) {
  const auto by_time = [](const GpuMinute& row) { return row.minute.minute; };
  return std::ranges::max(rows, {}, by_time).minute.minute;
}

/// Rows of `newer` take the place of older ones of the same minute.
void replace_minutes(std::vector<Minute>& rows, const std::vector<Minute>& newer) {
  std::map<int64_t, Minute> by_time;
  for (const Minute& row : rows) by_time[row.minute] = row;
  for (const Minute& row : newer) by_time[row.minute] = row;
  rows.clear();
  for (auto& [minute, row] : by_time) rows.push_back(row);
}

}  // namespace

Keeper::Keeper(std::string path, double days) : path_(std::move(path)), days_(days) {
  if (path_.empty()) return;
  {
    const std::scoped_lock lock(store_mutex_);
    if (const auto opened = open(); !opened) {
      take_up(opened.error());
      if (opened.error().damaged && open()) set_trouble({});
    }
  }
  thread_ = std::thread([this] { run(); });
}

Keeper::~Keeper() {
  {
    const std::scoped_lock lock(waiting_mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Stores<void> Keeper::open() {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  auto opened = Store::open(path_);
  if (!opened) return std::unexpected(opened.error());
  store_.emplace(std::move(*opened));
  return {};
}

void Keeper::set_trouble(std::string text) {
  const std::scoped_lock lock(waiting_mutex_);
  trouble_ = std::move(text);
}

/// A damaged database is set aside; anything else may pass, and is tried again.
void Keeper::take_up(const StoreFailure& failure) {
  if (!failure.damaged) {
    set_trouble(fmt::format("{}: {}; new values are kept in memory until they can be written", path_, failure.message));
    return;
  }
  store_.reset();
  const std::string aside = set_aside(path_);
  std::string text = aside.empty()
                         ? fmt::format("{} is damaged ({}) and cannot be moved away; remove it", path_, failure.message)
                         : fmt::format("{} was damaged ({}): it was moved to {}, and a new database was created", path_,
                                       failure.message, aside);
  set_trouble(text);
  const std::scoped_lock lock(waiting_mutex_);
  notes_.push_back(std::move(text));
}

void Keeper::run() {
  std::unique_lock lock(waiting_mutex_);
  while (!ends_) {
    changed_.wait(lock, [&] { return woken_ || ends_; });
    if (ends_) return;
    woken_ = false;
    lock.unlock();
    write();
    lock.lock();
  }
}

/// Oldest first out, so that what waits stays bounded.
void Keeper::limit() {
  auto& minutes = waiting_.minutes;
  if (minutes.size() > kMaxMinutes) {
    minutes.erase(minutes.begin(), minutes.end() - static_cast<std::ptrdiff_t>(kMaxMinutes));
  }
  while (waiting_.incidents.size() > kMaxIncidents) waiting_.incidents.erase(waiting_.incidents.begin());
}

void Keeper::put(Batch batch) {
  const std::scoped_lock lock(waiting_mutex_);
  for (GpuMinute& row : batch.minutes) {
    std::erase_if(waiting_.minutes, [&](const GpuMinute& other) {
      return other.minute.minute == row.minute.minute && other.gpu_uuid == row.gpu_uuid;
    });
    waiting_.minutes.push_back(std::move(row));
  }
  for (auto& [id, incident] : batch.incidents) waiting_.incidents[id] = std::move(incident);
  for (auto& [day, entries] : batch.waste) waiting_.waste[day] = std::move(entries);
  limit();
  woken_ = true;
  changed_.notify_all();
}

void Keeper::flush() {
  if (!path_.empty()) write();
}

void Keeper::write() {
  const std::scoped_lock lock(store_mutex_);
  const auto done = try_to_write();
  if (done) {
    set_trouble({});
  } else {
    take_up(done.error());
  }
}

Stores<void> Keeper::try_to_write() {
  if (!store_) {
    if (auto opened = open(); !opened) return opened;
  }
  Batch batch;
  {
    const std::scoped_lock lock(waiting_mutex_);
    batch = waiting_;
  }
  if (batch.empty()) return {};
  if (auto written = store_->write(batch); !written) return written;
  done_with(batch);
  if (batch.minutes.empty()) return {};
  // By the last two writes: a clock that was years ahead for a minute must not cost all that was kept.
  const int64_t last_ns = std::exchange(newest_ns_, newest_of(batch.minutes) * kNsPerMinute);
  const int64_t newest_ns = last_ns == 0 ? newest_ns_ : std::min(last_ns, newest_ns_);
  return store_->forget(newest_ns - static_cast<int64_t>(days_ * kNsPerDay));
}

/// What came meanwhile stays.
void Keeper::done_with(const Batch& written) {
  const std::scoped_lock lock(waiting_mutex_);
  const auto is_written = [&](const GpuMinute& row) {
    return std::ranges::any_of(written.minutes, [&](const GpuMinute& other) {
      return other.minute.minute == row.minute.minute && other.gpu_uuid == row.gpu_uuid;
    });
  };
  std::erase_if(waiting_.minutes, is_written);
  std::erase_if(waiting_.incidents, [&](const auto& entry) {
    const auto found = written.incidents.find(entry.first);
    return found != written.incidents.end() && found->second.last_seen_ns == entry.second.last_seen_ns &&
           found->second.cleared_ns == entry.second.cleared_ns &&
           found->second.acknowledged_ns == entry.second.acknowledged_ns &&
           found->second.times_seen == entry.second.times_seen;
  });
  for (const auto& [day, entries] : written.waste) waiting_.waste.erase(day);
}

std::string Keeper::trouble() const {
  const std::scoped_lock lock(waiting_mutex_);
  return trouble_;
}

std::vector<std::string> Keeper::take_notes() {
  const std::scoped_lock lock(waiting_mutex_);
  return std::exchange(notes_, {});
}

Result<std::vector<Minute>> Keeper::minutes(const std::string& gpu_uuid, int64_t from, int64_t to) const {
  std::vector<Minute> newer;
  {
    const std::scoped_lock lock(waiting_mutex_);
    for (const GpuMinute& row : waiting_.minutes) {
      if (row.gpu_uuid == gpu_uuid && row.minute.minute >= from && row.minute.minute < to) newer.push_back(row.minute);
    }
  }
  std::vector<Minute> rows;
  {
    const std::scoped_lock lock(store_mutex_);
    if (store_) {
      auto read = store_->minutes(gpu_uuid, from, to);
      if (!read) return fail("{}: {}", path_, read.error().message);
      rows = std::move(*read);
    }
  }
  replace_minutes(rows, newer);
  return rows;
}

Result<std::vector<Incident>> Keeper::incidents(std::string_view gpu_uuid, bool open_only, int64_t before_id,
                                                int64_t max) const {
  std::map<int64_t, Incident> waiting;
  {
    const std::scoped_lock lock(waiting_mutex_);
    waiting = waiting_.incidents;
  }
  std::vector<Incident> found;
  {
    const std::scoped_lock lock(store_mutex_);
    if (store_) {
      // One that is closed by now, though not in the database, takes no other's place.
      auto read = store_->incidents(gpu_uuid, open_only, before_id, max + static_cast<int64_t>(waiting.size()));
      if (!read) return fail("{}: {}", path_, read.error().message);
      found = std::move(*read);
    }
  }
  std::erase_if(found, [&](const Incident& incident) { return waiting.contains(incident.id); });
  for (const auto& [id, incident] : waiting) {
    if (passes(incident, gpu_uuid, open_only, before_id)) found.push_back(incident);
  }
  std::ranges::sort(found, std::greater(), &Incident::id);
  if (std::cmp_greater(found.size(), max)) found.resize(static_cast<size_t>(max));
  return found;
}

std::map<int64_t, std::vector<WasteEntry>> Keeper::waste() const {
  std::map<int64_t, std::vector<WasteEntry>> days;
  {
    const std::scoped_lock lock(store_mutex_);
    if (store_) {
      if (auto read = store_->waste()) days = std::move(*read);
    }
  }
  const std::scoped_lock lock(waiting_mutex_);
  for (const auto& [day, entries] : waiting_.waste) days[day] = entries;
  return days;
}

}  // namespace sonde::monitor::history
