#include <curl/curl.h>

#include <atomic>

#include "base/curl_handle.h"
#include "monitor/alerts.h"

namespace sonde::monitor {
namespace {

size_t drop(const char* /*data*/, size_t size, size_t count, void* /*to*/) { return size * count; }

int stop_where_asked(void* stopping, curl_off_t /*dl_total*/, curl_off_t /*dl*/, curl_off_t /*ul_total*/,
                     curl_off_t /*ul*/) {
  return static_cast<const std::atomic<bool>*>(stopping)->load() ? 1 : 0;
}

class CurlPoster final : public HttpPoster {
 public:
  Result<int> post(const std::string& url, std::string_view content_type, const std::string& body,
                   std::chrono::milliseconds timeout) override {
    const CurlHandle easy = new_curl_handle();
    if (!easy) return fail("out of memory for a connection");
    CurlList headers;
    add_header(headers, fmt::format("Content-Type: {}", content_type));
    set_up_curl(easy.get(), url);
    set_up(easy.get(), body, timeout);
    curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers.get());
    if (const CURLcode code = curl_easy_perform(easy.get()); code != CURLE_OK) {
      return std::unexpected(Error{curl_easy_strerror(code)});  // without the URL: it may hold a token
    }
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
  }

  void stop() override { stopping_ = true; }

 private:
  void set_up(CURL* easy, const std::string& body, std::chrono::milliseconds timeout) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, stop_where_asked);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &stopping_);
  }

  std::atomic<bool> stopping_ = false;
};

}  // namespace

std::unique_ptr<HttpPoster> curl_poster() { return std::make_unique<CurlPoster>(); }

}  // namespace sonde::monitor
