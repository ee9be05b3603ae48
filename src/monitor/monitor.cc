#include "monitor/monitor.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <thread>

#include <nlohmann/json.hpp>

#include "base/time_units.h"
#include "monitor/json.h"
#include "monitor/loop/event_listener.h"
#include "monitor/loop/event_writer.h"
#include "monitor/loop/gpu_reader.h"
#include "monitor/loop/identities.h"
#include "monitor/loop/judge.h"
#include "monitor/loop/source_keeper.h"
#include "monitor/loop/views.h"
#include "monitor/loop/wake.h"
#include "monitor/loop/waste_keeper.h"

namespace sonde::monitor {
namespace {

using std::chrono::milliseconds;

/// What a GPU may take to answer: more has no use at short intervals, and at long ones it hangs.
constexpr milliseconds kMaxTimeout(5000);
constexpr milliseconds kMinTimeout(100);
/// The first answer of a GPU wakes it, which takes seconds without persistence mode.
constexpr milliseconds kFirstTimeout(5000);
/// That a round waits for an opening. A library that hangs is waited for in short pieces, so that stop() is quick.
constexpr milliseconds kOpenTimeout(1000);
constexpr double kShortestIntervalS = 0.05;
/// Minimum time between two requested reads; a read of eight GPUs takes about 20 ms.
constexpr int64_t kLooksApartNs = 100 * kNsPerMillisecond;

int64_t of_seconds(double seconds) { return static_cast<int64_t>(std::max(seconds, kShortestIntervalS) * kSecondNs); }

/// When the host started, by the clock that `now_ns` reads.
int64_t booted_ns(int64_t now_ns) {
  timespec since{};
  if (clock_gettime(CLOCK_BOOTTIME, &since) != 0) return 0;
  return now_ns - (since.tv_sec * static_cast<int64_t>(kSecondNs) + since.tv_nsec);
}

/// An opened source, while it works.
struct Session {
  Session(const std::shared_ptr<device::DeviceSource>& source, bool on_demand)
      : info(source->info()), reader(source), listener(source, on_demand) {}
  device::SourceInfo info;
  loop::GpuReader reader;
  loop::EventListener listener;
};

class Worker : public Monitor {
 public:
  explicit Worker(MonitorParts parts)
      : parts_(std::move(parts)),
        wake_(std::make_shared<loop::Wake>()),
        opener_(parts_.open_source, [wake = wake_] { wake->call(); }),
        judge_(*parts_.history, booted_ns(parts_.now_ns())),
        waste_(*parts_.history, parts_.owners != nullptr && parts_.owners->sees_all()),
        published_(std::make_shared<HostSnapshot>()) {
    parts_.config->on_change([wake = wake_](const config::Config&) { wake->call(); });
    history_trouble_ = parts_.history->trouble();
  }
  ~Worker() override { Worker::stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start() override {
    threaded_ = true;
    thread_ = std::thread([this] { run(); });
  }

  void stop() override {
    wake_->end();
    if (thread_.joinable()) thread_.join();
    if (std::exchange(stopped_, true)) return;
    session_.reset();
    waste_.save();
    parts_.history->flush();
  }

  void round() override {
    const auto began = std::chrono::steady_clock::now();
    const auto config = parts_.config->current();
    const int64_t now_ns = parts_.now_ns();
    auto next = std::make_shared<HostSnapshot>();
    const bool reopened = open_source(now_ns);
    const bool read = read_gpus(*config, now_ns);
    follow_events(reopened);
    const loop::Processes processes = loop::owned_processes(samples_, parts_.owners);
    judge(*config, now_ns, reopened);
    if (config->gpu.monitoring.enabled && read) keep(*config, now_ns, processes);
    next->source = source_info_;
    next->gpus = loop::gpu_views(samples_, processes);
    next->xids = xids_;
    next->waste = waste_.days();
    note_round(next->state, began, read, now_ns);
    next->moment_ns = parts_.now_ns();
    publish(std::move(next), config->gpu.monitoring.enabled);
  }

  std::shared_ptr<const HostSnapshot> snapshot() const override {
    const std::scoped_lock lock(published_mutex_);
    return published_;
  }

  void on_round(std::function<void()> callback) override { callbacks_.push_back(std::move(callback)); }

  void look_soon() override {
    if (!look_wanted_.exchange(true)) wake_->call();
  }

  void report(std::vector<Reported> troubles) override {
    const std::scoped_lock lock(reported_mutex_);
    reported_ = std::move(troubles);
  }

  bool acknowledge(int64_t incident, const std::string& by) override {
    return change([&](IncidentBook& book) { return book.acknowledge(incident, by, parts_.now_ns()); });
  }
  bool clear(int64_t incident, const std::string& by) override {
    return change([&](IncidentBook& book) { return book.clear(incident, by, parts_.now_ns()); });
  }

 private:
  void run() {
    round();
    while (wake_->sleep(std::min(until_next_round(), until_next_look()))) {
      if (until_next_round().count() <= 0) {
        round();
      } else if (until_next_look().count() <= 0) {
        look();
      }
    }
  }

  std::chrono::nanoseconds until_next_look() const {
    const int64_t now_ns = parts_.now_ns();
    if (!look_wanted_ || !session_) return std::chrono::nanoseconds::max();
    if (now_ns < looked_ns_) return std::chrono::nanoseconds(0);  // the clock was set back
    return std::chrono::nanoseconds(looked_ns_ + kLooksApartNs - now_ns);
  }

  /// Use, memory and processes as of now, in the last round's snapshot.
  void look() {
    look_wanted_ = false;
    const auto config = parts_.config->current();
    loop::ReadPlan wanted = plan_of(*config);
    wanted.groups = device::fast | device::processes;
    session_->reader.read(wanted);
    samples_ = session_->reader.samples();
    identities_.recall(samples_, session_->info.simulated);
    auto next = std::make_shared<HostSnapshot>(*snapshot());
    next->gpus = loop::gpu_views(samples_, loop::owned_processes(samples_, parts_.owners));
    next->moment_ns = parts_.now_ns();
    publish(std::move(next), false);
  }

  static int64_t interval_ns(const config::Config& config) {
    const auto& gpu = config.gpu;
    return of_seconds(gpu.monitoring.enabled ? gpu.monitoring.interval : gpu.health_check_interval);
  }

  /// Rounds are at multiples of the interval, so that points of the history are evenly spaced. Without a source the
  /// next one may be due earlier.
  std::chrono::nanoseconds until_next_round() const {
    const int64_t interval = interval_ns(*parts_.config->current());
    const int64_t now_ns = parts_.now_ns();
    int64_t due_ns = (round_ns_ / interval + 1) * interval;
    if (now_ns < round_ns_) due_ns = now_ns;  // the clock was set back
    if (!session_) due_ns = std::min(due_ns, std::max(opener_.next_ns(), round_ns_ + of_seconds(1)));
    return std::chrono::nanoseconds(due_ns - now_ns);
  }

  /// Whether a source was opened in this round after an earlier one.
  bool open_source(int64_t now_ns) {
    round_ns_ = now_ns;
    if (session_) return false;
    const auto source = opener_.take(now_ns, threaded_ ? kOpenTimeout : kFirstTimeout);
    report_source(source ? source->gpu_count() : 0);
    if (!source) return false;
    session_ = std::make_unique<Session>(source, !threaded_);
    source_info_ = session_->info;
    slow_ns_.reset();
    return opener_.openings() > 1;
  }

  void report_source(size_t gpus) {
    const std::string trouble = session_ ? std::string() : opener_.trouble();
    if (trouble == source_trouble_ && (gpus == 0 || opener_.openings() > 1)) return;
    source_trouble_ = trouble;
    loop::write_source_state(parts_, trouble, gpus);
  }

  loop::ReadPlan plan_of(const config::Config& config) const {
    const int64_t interval = interval_ns(config);
    const milliseconds timeout(interval / kNsPerMillisecond);
    return {.groups = device::fast | device::gpm | device::processes,
            .timeout = std::clamp(timeout, kMinTimeout, kMaxTimeout),
            .interval_ns = interval,
            .now_ns = parts_.now_ns};
  }

  loop::ReadPlan plan(const config::Config& config, int64_t now_ns) {
    loop::ReadPlan plan = plan_of(config);
    const bool first = !slow_ns_;
    if (first || now_ns < *slow_ns_ || now_ns - *slow_ns_ >= of_seconds(config.gpu.health_check_interval)) {
      plan.groups |= device::slow;
      slow_ns_ = now_ns;
    }
    if (first) {
      plan.groups |= device::identity;
      plan.timeout = kFirstTimeout;
    }
    return plan;
  }

  /// False where there is nothing to read from.
  bool read_gpus(const config::Config& config, int64_t now_ns) {
    if (!session_) {
      for (GpuSample& sample : samples_) mark_without_source(sample, config, now_ns);
      return false;
    }
    session_->reader.read(plan(config, now_ns));
    samples_ = session_->reader.samples();
    identities_.recall(samples_, session_->info.simulated);
    if (session_->reader.source_failure() == nullptr) {
      opener_.worked();
      return true;
    }
    lose_source();
    return false;
  }

  static void mark_without_source(GpuSample& sample, const config::Config& config, int64_t now_ns) {
    sample.moment_ns = std::min(sample.moment_ns, now_ns);  // clocks are set back
    quality::Marker marker;
    sample.mark = marker.mark(sample, false, now_ns, interval_ns(config));
  }

  /// The library was taken away below us: it is opened again from the next round on.
  void lose_source() {
    source_trouble_ = session_->reader.source_failure()->message;
    loop::write_source_state(parts_, source_trouble_, 0);
    late_events_ = session_->listener.take();
    session_.reset();
  }

  void follow_events(bool reopened) {
    events_ = std::exchange(late_events_, {});
    if (session_) {
      for (const device::GpuEvent& event : session_->listener.take()) events_.push_back(event);
    }
    std::erase_if(events_, [&](const device::GpuEvent& event) { return event.gpu >= samples_.size(); });
    if (reopened) {
      std::erase_if(xids_, [&](const XidCount& count) { return count.gpu >= samples_.size(); });
    }
    loop::count_xids(xids_, events_);
  }

  void judge(const config::Config& config, int64_t now_ns, bool reopened) {
    const std::vector<Reported> reported = reported_now();
    const Round round{.moment_ns = now_ns,
                      .samples = samples_,
                      .events = events_,
                      .config = &config,
                      .source_reopened = reopened,
                      .reported = reported};
    std::vector<IncidentNews> news;
    std::vector<IncidentNews> by_people;
    std::vector<Incident> open;
    {
      const std::scoped_lock lock(book_mutex_);
      if (!samples_.empty()) news = judge_.look(round);
      by_people = std::exchange(by_people_, {});
      open = judge_.book().open();
    }
    loop::write_news(parts_, news);
    news.insert(news.end(), by_people.begin(), by_people.end());
    if (parts_.alerts != nullptr && config.gpu.monitoring.enabled) {
      parts_.alerts->notify(news, open, config.sonde.alerts);
    }
  }

  /// Of GPUs that there are.
  std::vector<Reported> reported_now() const {
    const std::scoped_lock lock(reported_mutex_);
    std::vector<Reported> now;
    std::ranges::copy_if(reported_, std::back_inserter(now),
                         [&](const Reported& each) { return each.seen.gpu < samples_.size(); });
    return now;
  }

  void keep(const config::Config& config, int64_t now_ns, const loop::Processes& processes) {
    parts_.history->add(now_ns, samples_);
    waste_.take(now_ns, samples_, processes, config.sonde);
  }

  void note_round(MonitorState& state, std::chrono::steady_clock::time_point began, bool read, int64_t now_ns) {
    state_.rounds += 1;
    if (read) {
      state_.last_success_ns = now_ns;
    } else {
      state_.failed_rounds += 1;
    }
    state_.source_openings = opener_.openings();
    state_.source_trouble = source_trouble_;
    state_.history_trouble = parts_.history->trouble();
    if (state_.history_trouble != history_trouble_) {
      history_trouble_ = state_.history_trouble;
      loop::write_history_state(parts_, history_trouble_);
    }
    if (parts_.alerts != nullptr) state_.alerts = parts_.alerts->counts();
    state_.last_duration_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    state = state_;
  }

  void publish(std::shared_ptr<HostSnapshot> next, bool tell) {
    {
      // What a person changes meanwhile is not lost: change() waits for this.
      const std::scoped_lock lock(book_mutex_);
      loop::set_incidents(*next, judge_.book().open());
      const std::scoped_lock published(published_mutex_);
      published_ = next;
    }
    if (tell) parts_.events->add("samples", json_line(samples_event_json(*next)));
    looked_ns_ = parts_.now_ns();
    for (const auto& callback : callbacks_) callback();
  }

  /// A change by a user: visible immediately, sent to alert receivers at the next round.
  template <typename Change>
  bool change(const Change& make) {
    std::optional<IncidentNews> news;
    {
      const std::scoped_lock lock(book_mutex_);
      news = make(judge_.book());
      if (!news) return false;
      const std::scoped_lock published(published_mutex_);
      auto next = std::make_shared<HostSnapshot>(*published_);
      loop::set_incidents(*next, judge_.book().open());
      published_ = std::move(next);
      by_people_.push_back(*news);
    }
    loop::write_news(parts_, std::span(&*news, 1));
    return true;
  }

  MonitorParts parts_;
  std::shared_ptr<loop::Wake> wake_;  ///< shared with callbacks that may outlive this object
  loop::SourceKeeper opener_;
  std::unique_ptr<Session> session_;
  device::SourceInfo source_info_;
  std::string source_trouble_;
  std::string history_trouble_;
  std::vector<GpuSample> samples_;
  std::vector<device::GpuEvent> events_;
  std::vector<device::GpuEvent> late_events_;
  std::vector<XidCount> xids_;
  std::optional<int64_t> slow_ns_;  ///< when slow values were read last
  int64_t round_ns_ = 0;
  MonitorState state_;
  bool threaded_ = false;
  bool stopped_ = false;
  std::vector<std::function<void()>> callbacks_;
  std::atomic<bool> look_wanted_ = false;
  int64_t looked_ns_ = 0;  ///< when the GPUs were read last

  mutable std::mutex reported_mutex_;
  std::vector<Reported> reported_;

  std::mutex book_mutex_;  ///< guards judge_'s book and what is below; taken before published_mutex_
  loop::Judge judge_;
  std::vector<IncidentNews> by_people_;  ///< since the last round
  loop::Identities identities_{judge_.book().open()};

  loop::WasteKeeper waste_;
  mutable std::mutex published_mutex_;
  std::shared_ptr<const HostSnapshot> published_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Monitor> Monitor::make(MonitorParts parts) { return std::make_unique<Worker>(std::move(parts)); }

}  // namespace sonde::monitor
