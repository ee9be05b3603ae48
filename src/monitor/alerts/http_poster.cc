#include <atomic>

#include "base/http/client.h"
#include "monitor/alerts.h"

namespace sonde::monitor {
namespace {

class ClientPoster final : public HttpPoster {
 public:
  Result<int> post(const std::string& url, std::string_view content_type, const std::string& body,
                   std::chrono::milliseconds timeout) override {
    http::Request request{.method = "POST", .url = url, .body = body, .timeout = timeout};
    request.headers.push_back(fmt::format("Content-Type: {}", content_type));
    request.take_body = [](std::string_view /*part*/) {};
    const auto response = http::Client().exchange(std::move(request), [this] { return stopping_.load(); });
    if (!response) return fail("{}", response.error().what);
    return response->status;
  }

  void stop() override { stopping_ = true; }

 private:
  std::atomic<bool> stopping_ = false;
};

}  // namespace

std::unique_ptr<HttpPoster> http_poster() { return std::make_unique<ClientPoster>(); }

}  // namespace sonde::monitor
