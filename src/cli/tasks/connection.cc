#include "cli/tasks/connection.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/files/small_file.h"
#include "base/http/url.h"
#include "base/text/decimal.h"
#include "cli/tasks/interrupt.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kUsualUrl = "http://127.0.0.1:8470";
constexpr size_t kMostKeyBytes = 4096;
/// A response with a thousand tasks has about 1 MB. Another program's may be of any length.
constexpr uint64_t kMaxResponseBytes = 256U << 20;
/// For a key that makes too many requests, and for connections that are lost.
constexpr int kMostTries = 6;
constexpr milliseconds kFirstPause{200};
/// For a service that is started anew; a host takes minutes to come up.
constexpr seconds kPatienceForService{900};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? std::string() : value;
}

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

Result<std::string> key_of(const ConnectionOptions& options) {
  std::string key = variable("SONDE_API_KEY");
  if (!options.key_file.empty()) {
    auto text = read_small_file(options.key_file, kMostKeyBytes);
    if (!text) return std::unexpected(text.error());
    key = std::move(*text);
  }
  key.erase(key.find_last_not_of(" \t\r\n") + 1);
  if (key.empty() && options.key_file.empty()) return key;  // the service says whether it wants one
  if (is_key(key)) return key;
  const std::string where = options.key_file.empty() ? "SONDE_API_KEY" : options.key_file;
  return fail("{} does not contain a key; a key is one word, as printed by `sonde keys add NAME --role submit`", where);
}

Result<std::string> url_of(const ConnectionOptions& options) {
  std::string url = options.url.empty() ? variable("SONDE_URL") : options.url;
  if (url.empty()) url = kUsualUrl;
  const std::string shown = one_line(url);
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return fail("'{}' is not the URL of a service; it must begin with http:// or https://, as {} does", shown,
                kUsualUrl);
  }
  const size_t host = url.find("://") + 3;
  if (url.find('@', host) != std::string::npos) {
    return fail("the URL must not contain a user or password; put the key into SONDE_API_KEY or a file for --key-file");
  }
  if (url.find_first_of("?# ", host) != std::string::npos) return fail("'{}' is not the URL of a service", shown);
  while (url.ends_with('/')) url.pop_back();
  return url;
}

/// The last part of a problem's type.
std::string code_of(const Json& problem) {
  const std::string type = raw_text(problem, "type");
  return type.substr(type.rfind('/') + 1);
}

std::optional<int64_t> retry_after_s(const http::Response& response) {
  const auto found = response.headers.find("retry-after");
  const auto wait = found == response.headers.end() ? std::nullopt : integer_of<int64_t>(found->second);
  constexpr int64_t kDay = 86400;
  return wait && *wait >= 0 ? std::optional(std::min(*wait, kDay)) : std::nullopt;
}

Json parsed(const http::Response& response) { return Json::parse(response.body, nullptr, false); }

void say(const std::string& text) { fmt::print(stderr, "sonde: {}\n", text); }

/// Whether and how a call that failed is made once more. The pauses are told where they are long.
class Retry {
 public:
  explicit Retry(const Call& call) : call_(call) {}

  /// Waits, where the call is to be made again.
  bool after(const http::Failure& failure) {
    if (Interrupt::came() || failure.kind == http::Failure::Kind::untrusted) return false;
    if (call_.waits_for_service) return wait_for_service(failure);
    const bool lost = failure.kind == http::Failure::Kind::broken;
    const bool harmless = call_.method == "GET" || !call_.idempotency_key.empty();
    return lost && harmless && ++tries_ < kMostTries / 2 && pause(kFirstPause * tries_);
  }

  bool after(const http::Response& response) {
    if (response.status == 503 && call_.waits_for_service) {
      const Json problem = parsed(response);
      const std::string detail = raw_text(problem, "detail");
      const bool stays_so = code_of(problem) == "tasks_disabled";
      return !stays_so && wait_for_service({.what = detail.empty() ? "it answers 503" : detail});
    }
    if (response.status != 429) return false;
    const seconds wait(retry_after_s(response).value_or(1));
    if (code_of(parsed(response)) == "queue_full") {
      if (call_.waits_for_room) say(fmt::format("the queue is full; retrying in {} s", wait.count()));
      return call_.waits_for_room && pause(std::max<milliseconds>(wait, kFirstPause));
    }
    constexpr seconds kLong{60};
    return wait <= kLong && ++tries_ < kMostTries && pause(std::max<milliseconds>(wait, kFirstPause));
  }

