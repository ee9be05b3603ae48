#include "dispatch/simulation/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/time_units.h"
#include "dispatch/engine.h"
#include "dispatch/forecast.h"
#include "dispatch/simulation/virtual_host.h"

namespace sonde::dispatch::simulation {
namespace {

constexpr int64_t kStart_ns = 1'767'571'200'000'000'000;  ///< 2026-01-05, a Monday; any moment would do
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

class Simulator {
 public:
  explicit Simulator(const Setup& setup)
      : setup_(setup),
        config_(std::make_shared<config::Config>(setup.config)),
        host_(setup.host, setup.speeds, kStart_ns),
        engine_(Engine::make(config_, setup.seed)),
        forecaster_(setup.seed),
        sample_every_ns_(std::max<int64_t>(std::llround(setup.config.gpu.monitoring.interval * 1e9), 1'000'000)),
        moment_every_ns_(std::max(kNsPerMinute, setup.duration_ns / 500)),
        held_ns_(setup.host.gpus.size()),
        reserved_ns_(setup.host.gpus.size()),
        reserved_(setup.host.gpus.size()),
        use_ns_(setup.host.gpus.size()) {
    outcome_.strategy = setup.config.gpu.multi_gpu.default_strategy;
  }

  Outcome run() {
    while (next_job_ < setup_.jobs.size() || live_ > 0) {
      const int64_t next_ns = next_moment();
      if (next_ns - kStart_ns > 10 * std::max(setup_.duration_ns, kNsPerMinute)) {
        outcome_.was_cut_off = true;
        break;
      }
      go_to(next_ns);
    }
    finish();
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] int64_t next_moment() const {
    int64_t next = std::min(next_sample_ns_, next_moment_ns_);
    if (next_job_ < setup_.jobs.size()) next = std::min(next, kStart_ns + setup_.jobs[next_job_].at_ns);
    next = std::min(next, host_.next_ns().value_or(kNever));
    next = std::min(next, engine_->next_ns().value_or(kNever));
    return std::max(next, now_ns_);
  }

  void go_to(int64_t now_ns) {
    count_use(now_ns);
    now_ns_ = now_ns;
    for (const auto& [task, interval] : open_) peaks_[task] = std::max(peaks_[task], host_.held_by(task));
    for (const EndReport& end : host_.advance(now_ns)) take_end(end);
    while (next_job_ < setup_.jobs.size() && kStart_ns + setup_.jobs[next_job_].at_ns <= now_ns) submit();
    if (now_ns >= next_sample_ns_) {
      host_.sample(now_ns);
      engine_->set_gpus(host_.gpus(), host_.holdings());
      next_sample_ns_ = now_ns + sample_every_ns_;
    }
    step();
    if (now_ns >= next_moment_ns_) add_moment();
  }

  void count_use(int64_t now_ns) {
    const int64_t until_ns = std::min(now_ns, kStart_ns + setup_.duration_ns);
    const auto passed = static_cast<double>(std::max<int64_t>(0, until_ns - now_ns_));
    const auto since_moment = static_cast<double>(now_ns - now_ns_);
    for (size_t gpu = 0; gpu < use_ns_.size(); ++gpu) {
      use_ns_[gpu] += passed * host_.use(gpu);
      held_ns_[gpu] += passed * static_cast<double>(host_.held_bytes(gpu));
      reserved_ns_[gpu] += passed * static_cast<double>(reserved_[gpu]);
      moment_use_ns_ += since_moment * host_.use(gpu);
    }
  }

  void take_end(const EndReport& end) {
    for (Interval& interval : open_.at(end.task)) {
      reserved_[interval.gpu] -= interval.reserved_bytes;
      interval.end_ns = now_ns_ - kStart_ns;
      interval.cause = end.cause;
      interval.held_bytes = peaks_[end.task];
      outcome_.intervals.push_back(interval);
    }
    open_.erase(end.task);
    peaks_.erase(end.task);
    engine_->ended(end);
  }

