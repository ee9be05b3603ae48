#include "dispatch/executor/worker_requests.h"

#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/http/client.h"
#include "dispatch/executor/attempt_files.h"
#include "dispatch/executor/worker_exchange.h"

namespace sonde::dispatch {
namespace {

/// All requests are sent and read by one thread.
class ClientWorkerRequests final : public WorkerRequests {
 public:
  explicit ClientWorkerRequests(std::function<void(EndReport)> ended) : ended_(std::move(ended)) {
    thread_ = std::thread([this] { client_.run(); });
  }
  ~ClientWorkerRequests() override { ClientWorkerRequests::stop(); }
  ClientWorkerRequests(const ClientWorkerRequests&) = delete;
  ClientWorkerRequests& operator=(const ClientWorkerRequests&) = delete;

  void start(const Launch& launch, const std::string& output) override {
    const auto exchange = std::make_shared<WorkerExchange>(launch, output);
    if (!post([this, exchange] { begin(exchange); })) ended_(exchange->given_up("the service is stopping"));
  }

  void cancel(int64_t task, int64_t attempt) override {
    post([this, id = AttemptId(task, attempt)] {
      if (const auto found = exchanges_.find(id); found != exchanges_.end()) client_.cancel(found->second);
    });
  }

  void stop() override {
    {
      const std::scoped_lock lock(mutex_);
      if (!std::exchange(stopping_, true)) client_.post([this] { end_all(); });
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  /// False where the thread takes nothing more.
  bool post(std::function<void()> call) {
    const std::scoped_lock lock(mutex_);
    if (!stopping_) client_.post(std::move(call));
    return !stopping_;
  }

  void begin(const std::shared_ptr<WorkerExchange>& exchange) {
    exchanges_[exchange->id()] =
        client_.start(exchange->request(), [this, exchange](const http::Outcome& outcome) { end(*exchange, outcome); });
  }

  void end(WorkerExchange& exchange, const http::Outcome& outcome) {
    exchanges_.erase(exchange.id());
    const bool is_cancelled = !outcome && outcome.error().kind == http::Failure::Kind::cancelled;
    if (is_cancelled) return ended_(ending_ ? exchange.given_up("the service stopped") : exchange.cancelled());
    ended_(exchange.done(outcome));
  }

  void end_all() {
    ending_ = true;
    for (const auto& [attempt, id] : exchanges_) client_.cancel(id);
    client_.finish();
  }

  std::function<void(EndReport)> ended_;
  http::Client client_;
  std::map<AttemptId, uint64_t> exchanges_;  ///< of the thread alone, as is
  bool ending_ = false;
  std::mutex mutex_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<WorkerRequests> WorkerRequests::make(std::function<void(EndReport)> ended) {
  return std::make_unique<ClientWorkerRequests>(std::move(ended));
}

}  // namespace sonde::dispatch