 private:
  static bool pause(milliseconds time) {
    Interrupt::sleep(time);
    return !Interrupt::came();
  }

  bool wait_for_service(const http::Failure& failure) {
    const auto now = std::chrono::steady_clock::now();
    if (!since_) say(fmt::format("the service does not respond ({}); waiting for it", one_line(failure.what)));
    if (!since_) since_ = now;
    return now - *since_ < kPatienceForService && pause(seconds(1));
  }

  const Call& call_;
  int tries_ = 0;
  std::optional<std::chrono::steady_clock::time_point> since_;
};

}  // namespace

void add_connection_options(CommandLine& command, ConnectionOptions& options) {
  command.option("--url", options.url, "URL",
                 fmt::format("URL of the service (default: $SONDE_URL, else {})", kUsualUrl));
  command.option("--key-file", options.key_file, "FILE",
                 "file that contains the API key (default: the key in $SONDE_API_KEY)");
  command.option("--ca-file", options.authorities, "FILE", "file of CA certificates (PEM) to verify an https service");
}

Result<Connection> Connection::open(const ConnectionOptions& options) {
  auto url = url_of(options);
  if (!url) return std::unexpected(url.error());
  auto key = key_of(options);
  if (!key) return std::unexpected(key.error());
  return Connection(http::Client(options.authorities), std::move(*url), std::move(*key));
}

http::Request Connection::request_of(const Call& call) const {
  http::Request request{.method = call.method, .url = url_ + call.path};
  request.headers.emplace_back("Accept: application/json");
  if (!key_.empty()) request.headers.push_back("Authorization: Bearer " + key_);
  if (call.method != "GET")
    request.body = call.body ? call.body->dump(-1, ' ', false, Json::error_handler_t::replace) : "";
  if (call.body) request.headers.emplace_back("Content-Type: application/json");
  if (!call.idempotency_key.empty()) request.headers.push_back("Idempotency-Key: " + call.idempotency_key);
  request.is_repeatable = !call.idempotency_key.empty();
  request.timeout = call.patience;
  request.max_body_bytes = kMaxResponseBytes;
  const auto url = http::parse_url(url_);
  request.ignore_proxies = url && http::is_loopback_host(url->host);
  return request;
}

Error Connection::failure_text(const http::Failure& failure) const {
  const std::string what = one_line(failure.what);
  switch (failure.kind) {
    case http::Failure::Kind::unreachable:
      return {fmt::format("no service responds at {} ({}); `sonde serve` starts one, --url or SONDE_URL names another",
                          one_line(url_), what)};
    case http::Failure::Kind::untrusted:
      return {
          fmt::format("the certificate of {} is not trusted ({}); --ca-file FILE names the authority that issued it",
                      one_line(url_), what)};
    case http::Failure::Kind::cancelled: return {"interrupted"};
    case http::Failure::Kind::timed_out:
      return {fmt::format("the service at {} takes too long to respond ({})", one_line(url_), what)};
    default: return {fmt::format("the connection to {} broke ({})", one_line(url_), what)};
  }
}

Result<Json> Connection::answer(const http::Response& response) const {
  Json document = parsed(response);
  constexpr int kFirstError = 300;
  if (response.status < kFirstError && !document.is_discarded()) return document;
  const std::string detail = text_of(document, "detail");
  const std::string code = code_of(document);
  if (detail.empty()) {
    return fail("{} returned HTTP status {} and no response of Sonde's service; check the URL", one_line(url_),
                response.status);
  }
  if (code == "no_key") {
    return fail(
        "the service requires a key. Put it into SONDE_API_KEY, or into a file for --key-file. `sonde keys add NAME "
        "--role submit`, run on the host of the service, creates one");
  }
  if (code == "queue_full") {
    const auto wait = retry_after_s(response);
    return fail("{}{}", detail, wait ? fmt::format(" Retry in {} s, or use --wait.", *wait) : "");
  }
  return fail("{}", detail);
}

Result<Json> Connection::get(const std::string& path) { return call({.path = path}); }

Result<Json> Connection::call(const Call& call) {
  const http::Request request = request_of(call);
  Retry retry(call);
  while (true) {
    const auto response = client_.exchange(request, Interrupt::came);
    status_ = response ? response->status : 0;
    if (response ? retry.after(*response) : retry.after(response.error())) continue;
    return response ? answer(*response) : std::unexpected(failure_text(response.error()));
  }
}

}  // namespace sonde::tasks
