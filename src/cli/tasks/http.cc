#include "cli/tasks/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>

#include "base/curl_handle.h"
#include "base/system/system_reason.h"
#include "cli/tasks/interrupt.h"

namespace sonde::tasks {
namespace {

/// An answer with a thousand tasks has about 1 MB; whatever sends more is no service of ours.
constexpr size_t kMostBytes = 256UZ << 20;

size_t take_body(const char* data, size_t size, size_t count, void* to) {
  auto& body = static_cast<HttpResponse*>(to)->body;
  if (body.size() + size * count > kMostBytes) return 0;
  body.append(data, size * count);
  return size * count;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

size_t take_header(const char* data, size_t size, size_t count, void* to) {
  const std::string_view line(data, size * count);
  if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    static_cast<HttpResponse*>(to)->headers[name] = trimmed(line.substr(colon + 1));
  }
  return size * count;
}

int stop_where_interrupted(void* /*unused*/, curl_off_t /*dl_total*/, curl_off_t /*dl*/, curl_off_t /*ul_total*/,
                           curl_off_t /*ul*/) {
  return Interrupt::came() ? 1 : 0;
}

HttpFailure::Kind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return HttpFailure::Kind::unreachable;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return HttpFailure::Kind::untrusted;
    case CURLE_OPERATION_TIMEDOUT: return HttpFailure::Kind::timed_out;
    case CURLE_ABORTED_BY_CALLBACK: return HttpFailure::Kind::interrupted;
    default: return HttpFailure::Kind::broken;
  }
}

/// The system's words where it refused the connection: libcurl's differ from version to version.
std::string reason_of(CURL* easy, CURLcode code, std::string_view what) {
  long error = 0;
  curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &error);
  if (code == CURLE_COULDNT_CONNECT && error != 0) {
    return system_reason(static_cast<int>(error));
  }
  return what.empty() ? curl_easy_strerror(code) : std::string(what);
}

/// A proxy that the environment names is for other hosts.
bool is_own_host(std::string_view url) {
  const size_t start = url.find("://");
  if (start != std::string_view::npos) url.remove_prefix(start + 3);
  const std::string_view host =
      url.starts_with('[') ? url.substr(0, url.find(']') + 1) : url.substr(0, url.find_first_of(":/"));
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

void set_request(CURL* easy, const HttpRequest& request) {
  if (is_own_host(request.url)) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  if (request.body) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body->c_str());
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.patience.count()));
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, stop_where_interrupted);
}

void set_answer(CURL* easy, HttpResponse& response, std::array<char, CURL_ERROR_SIZE>& what) {
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &response);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &response);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, what.data());
}

CurlList header_list(const HttpRequest& request) {
  CurlList list;
  for (const std::string& header : request.headers) add_header(list, header);
  add_header(list, "Expect:");  // the service answers no 100-continue that would be worth a round trip
  return list;
}

}  // namespace

struct HttpClient::Handle {
  CurlHandle easy = new_curl_handle();
};

HttpClient::HttpClient(std::string authorities)
    : handle_(std::make_unique<Handle>()), authorities_(std::move(authorities)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;

std::expected<HttpResponse, HttpFailure> HttpClient::exchange(const HttpRequest& request) {
  CURL* const easy = handle_->easy.get();
  if (easy == nullptr) return std::unexpected(HttpFailure{.what = "there is no memory for a connection"});
  curl_easy_reset(easy);  // keeps the connection
  HttpResponse response;
  std::array<char, CURL_ERROR_SIZE> what{};
  const CurlList headers = header_list(request);
  set_up_curl(easy, request.url, authorities_);
  set_request(easy, request);
  set_answer(easy, response, what);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  if (const CURLcode code = curl_easy_perform(easy); code != CURLE_OK) {
    return std::unexpected(HttpFailure{kind_of(code), reason_of(easy, code, what.data())});
  }
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
  return response;
}

}  // namespace sonde::tasks
