#include "dispatch/executor/worker_exchange.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dispatch/executor/out_of_memory.h"

namespace sonde::dispatch {
namespace {

constexpr size_t kMaxErrorBytes = 64 << 10;
constexpr size_t kMaxErrorShown = 500;
constexpr long kConnectMs = 10'000;

int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// As a part of a path: letters, digits and -._~ stay (RFC 3986, section 2.3).
std::string escaped(std::string_view part) {
  std::string text;
  for (const char c : part) {
    const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").contains(c);
    text += stays ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

/// What KServe v2 answers with an error: {"error": "..."}; else the beginning of the answer.
std::string error_of(const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_string()) return json["error"];
  return body.substr(0, kMaxErrorShown);
}

}  // namespace

std::string infer_url(const std::string& worker, const Inference& inference) {
  const std::string_view base(worker.data(), worker.find_last_not_of('/') + 1);
  const std::string version = inference.version.empty() ? "" : fmt::format("/versions/{}", escaped(inference.version));
  return fmt::format("{}/v2/models/{}{}/infer", base, escaped(inference.model), version);
}

WorkerExchange::WorkerExchange(const Launch& launch, const std::string& output)
    : launch_(launch),
      url_(infer_url(launch.worker_url, *launch.inference)),
      output_(output + ".stdout", launch.output_limit_bytes) {}

bool WorkerExchange::set_up() {
  easy_ = new_curl_handle();
  if (!easy_) return false;
  CURL* const easy = easy_.get();
  const std::string& body = launch_.inference->request;
  set_up_curl(easy, url_);
  add_header(headers_, "Content-Type: application/json");
  add_header(headers_, "Expect:");  // a worker's answer to it would be a round trip for nothing
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  const auto limit_ms = static_cast<long>(launch_.time_limit_ns.value_or(0) / 1'000'000);
  if (limit_ms > 0) curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, limit_ms);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  return true;
}

size_t WorkerExchange::take(const char* data, size_t size, size_t count, void* to) {
  static_cast<WorkerExchange*>(to)->append({data, size * count});
  return size * count;
}

void WorkerExchange::append(std::string_view part) {
  begin_.append(part.substr(0, kMaxErrorBytes - std::min(begin_.size(), kMaxErrorBytes)));
  while (!part.empty()) {
    const auto chunk = part.substr(0, static_cast<size_t>(keeper::kLongestChunk));
    output_.append(chunk);
    part.remove_prefix(chunk.size());
  }
}

EndReport WorkerExchange::done(int code) {
  constexpr long kOk = 200;
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_OPERATION_TIMEDOUT && launch_.time_limit_ns) {
    return report(EndCause::time_limit, fmt::format("the worker at {} did not respond in time", launch_.worker_url));
  }
  if (code != CURLE_OK) {
    return given_up(fmt::format("the request to the worker at {} failed: {}", launch_.worker_url,
                                curl_easy_strerror(static_cast<CURLcode>(code))));
  }
  if (status != kOk) return refused(status);
  if (!output_.is_empty() && (!output_.sync() || output_.lost() > 0)) {
    return given_up("the response of the worker could not be written: is the disk full?");
  }
  EndReport end = report(EndCause::exit, {});
  end.exit_status = 0;
  return end;
}

/// 4xx says that the request is wrong: it is no use to send it again. 408 and 429 ask for just that.
EndReport WorkerExchange::refused(long status) const {
  constexpr long kTimeout = 408;
  constexpr long kTooMany = 429;
  const std::string message =
      fmt::format("the worker at {} responded with {}: {}", launch_.worker_url, status, error_of(begin_));
  if (reports_gpu_out_of_memory(begin_)) return report(EndCause::out_of_memory, message);
  if (status < 400 || status >= 500 || status == kTimeout || status == kTooMany) return given_up(message);
  EndReport end = report(EndCause::exit, message);
  end.exit_status = 1;
  return end;
}

EndReport WorkerExchange::cancelled() const { return report(EndCause::cancelled, {}); }
EndReport WorkerExchange::given_up(std::string why) const { return report(EndCause::worker, std::move(why)); }

EndReport WorkerExchange::report(EndCause cause, std::string message) const {
  return {.task = launch_.task,
          .attempt = launch_.attempt,
          .cause = cause,
          .exit_status = {},
          .signal = {},
          .message = std::move(message),
          .ended_ns = now_ns()};
}

}  // namespace sonde::dispatch