  void submit() {
    const size_t first = next_job_;
    const Job& job = setup_.jobs[first];
    ++next_job_;
    if (job.batch != 0) {
      while (next_job_ < setup_.jobs.size() && setup_.jobs[next_job_].batch == job.batch) ++next_job_;
      return submit_batch(first);
    }
    const auto id = engine_->submit(spec_of(job), now_ns_);
    if (!id) {
      ++outcome_.refused[id.error().code];
    } else {
      taken(*id, first);
    }
  }

  void submit_batch(size_t first) {
    std::vector<TaskSpec> specs;
    for (size_t i = first; i < next_job_; ++i) specs.push_back(spec_of(setup_.jobs[i]));
    const auto id = engine_->submit_batch("batch", std::move(specs), now_ns_);
    if (!id) {
      outcome_.refused[id.error().code] += static_cast<int64_t>(next_job_ - first);
      return;
    }
    const Batch* const batch = engine_->find_batch(*id);
    for (size_t i = 0; batch != nullptr && i < batch->tasks.size(); ++i) taken(batch->tasks[i], first + i);
  }

  /// Tasks that it comes after are told by their ids of the past.
  TaskSpec spec_of(const Job& job) {
    TaskSpec spec = job.spec;
    spec.after.clear();
    for (const int64_t past : job.spec.after) {
      const auto now = now_of_past_.find(past);
      if (now != now_of_past_.end() && engine_->find(now->second) != nullptr) spec.after.push_back(now->second);
    }
    return spec;
  }

  void taken(int64_t id, size_t job) {
    job_of_[id] = job;
    ++live_;
    if (setup_.jobs[job].past_id != 0) now_of_past_[setup_.jobs[job].past_id] = id;
  }

  void step() {
    const Step step = engine_->step(now_ns_);
    ++outcome_.steps;
    for (const int64_t id : step.starts) start(id);
    for (const int64_t id : step.cancels) host_.cancel(id, now_ns_);
    for (const TaskNews& news : step.news) {
      if (news.change == "submitted" || news.change == "ready") forecast(news.task);
    }
    for (const int64_t id : step.changed_tasks) take_over(id);
    engine_->drop_over();
  }

  void start(int64_t id) {
    const Task& task = *engine_->find(id);
    const Attempt& attempt = *task.last();
    const Job& job = setup_.jobs[job_of_.at(id)];
    VirtualRun run{.task = id,
                   .attempt = attempt.number,
                   .gpus = {},
                   .work_ns = job.run_ns,
                   .memory_bytes = job.memory_bytes,
                   .utilization = job.utilization,
                   .fails_at = job.fails_at,
                   .limit_ns = task.spec.time_limit_ns};
    std::vector<Interval>& intervals = open_[id];
    for (const std::string& uuid : attempt.gpus) {
      run.gpus.push_back(host_.place_of(uuid).value());
      reserved_[run.gpus.back()] += attempt.reserved_bytes;
      intervals.push_back({.task = id,
                           .attempt = attempt.number,
                           .gpu = run.gpus.back(),
                           .start_ns = now_ns_ - kStart_ns,
                           .reserved_bytes = attempt.reserved_bytes,
                           .source = attempt.memory_source});
    }
    host_.start(run, now_ns_);
    peaks_[id] = host_.held_by(id);
    forecaster_.started(id, now_ns_);
  }

  /// Of a task that has to wait.
  void forecast(int64_t id) {
    const Task* const task = engine_->find(id);
    if (task == nullptr || task->state != TaskState::waiting || task->started_ns || forecasts_.contains(id)) return;
    std::string why;
    const auto forecast = forecaster_.start_of(*engine_, id, now_ns_, why);
    if (!forecast) return;
    forecaster_.remember(id, now_ns_, *forecast);
    forecasts_[id] = *forecast;
  }

  void take_over(int64_t id) {
    const Task* const task = engine_->find(id);
    if (task == nullptr || !is_over(task->state)) return;
    if (!task->started_ns) forecaster_.dropped(id);
    outcome_.makespan_ns = std::max(outcome_.makespan_ns, task->ended_ns.value_or(now_ns_) - kStart_ns);
    add(*task);
    --live_;
  }

