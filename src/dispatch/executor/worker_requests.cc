#include "dispatch/executor/worker_requests.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "dispatch/executor/attempt_files.h"
#include "dispatch/executor/worker_exchange.h"

namespace sonde::dispatch {
namespace {

constexpr int kLongestWaitMs = 60'000;  // whoever has something for the thread wakes it

struct MultiEnd {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

/// All requests are sent and read by one thread, which libcurl wakes for each.
class CurlWorkerRequests final : public WorkerRequests {
 public:
  explicit CurlWorkerRequests(std::function<void(EndReport)> ended) : ended_(std::move(ended)) {
    thread_ = std::thread([this] { run(); });
  }
  ~CurlWorkerRequests() override { CurlWorkerRequests::stop(); }
  CurlWorkerRequests(const CurlWorkerRequests&) = delete;
  CurlWorkerRequests& operator=(const CurlWorkerRequests&) = delete;

  void start(const Launch& launch, const std::string& output) override {
    auto exchange = std::make_unique<WorkerExchange>(launch, output);
    const EndReport too_late = exchange->given_up("the service is stopping");
    if (!post(std::move(exchange))) return ended_(too_late);
    curl_multi_wakeup(multi_.get());
  }

  void cancel(int64_t task, int64_t attempt) override {
    {
      const std::scoped_lock lock(mutex_);
      cancelled_.emplace_back(task, attempt);
    }
    curl_multi_wakeup(multi_.get());
  }

  void stop() override {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    curl_multi_wakeup(multi_.get());
    if (thread_.joinable()) thread_.join();
  }

 private:
  /// False where the thread takes nothing more.
  bool post(std::unique_ptr<WorkerExchange> exchange) {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
    new_.push_back(std::move(exchange));
    return true;
  }

  void run() {
    while (take_posted()) {
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      end_done();
      curl_multi_poll(multi_.get(), nullptr, 0, kLongestWaitMs, nullptr);
    }
    while (!exchanges_.empty()) end(exchanges_.begin(), (*exchanges_.begin())->given_up("the service stopped"));
  }

  /// False where all is to end.
  bool take_posted() {
    std::vector<std::unique_ptr<WorkerExchange>> begun;
    std::vector<AttemptId> cancelled;
    {
      const std::scoped_lock lock(mutex_);
      std::swap(begun, new_);
      std::swap(cancelled, cancelled_);
      if (stopping_ && begun.empty()) return false;
    }
    for (auto& exchange : begun) begin(std::move(exchange));
    for (const AttemptId& id : cancelled) {
      const auto at = std::ranges::find(exchanges_, id, [](const auto& exchange) { return exchange->id(); });
      if (at != exchanges_.end()) end(at, (*at)->cancelled());
    }
    return true;
  }

  void begin(std::unique_ptr<WorkerExchange> exchange) {
    if (!exchange->set_up()) return ended_(exchange->given_up("out of memory for a connection"));
    curl_multi_add_handle(multi_.get(), exchange->easy());
    exchanges_.push_back(std::move(exchange));
  }

  void end_done() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const auto at = std::ranges::find(exchanges_, message->easy_handle, [](const auto& it) { return it->easy(); });
      if (at != exchanges_.end()) end(at, (*at)->done(message->data.result));
    }
  }

  void end(std::list<std::unique_ptr<WorkerExchange>>::iterator at, const EndReport& report) {
    curl_multi_remove_handle(multi_.get(), (*at)->easy());
    exchanges_.erase(at);
    ended_(report);
  }

  std::function<void(EndReport)> ended_;
  CurlHandle first_ = new_curl_handle();  // libcurl has to be set up before anything else of it
  std::unique_ptr<CURLM, MultiEnd> multi_{curl_multi_init()};
  std::list<std::unique_ptr<WorkerExchange>> exchanges_;  ///< of the thread alone
  std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerExchange>> new_;
  std::vector<AttemptId> cancelled_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<WorkerRequests> WorkerRequests::make(std::function<void(EndReport)> ended) {
  return std::make_unique<CurlWorkerRequests>(std::move(ended));
}

}  // namespace sonde::dispatch
