#include <curl/curl.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "monitor/alerts.h"

namespace sonde::monitor {
namespace {

struct EasyEnd {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct ListEnd {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

size_t drop(const char* /*data*/, size_t size, size_t count, void* /*to*/) { return size * count; }

int stop_where_asked(void* stopping, curl_off_t /*dl_total*/, curl_off_t /*dl*/, curl_off_t /*ul_total*/,
                     curl_off_t /*ul*/) {
  return static_cast<const std::atomic<bool>*>(stopping)->load() ? 1 : 0;
}

class CurlPoster final : public HttpPoster {
 public:
  CurlPoster() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    // As the programs curl and openssl do, for sites with an authority of their own.
    for (const char* const name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
      const char* const file = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
      if (file != nullptr && authorities_.empty()) authorities_ = file;
    }
  }

  Result<int> post(const std::string& url, std::string_view content_type, const std::string& body,
                   std::chrono::milliseconds timeout) override {
    const std::unique_ptr<CURL, EasyEnd> easy(curl_easy_init());
    if (!easy) return fail("there is no memory for a connection");
    const std::unique_ptr<curl_slist, ListEnd> headers(
        curl_slist_append(nullptr, fmt::format("Content-Type: {}", content_type).c_str()));
    set_up(easy.get(), url, body, timeout);
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
  void set_up(CURL* easy, const std::string& url, const std::string& body, std::chrono::milliseconds timeout) {
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);  // the body is for the configured receiver and no other
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);  // signals are the service's, and threads post at once
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "sonde");
    if (!authorities_.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, authorities_.c_str());
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, stop_where_asked);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &stopping_);
  }

  std::atomic<bool> stopping_ = false;
  std::string authorities_;  ///< file of certificates, PEM; empty: those of the system
};

}  // namespace

std::unique_ptr<HttpPoster> curl_poster() { return std::make_unique<CurlPoster>(); }

}  // namespace sonde::monitor
