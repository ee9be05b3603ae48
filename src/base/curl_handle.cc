#include "base/curl_handle.h"

#include <curl/curl.h>

#include <cstdlib>
#include <mutex>

namespace sonde {
namespace {

std::string usual_authorities() {
  for (const char* const name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* const file = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (file != nullptr && *file != '\0') return file;
  }
  return {};
}

}  // namespace

void CurlEnd::operator()(void* easy) const { curl_easy_cleanup(easy); }
void CurlListEnd::operator()(curl_slist* list) const { curl_slist_free_all(list); }

CurlHandle new_curl_handle() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return CurlHandle(curl_easy_init());
}

void set_up_curl(void* easy, const std::string& url, const std::string& authorities) {
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "sonde");
  const std::string file = authorities.empty() ? usual_authorities() : authorities;
  if (!file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, file.c_str());
}

void add_header(CurlList& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return;
  static_cast<void>(list.release());  // the head of the longer list is the same
  list.reset(longer);
}

}  // namespace sonde
