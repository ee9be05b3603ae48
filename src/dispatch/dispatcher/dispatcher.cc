#include "dispatch/dispatcher.h"

#include <atomic>
#include <thread>

#include "dispatch/dispatcher/core.h"

namespace sonde::dispatch {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Shared with callbacks of others, which may come once more when this object is gone.
struct Shared {
  Inbox inbox;
};

class Threaded final : public Dispatcher {
 public:
  explicit Threaded(DispatcherParts parts) : parts_(parts), core_(std::move(parts)) {}
  ~Threaded() override { Threaded::stop(milliseconds(0)); }
  Threaded(const Threaded&) = delete;
  Threaded& operator=(const Threaded&) = delete;

  Status open() {
    SONDE_TRY(core_.restore());
    auto executor =
        parts_.make_executor([shared = shared_](EndReport report) { shared->inbox.put(std::move(report)); });
    if (!executor) return std::unexpected(std::move(executor).error());
    executor_ = std::move(*executor);
    parts_.config->on_change([shared = shared_](const config::Config&) { shared->inbox.notify_config(); });
    parts_.monitor->on_round([shared = shared_] { shared->inbox.notify_gpus(); });
    return {};
  }

  void start() override {
    core_.begin(*executor_);
    thread_ = std::thread([this] { run(); });
  }

  void stop(milliseconds timeout) override {
    if (std::exchange(stopped_, true)) return;
    timeout_ = timeout;
    drains_ = true;
    shared_->inbox.wake();
    if (thread_.joinable()) thread_.join();
    if (executor_) executor_->stop();
    core_.end();
  }

  void submit(TaskSpec spec, Submitted answered) override {
    shared_->inbox.put(SubmitInput{.spec = std::move(spec), .answered = std::move(answered)});
  }
  void submit_batch(std::string name, std::string idempotency_key, std::vector<TaskSpec> specs,
                    Submitted answered) override {
    shared_->inbox.put(BatchInput{.name = std::move(name),
                                  .idempotency_key = std::move(idempotency_key),
                                  .specs = std::move(specs),
                                  .answered = std::move(answered)});
  }
  void cancel(int64_t task, const std::string& by, std::function<void(Result<bool>)> answered) override {
    shared_->inbox.put(CancelInput{.task = task, .by = by, .answered = std::move(answered)});
  }

  Result<std::optional<Task>> find(int64_t task) const override { return core_.find(task); }
  Result<std::optional<Batch>> find_batch(int64_t batch) const override { return core_.find_batch(batch); }
  Result<std::vector<Task>> list(const TaskQuery& query) const override { return parts_.store->list(query); }
  std::vector<Task> queue(size_t max) const override { return core_.queue(max); }
  Result<std::optional<Explanation>> explain(int64_t task) const override { return core_.explain(task); }
  TypeFigures figures_of(const std::string& type) const override { return core_.figures_of(type); }
  std::shared_ptr<const QueueSnapshot> snapshot() const override { return core_.snapshot(); }
  const TaskStore& store() const override { return *parts_.store; }
  const Executor& executor() const override { return *executor_; }

  bool alive(milliseconds timeout) const override {
    const steady_clock::rep since = busy_since_;
    return since == 0 || steady_clock::now() - steady_clock::time_point(steady_clock::duration(since)) < timeout;
  }

 private:
  void run() {
    std::optional<steady_clock::time_point> ends;
    while (true) {
      Inputs inputs = shared_->inbox.take(time_left(ends));
      busy_since_ = steady_clock::now().time_since_epoch().count();
      if (drains_ && !ends) {
        ends = steady_clock::now() + timeout_.load();
        core_.drain();
      }
      core_.turn(std::move(inputs));
      busy_since_ = 0;
      if (ends && (core_.requests() == 0 || steady_clock::now() >= *ends)) break;
    }
    core_.turn(shared_->inbox.take(milliseconds(0)));
  }

  [[nodiscard]] std::chrono::nanoseconds time_left(const std::optional<steady_clock::time_point>& ends) const {
    const std::chrono::nanoseconds due(std::max<int64_t>(0, core_.next_ns() - parts_.now_ns()));
    if (!ends) return due;
    return std::min(due, std::max<std::chrono::nanoseconds>(*ends - steady_clock::now(), milliseconds(0)));
  }

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  DispatcherParts parts_;
  std::unique_ptr<Executor> executor_;
  Core core_;
  std::atomic<bool> drains_ = false;
  std::atomic<milliseconds> timeout_{milliseconds(0)};
  std::atomic<steady_clock::rep> busy_since_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Dispatcher>> Dispatcher::make(DispatcherParts parts) {
  auto dispatcher = std::make_unique<Threaded>(std::move(parts));
  SONDE_TRY(dispatcher->open());
  return dispatcher;
}

}  // namespace sonde::dispatch
