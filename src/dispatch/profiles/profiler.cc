#include "dispatch/profiles/profiler.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time_units.h"
#include "dispatch/profiles/bounded_run.h"
#include "dispatch/profiles/profile_file.h"

namespace sonde::dispatch::profiles {
namespace {

constexpr double kNsPerDay = 86'400e9;
/// Tasks of a type that are learned from before one is called slow.
constexpr int64_t kFewestLearned = 20;
/// What is shorter varies with the start of a program.
constexpr int64_t kMinSlowNs = kNsPerSecond;

SlowWork::Place place_of(const Task& task) {
  return {.type = task.spec.type, .gpu_uuid = task.last()->gpus.front(), .gpu_name = task.last()->gpu_name};
}

bool is_declared(const config::Config& config, const Task& task) {
  return config.sonde.tasks.types.contains(task.spec.type);
}

std::string end_of(const EndReport& report) {
  if (report.cause == EndCause::exit) return fmt::format("exit status {}", report.exit_status.value_or(0));
  return fmt::format("cause: {}", cause_name(report.cause));
}

std::string missing(const std::string& program, std::string_view key) {
  return fmt::format("'{}' is not in the service's PATH: install it, or set {}", program, key);
}

}  // namespace

Profiler::Profiler(const DispatcherParts& parts, std::function<void(const ProfileRecord&)> finished)
    : log_(parts.log),
      monitor_(parts.monitor),
      store_(parts.store),
      choice_([store = parts.store](const std::string& type, const std::string& why) {
        return store->started_since_profile(type, why).value_or(0);
      }),
      analyst_({.store = parts.store, .log = parts.log, .analyse = parts.analyse, .finished = std::move(finished)}) {}

void Profiler::restore(const Restored& was) {
  for (const Measured& measured : was.measured) comparison_.learn(measured);
}

void Profiler::begin(const Executor& executor, const std::set<AttemptId>& running, const config::Config& config,
                     int64_t now_ns) {
  executor_ = &executor;
  const auto records = store_->open_profiles(now_ns - kNsPerHour);
  if (!records) return log_->warning("recordings of tasks cannot be read", {{"reason", records.error().message}});
  choice_.restore(*records);
  for (const ProfileRecord& record : *records) resume(record, running, config);
}

void Profiler::resume(const ProfileRecord& record, const std::set<AttemptId>& running, const config::Config& config) {
  if (record.state != "recording" && record.state != "analysing") {
    if (!record.file.empty()) with_files_.push_back(record);
    return;
  }
  const auto task = store_->find(record.task);
  if (!task || !*task) return;
  Recording recording{.record = record,
                      .type = (*task)->spec.type,
                      .gpus = {},
                      .folder = executor_->folder_of(record.task, record.attempt),
                      .end = {}};
  if (const Attempt* const last = (*task)->last()) recording.gpus = last->gpus;
  if (running.contains({record.task, record.attempt})) {
    open_.emplace(AttemptId(record.task, record.attempt), std::move(recording));
  } else {
    analyst_.analyse(std::move(recording), config.sonde.tasks.profiles.max_bytes);
  }
}

void Profiler::choose(Engine& engine, std::span<const int64_t> starts, int64_t now_ns,
                      std::vector<ProfileRecord>& records) {
  for (const int64_t id : starts) {
    const Task* const task = engine.find(id);
    if (task != nullptr && task->last() != nullptr) choose_one(engine, *task, now_ns, records);
  }
}

void Profiler::choose_one(Engine& engine, const Task& task, int64_t now_ns, std::vector<ProfileRecord>& records) {
  const config::Config& config = engine.config();
  auto why = choice_.why(task, config, now_ns);
  if (!why) return;
  Recording recording = recording_of(task, *std::move(why), now_ns);
  ProfileRecord& record = recording.record;
  const std::vector<std::string>& command = config.sonde.tasks.profiles.command;
  if (command.empty()) {
    record.trouble = "no recorder configured: sonde.tasks.profiles.command is empty";
  } else if (program_path(command.front()).empty()) {
    record.trouble = missing(command.front(), "sonde.tasks.profiles.command");
  }
  if (record.trouble.empty()) {
    engine.set_recorded(task.id);
    records.push_back(record);
    open_.emplace(AttemptId(task.id, record.attempt), std::move(recording));
    return;
  }
  record.state = "failed";
  log_->warning("task runs without recording", {{"task", fmt::format("{}", task.id)}, {"reason", record.trouble}});
  choice_.failed(task.spec.type, now_ns);
  slow_.recorded(record.why, task.spec.type, recording.gpus, std::nullopt, now_ns);
  records.push_back(std::move(record));
}

Recording Profiler::recording_of(const Task& task, std::string why, int64_t now_ns) const {
  const Attempt& last = *task.last();
  Recording recording;
  recording.record.task = task.id;
  recording.record.attempt = last.number;
  recording.record.why = std::move(why);
  recording.record.state = "recording";
  recording.record.moment_ns = now_ns;
  recording.type = task.spec.type;
  recording.gpus = last.gpus;
  recording.folder = executor_->folder_of(task.id, last.number);
  return recording;
}

void Profiler::wrap(const Task& task, const config::Config& config, Launch& launch) const {
  const std::vector<std::string>& command = config.sonde.tasks.profiles.command;
  if (!task.last()->recorded || command.empty() || launch.command.empty()) return;
  if (!open_.contains({task.id, task.last()->number})) return;
  const std::string folder = executor_->folder_of(task.id, task.last()->number);
  std::vector<std::string> words = filled_words(command, {.output = output_path(folder)});
  // The task's own PATH may be another one. A profiler that is gone since is named in the task's end.
  if (std::string path = program_path(words.front()); !path.empty()) words.front() = std::move(path);
  words.insert(words.end(), launch.command.begin(), launch.command.end());
  launch.command = std::move(words);
}

std::optional<Profiler::Slow> Profiler::slow(const Engine& engine, const Task& task, int64_t run_ns) {
  const Attempt& last = *task.last();
  if (last.recorded || last.gpus.empty() || run_ns < kMinSlowNs || !is_declared(engine.config(), task)) {
    return std::nullopt;
  }
  const auto usual = engine.estimates().run_time_there(task.spec.type, last.gpu_name);
  if (!usual || usual->tasks < kFewestLearned) return std::nullopt;
  const double limit_ns = engine.config().sonde.tasks.profiles.slow_factor * static_cast<double>(usual->high_ns);
  if (static_cast<double>(run_ns) <= limit_ns) return std::nullopt;
  return Slow{.run_ns = run_ns, .usual_ns = usual->high_ns};
}

/// `running`: the engine where the task runs still, else null.
void Profiler::report_slow_task(const Engine& engine, const Task& task, const Slow& slow, int64_t now_ns,
                                Engine* running) {
  const SlowWork::Place place = place_of(task);
  const bool is_new = slow_.task_is_slow(place, task.id, slow.run_ns, slow.usual_ns, now_ns);
  if (!known_slow_.emplace(task.id, task.last()->number).second || !is_new) return;
  log_->warning("task is slow", {{"task", fmt::format("{}", task.id)},
                                 {"type", task.spec.type},
                                 {"seconds", fmt::format("{:.3f}", static_cast<double>(slow.run_ns) / kNsPerSecond)},
                                 {"usual", fmt::format("{:.3f}", static_cast<double>(slow.usual_ns) / kNsPerSecond)}});
  if (task.spec.inference) return record_worker(engine.config(), task, kSlowTask, now_ns);
  const auto pid = running == nullptr ? std::nullopt : executor_->pid_of(task.id, task.last()->number);
  if (!pid || !attach(engine.config(), task, *pid, kSlowTask, now_ns)) {
    return wish(engine.config(), kSlowTask, place, now_ns);
  }
  running->set_recorded(task.id);
}

/// The one on the GPU that no task is of; of several the one that holds most of its memory.
std::optional<int64_t> Profiler::worker_on(const std::string& gpu_uuid) const {
  const auto host = monitor_->snapshot();
  const auto gpu = std::ranges::find(host->gpus, gpu_uuid, &monitor::GpuView::uuid);
  if (gpu == host->gpus.end() || !gpu->sample.reading.running) return std::nullopt;
  const device::GpuProcess* found = nullptr;
  for (const device::GpuProcess& process : *gpu->sample.reading.running) {
    if (!process.compute || executor_->task_of(process.pid)) continue;
    if (found == nullptr || process.memory_used_bytes > found->memory_used_bytes) found = &process;
  }
  return found == nullptr ? std::nullopt : std::optional(found->pid);
}

/// It lives on when the request is over.
void Profiler::record_worker(const config::Config& config, const Task& task, std::string_view why, int64_t now_ns) {
  const SlowWork::Place place = place_of(task);
  const auto pid = worker_on(place.gpu_uuid);
  if (pid && attach(config, task, *pid, why, now_ns)) return;
  slow_.recording(why, place,
                  pid ? "Its worker is not recorded: sonde.tasks.profiles.attach_command is empty or not executable, "
                        "or sonde.tasks.profiles.max_per_hour is reached."
                      : "Its worker is not recorded: only processes of tasks run on the GPU.",
                  false);
}

bool Profiler::attach(const config::Config& config, const Task& task, int64_t pid, std::string_view why,
                      int64_t now_ns) {
  const config::TaskProfiles& profiles = config.sonde.tasks.profiles;
  if (profiles.attach_command.empty() || task.spec.profile == false) return false;
  if (program_path(profiles.attach_command.front()).empty()) {
    log_->warning("slow task is not recorded",
                  {{"task", fmt::format("{}", task.id)},
                   {"reason", missing(profiles.attach_command.front(), "sonde.tasks.profiles.attach_command")}});
    return false;
  }
  if (!choice_.take_one(config, now_ns)) return false;
  Recording recording = recording_of(task, std::string(why), now_ns);
  slow_.recording(why, place_of(task), fmt::format("It is being recorded for {:g} s.", profiles.attach_seconds), true);
  std::vector<std::string> words =
      filled_words(profiles.attach_command, {.output = output_path(recording.folder),
                                             .pid = fmt::format("{}", pid),
                                             .seconds = fmt::format("{:g}", profiles.attach_seconds)});
  analyst_.attach(std::move(recording), std::move(words), profiles.attach_seconds, profiles.max_bytes);
  return true;
}

void Profiler::wish(const config::Config& config, std::string_view why, const SlowWork::Place& place, int64_t now_ns) {
  if (config.sonde.tasks.profiles.command.empty()) {
    return slow_.recording(why, place, "Nothing is recorded: sonde.tasks.profiles.command is empty.", false);
  }
  choice_.wish({.type = place.type,
                .gpu_uuid = why == kSlowGpu ? place.gpu_uuid : std::string(),
                .why = std::string(why),
                .moment_ns = now_ns});
  const bool has_one = choice_.has_one(config, now_ns);
  slow_.recording(why, place,
                  has_one ? "The next task of the type will be recorded."
                          : "Nothing is recorded now: sonde.tasks.profiles.max_per_hour is reached.",
                  has_one);
}

void Profiler::ending(const Engine& engine, const EndReport& report, int64_t now_ns) {
  const Task* const task = engine.find(report.task);
  if (task == nullptr || task->state != TaskState::running || task->last() == nullptr) return;
  const Attempt& last = *task->last();
  if (last.number != report.attempt || last.ended_ns) return;
  const AttemptId id(report.task, report.attempt);
  if (const auto recording = open_.find(id); recording != open_.end()) recording->second.end = end_of(report);
  const bool succeeded = report.cause == EndCause::exit && report.exit_status == 0;
  if (!last.recorded && !task->cancelling && !last.gpus.empty()) {
    const int64_t run_ns = report.ended_ns - last.started_ns;
    if (const auto is_slow = slow(engine, *task, run_ns)) {
      report_slow_task(engine, *task, *is_slow, now_ns, nullptr);
    } else if (succeeded) {
      slow_.task_was_normal(task->spec.type, last.gpu_name);
    }
    if (succeeded) compare(engine, *task, run_ns, report.ended_ns);
  }
  known_slow_.erase(id);
}

void Profiler::compare(const Engine& engine, const Task& task, int64_t run_ns, int64_t now_ns) {
  if (task.last()->gpus.size() != 1 || !is_declared(engine.config(), task)) return;
  const SlowWork::Place place = place_of(task);
  Measured measured;
  measured.type = place.type;
  measured.gpu_name = place.gpu_name;
  measured.run_ns = run_ns;
  measured.ended_ns = now_ns;
  measured.gpu_uuid = place.gpu_uuid;
  comparison_.learn(measured);
  const auto slow = comparison_.judge(place.type, place.gpu_uuid, slow_.is_slow_gpu(place.type, place.gpu_uuid));
  if (!slow) return slow_.gpu_is_well(place);
  if (!slow_.gpu_is_slow(place, slow->ratio, slow->median_ns, slow->equals_median_ns, now_ns)) return;
  log_->warning("tasks are slow on a GPU",
                {{"type", place.type}, {"gpu", place.gpu_uuid}, {"times", fmt::format("{:.2f}", slow->ratio)}});
  if (task.spec.inference) {
    record_worker(engine.config(), task, kSlowGpu, now_ns);
  } else {
    wish(engine.config(), kSlowGpu, place, now_ns);
  }
}

void Profiler::ended(AttemptId attempt, const config::Config& config) {
  auto recording = open_.extract(attempt);
  if (!recording.empty()) analyst_.analyse(std::move(recording.mapped()), config.sonde.tasks.profiles.max_bytes);
}

void Profiler::look(Engine& engine, const Indices& indices, int64_t now_ns) {
  for (const Task* task : engine.running()) {
    if (task->last() == nullptr || task->cancelling) continue;
    if (const auto is_slow = slow(engine, *task, now_ns - task->last()->started_ns)) {
      report_slow_task(engine, *task, *is_slow, now_ns, &engine);
    }
  }
  take_done(now_ns);
  monitor_->report(slow_.now(indices, now_ns));
  remove_old(engine.config(), now_ns);
}

void Profiler::take_done(int64_t now_ns) {
  for (const Recording& done : analyst_.take_done()) {
    const ProfileRecord& record = done.record;
    if (record.state == "failed" && record.file.empty()) choice_.failed(done.type, now_ns);
    if (!record.file.empty()) with_files_.push_back(record);
    const bool has_findings = record.state == "done" && !record.findings.empty();
    slow_.recorded(record.why, done.type, done.gpus,
                   has_findings ? std::optional(greatest_finding(record.task, record.findings)) : std::nullopt, now_ns);
  }
}

void Profiler::remove_old(const config::Config& config, int64_t now_ns) {
  if (now_ns < remove_ns_) return;
  remove_ns_ = now_ns + kNsPerHour;
  const int64_t before_ns = now_ns - static_cast<int64_t>(config.sonde.tasks.profiles.keep_days * kNsPerDay);
  std::vector<ProfileRecord> old;
  std::erase_if(with_files_, [&](const ProfileRecord& record) {
    if (record.moment_ns >= before_ns) return false;
    old.push_back(record);
    return true;
  });
  if (!old.empty()) analyst_.remove(std::move(old));
}

}  // namespace sonde::dispatch::profiles
