#include "monitor/history.h"

#include <algorithm>

#include "base/text/suggest.h"
#include "monitor/history/keeper.h"
#include "monitor/history/points.h"
#include "monitor/history/ring.h"

namespace sonde::monitor {
namespace history {
namespace {

constexpr double kNsPerHour = 3600e9;
/// Samples a GPU that an hour of memory has at most: two a second. Above that the hour gets shorter.
constexpr double kMaxSamplesPerHour = 7200;

/// What is known of one GPU without the database.
struct Gpu {
  Ring ring;
  std::optional<Minute> current;
  device::GpuReading before;  ///< of the sample before
  int64_t before_ns = 0;
  bool goes_on = false;  ///< its first minute was begun before a restart
};

/// What was read anew since the sample before, also where the clock was set back meanwhile.
bool is_new(const GpuSample& sample, const Gpu& gpu) {
  return !sample.failure && sample.moment_ns != gpu.before_ns && sample.mark.quality != Quality::absent &&
         sample.mark.quality != Quality::stale;
}

class Kept : public History {
 public:
  Kept(const std::string& path, const config::History& options)
      : keeper_(path, options.days), memory_ns_(static_cast<int64_t>(options.memory_hours * kNsPerHour)) {
    max_samples_ = static_cast<size_t>(std::max(1.0, options.memory_hours * kMaxSamplesPerHour));
  }
  ~Kept() override { Kept::flush(); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  void add(int64_t moment_ns, std::span<const GpuSample> samples) override {
    Batch over;
    {
      const std::scoped_lock lock(mutex_);
      for (const GpuSample& sample : samples) add(moment_ns, sample, over);
      end_minutes(moment_ns / kNsPerMinute, over);
    }
    if (!over.empty()) keeper_.put(std::move(over));
  }

  Result<HistoryRange> query(const HistoryQuery& query) const override {
    if (query.from_ns >= query.to_ns) return fail("the end of the range is before its start");
    auto values = chosen(query);
    if (!values) return std::unexpected(values.error());
    if (auto range = from_memory(query, *values)) return std::move(*range);
    return from_minutes(query, *values);
  }

  void save(const Incident& incident) override {
    keeper_.put({.minutes = {}, .incidents = {{incident.id, incident}}, .waste = {}});
  }
  Result<std::vector<Incident>> incidents(std::string_view gpu_uuid, bool open_only, int64_t before_id,
                                          int64_t max) const override {
    return keeper_.incidents(gpu_uuid, open_only, before_id, max);
  }
  void save(const std::map<int64_t, std::vector<WasteEntry>>& days) override {
    keeper_.put({.minutes = {}, .incidents = {}, .waste = days});
  }
  std::map<int64_t, std::vector<WasteEntry>> waste() const override { return keeper_.waste(); }

  void flush() override {
    Batch current;
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [uuid, gpu] : gpus_) {
        if (gpu.current) current.minutes.push_back({uuid, *gpu.current});
      }
    }
    keeper_.put(std::move(current));
    keeper_.flush();
  }
  std::string trouble() const override { return keeper_.trouble(); }
  std::vector<std::string> notes() { return keeper_.take_notes(); }

 private:
  void add(int64_t moment_ns, const GpuSample& sample, Batch& over) {
    if (!sample.reading.uuid) return;
    Gpu& gpu = gpus_[*sample.reading.uuid];
    if (!is_new(sample, gpu)) return;
    const bool follows = gpu.before_ns != 0;
    const Values values = values_of(sample.reading, follows ? &gpu.before : nullptr, sample.moment_ns - gpu.before_ns);
    gpu.before = sample.reading;
    gpu.before_ns = sample.moment_ns;
    gpu.ring.add(moment_ns, values);
    gpu.ring.forget(moment_ns - memory_ns_, max_samples_);
    const int64_t minute = moment_ns / kNsPerMinute;
    if (gpu.current && gpu.current->minute != minute) {
      over.minutes.push_back({*sample.reading.uuid, *gpu.current});
      gpu.current.reset();
    }
    if (!gpu.current) gpu.current = Minute{.minute = minute, .values = {}};
    if (!follows) go_on(*sample.reading.uuid, gpu);
    gpu.current->add(values);
  }

