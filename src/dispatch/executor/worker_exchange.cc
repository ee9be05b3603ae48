#include "dispatch/executor/worker_exchange.h"

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
constexpr std::chrono::milliseconds kConnectTimeout{10'000};

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

http::Request WorkerExchange::request() {
  http::Request request{.method = "POST", .url = url_, .body = std::move(launch_.inference->request)};
  request.headers.emplace_back("Content-Type: application/json");
  request.is_repeatable = true;  // a worker whose connection broke is asked again in any case
  request.connect_timeout = kConnectTimeout;
  const std::chrono::milliseconds limit(launch_.time_limit_ns.value_or(0) / 1'000'000);
  if (limit.count() > 0) request.timeout = limit;
  request.take_body = [this](std::string_view part) { append(part); };
  return request;
}

void WorkerExchange::append(std::string_view part) {
  begin_.append(part.substr(0, kMaxErrorBytes - std::min(begin_.size(), kMaxErrorBytes)));
  while (!part.empty()) {
    const auto chunk = part.substr(0, static_cast<size_t>(keeper::kLongestChunk));
    output_.append(chunk);
    part.remove_prefix(chunk.size());
  }
}

EndReport WorkerExchange::done(const http::Outcome& outcome) {
  constexpr int kOk = 200;
  if (!outcome && outcome.error().kind == http::Failure::Kind::timed_out && launch_.time_limit_ns) {
    return report(EndCause::time_limit, fmt::format("the worker at {} did not respond in time", launch_.worker_url));
  }
  if (!outcome) {
    return given_up(
        fmt::format("the request to the worker at {} failed: {}", launch_.worker_url, outcome.error().what));
  }
  if (outcome->status != kOk) return refused(outcome->status);
  if (!output_.is_empty() && (!output_.sync() || output_.lost() > 0)) {
    return given_up("the response of the worker could not be written: is the disk full?");
  }
  EndReport end = report(EndCause::exit, {});
  end.exit_status = 0;
  return end;
}

/// 4xx says that the request is wrong: it is no use to send it again. 408 and 429 ask for just that.
EndReport WorkerExchange::refused(int status) const {
  constexpr int kTimeout = 408;
  constexpr int kTooMany = 429;
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
