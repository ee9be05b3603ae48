#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Requests and responses without sockets.
namespace sonde::api {

enum class Method { get, post, put, patch, del, head, options, other };
[[nodiscard]] std::string_view method_name(Method method);  ///< "GET"

struct Request {
  Method method = Method::get;
  std::string path;                                         ///< decoded, without the query: "/api/v1/gpus"
  std::vector<std::pair<std::string, std::string>> query;   ///< decoded, in their order
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
  std::string body;
  std::string remote_address;  ///< without the port
  /// Whether an event stream that goes on may go on: its one request was counted when it came.
  bool is_checked_again = false;
};

/// From which event on a stream of events goes, where the response is one.
struct EventStream {
  int64_t after_id = 0;
  std::vector<std::string> types;  ///< empty: all
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::optional<EventStream> events;  ///< the server goes on with server-sent events from the log
  /// The answer is made later, without holding a thread: called once, and calls `done` once, from any thread, which
  /// must not wait there. What it gives may have a `later` of its own: that begins on a thread of the server's. All
  /// other members but the next one are ignored then.
  std::function<void(std::function<void(Response)> done)> later;
  /// The later answer is of a wait that nobody needs the end of: a server that stops does not wait for it.
  bool is_only_waiting = false;
};

}  // namespace sonde::api