  /// After a restart, the current minute continues with its saved part.
  void go_on(const std::string& uuid, Gpu& gpu) const {
    const auto written = keeper_.minutes(uuid, gpu.current->minute, gpu.current->minute + 1);
    if (!written || written->empty()) return;
    gpu.current = written->front();
    gpu.goes_on = true;
  }

  /// Of GPUs that gave no sample any more.
  void end_minutes(int64_t minute, Batch& over) {
    for (auto& [uuid, gpu] : gpus_) {
      if (!gpu.current || gpu.current->minute == minute) continue;
      over.minutes.push_back({uuid, *gpu.current});
      gpu.current.reset();
    }
  }

  static Result<std::vector<size_t>> chosen(const HistoryQuery& query) {
    std::vector<size_t> values;
    for (size_t i = 0; query.values.empty() && i < kValues; ++i) values.push_back(i);
    for (const std::string& name : query.values) {
      const auto value = find_value(name);
      if (!value) return std::unexpected(unknown_value(name));
      values.push_back(*value);
    }
    return values;
  }

  static Error unknown_value(const std::string& name) {
    std::vector<std::string_view> names;
    for (const HistoryValue& value : history_values()) names.push_back(value.name);
    return Error{fmt::format("no history is kept for '{}'{}", name, did_you_mean(name, names))};
  }

  /// Absent where memory does not have the range and the database may have more of it.
  std::optional<HistoryRange> from_memory(const HistoryQuery& query, const std::vector<size_t>& values) const {
    const auto began = memory_began(query.gpu_uuid);
    if (!began) return std::nullopt;
    if (began->moment_ns > query.from_ns) {
      if (began->goes_on) return std::nullopt;
      const auto older = keeper_.minutes(query.gpu_uuid, query.from_ns / kNsPerMinute, began->moment_ns / kNsPerMinute);
      if (older && !older->empty()) return std::nullopt;
    }
    const std::scoped_lock lock(mutex_);
    const Ring& ring = gpus_.at(query.gpu_uuid).ring;
    Points points(query, ring.interval_ns(), values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      ring.each(values[i], points.from_ns(), points.to_ns(), [&](int64_t moment_ns, float value) {
        if (value == value) points.add(i, moment_ns, static_cast<double>(value));  // NaN: not given
      });
    }
    return points.range(values);
  }

  struct Began {
    int64_t moment_ns = 0;
    bool goes_on = false;
  };
  std::optional<Began> memory_began(const std::string& uuid) const {
    const std::scoped_lock lock(mutex_);
    const auto gpu = gpus_.find(uuid);
    if (gpu == gpus_.end() || gpu->second.ring.empty()) return std::nullopt;
    return Began{gpu->second.ring.oldest_ns(), gpu->second.goes_on};
  }

  Result<HistoryRange> from_minutes(const HistoryQuery& query, const std::vector<size_t>& values) const {
    Points points(query, kNsPerMinute, values.size());
    const auto rows = keeper_.minutes(query.gpu_uuid, points.from_ns() / kNsPerMinute, points.to_ns() / kNsPerMinute);
    if (!rows) return std::unexpected(rows.error());
    const auto current = current_minute(query.gpu_uuid);
    const auto take = [&](const Minute& row) {
      for (size_t i = 0; i < values.size(); ++i) {
        points.add(i, row.minute * kNsPerMinute, row.values.at(values[i]));
      }
    };
    for (const Minute& row : *rows) {
      if (!current || row.minute != current->minute) take(row);
    }
    if (current) take(*current);
    return points.range(values);
  }

  std::optional<Minute> current_minute(const std::string& uuid) const {
    const std::scoped_lock lock(mutex_);
    const auto gpu = gpus_.find(uuid);
    return gpu == gpus_.end() ? std::nullopt : gpu->second.current;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Gpu> gpus_;  ///< by UUID
  Keeper keeper_;
  int64_t memory_ns_;
  size_t max_samples_ = 0;
};

}  // namespace
}  // namespace history

Result<std::unique_ptr<History>> History::open(const std::string& folder, const config::History& options,
                                               std::vector<std::string>& notes) {
  auto kept = std::make_unique<history::Kept>(folder.empty() ? folder : folder + "/history.db", options);
  for (std::string& note : kept->notes()) notes.push_back(std::move(note));
  if (std::string trouble = kept->trouble(); !trouble.empty() && std::ranges::find(notes, trouble) == notes.end()) {
    notes.push_back(std::move(trouble));
  }
  return kept;
}

}  // namespace sonde::monitor