  /// With times from the start on.
  void add(Task task) {
    task.submitted_ns -= kStart_ns;
    task.ready_ns -= kStart_ns;
    for (auto* const moment : {&task.started_ns, &task.ended_ns}) {
      if (*moment) **moment -= kStart_ns;
    }
    for (Attempt& attempt : task.attempts) {
      attempt.started_ns -= kStart_ns;
      if (attempt.ended_ns) *attempt.ended_ns -= kStart_ns;
    }
    TaskOutcome outcome{.task = std::move(task), .forecast = {}};
    if (const auto said = forecasts_.find(outcome.task.id); said != forecasts_.end()) {
      outcome.forecast = StartForecast{.earliest_ns = said->second.earliest_ns - kStart_ns,
                                       .likely_ns = said->second.likely_ns - kStart_ns,
                                       .latest_ns = said->second.latest_ns - kStart_ns};
    }
    outcome_.tasks.push_back(std::move(outcome));
  }

  void add_moment() {
    const auto span = static_cast<double>(now_ns_ - last_moment_ns_) * static_cast<double>(use_ns_.size());
    const EngineCounts counts = engine_->counts();
    outcome_.moments.push_back({.at_ns = now_ns_ - kStart_ns,
                                .waiting = counts.queue_length,
                                .running = static_cast<int64_t>(host_.running()),
                                .use = span > 0 ? moment_use_ns_ / span : 0});
    moment_use_ns_ = 0;
    last_moment_ns_ = now_ns_;
    next_moment_ns_ = now_ns_ + moment_every_ns_;
  }

  void finish() {
    for (const auto& [id, job] : job_of_) {
      const Task* const task = engine_->find(id);
      if (task != nullptr && !is_over(task->state)) add(*task);
    }
    std::ranges::sort(outcome_.tasks, {}, [](const TaskOutcome& outcome) { return outcome.task.id; });
    std::ranges::stable_sort(outcome_.intervals, {}, &Interval::start_ns);
    const auto counted = static_cast<double>(std::max<int64_t>(setup_.duration_ns, 1));
    for (size_t gpu = 0; gpu < use_ns_.size(); ++gpu) {
      const GpuState& state = host_.gpus()[gpu];
      const auto total = static_cast<double>(std::max<int64_t>(state.memory_total_bytes.value_or(1), 1));
      outcome_.gpus.push_back({.name = state.name,
                               .memory_bytes = state.memory_total_bytes.value_or(0),
                               .use = use_ns_[gpu] / counted,
                               .held_share = held_ns_[gpu] / counted / total,
                               .reserved_share = reserved_ns_[gpu] / counted / total});
    }
  }

  const Setup& setup_;
  std::shared_ptr<const config::Config> config_;
  VirtualHost host_;
  std::unique_ptr<Engine> engine_;
  Forecaster forecaster_;
  Outcome outcome_;
  int64_t sample_every_ns_;
  int64_t moment_every_ns_;
  int64_t now_ns_ = kStart_ns;
  int64_t next_sample_ns_ = kStart_ns;
  int64_t next_moment_ns_ = kStart_ns;
  int64_t last_moment_ns_ = kStart_ns;
  double moment_use_ns_ = 0;  ///< of all GPUs, since the last moment
  size_t next_job_ = 0;
  int64_t live_ = 0;
  std::map<int64_t, size_t> job_of_;               ///< by task
  std::map<int64_t, int64_t> now_of_past_;         ///< ids
  std::map<int64_t, std::vector<Interval>> open_;  ///< by task that runs
  std::map<int64_t, int64_t> peaks_;               ///< likewise
  std::map<int64_t, StartForecast> forecasts_;     ///< by task
  std::vector<double> held_ns_;
  std::vector<double> reserved_ns_;
  std::vector<int64_t> reserved_;
  std::vector<double> use_ns_;
};

}  // namespace

Result<Outcome> simulate(const Setup& setup) {
  if (setup.host.gpus.empty()) return fail("no GPU to simulate");
  return Simulator(setup).run();
}

}  // namespace sonde::dispatch::simulation
