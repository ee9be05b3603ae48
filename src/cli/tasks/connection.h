#pragma once

#include <chrono>
#include <optional>
#include <string>
#include "cli/options.h"

#include "base/error.h"
#include "base/http/client.h"
#include "cli/tasks/json_read.h"

namespace sonde::tasks {

/// Which service, and who asks. The key never stands on a command line, where every user of the host could read it.
struct ConnectionOptions {
  std::string url;
  std::string key_file;
  std::string authorities;
};
void add_connection_options(CommandLine& command, ConnectionOptions& options);

/// How a call is made.
struct Call {
  std::string method = "GET";
  std::string path;                  ///< with its query: "/api/v1/tasks?limit=10"
  std::optional<Json> body = {};     ///< of a POST; none: an empty one
  std::string idempotency_key = {};  ///< makes a POST safe to repeat
  bool waits_for_room = false;       ///< a full queue is waited for
  bool waits_for_service = false;    ///< as is a service that is started anew
  std::chrono::milliseconds patience = std::chrono::seconds(30);
};

/// The API of a service. Errors say what happened and what to do; what the service refuses, in its own words. Too many
/// requests are made again when the service says so; calls that lost their connection, where that changes nothing
/// twice.
class Connection {
 public:
  [[nodiscard]] static Result<Connection> open(const ConnectionOptions& options);

  [[nodiscard]] Result<Json> get(const std::string& path);
  [[nodiscard]] Result<Json> call(const Call& call);
  /// HTTP status of the last answer; 0: there was none.
  [[nodiscard]] int status() const { return status_; }

 private:
  Connection(http::Client client, std::string url, std::string key)
      : client_(std::move(client)), url_(std::move(url)), key_(std::move(key)) {}
  [[nodiscard]] http::Request request_of(const Call& call) const;
  [[nodiscard]] Result<Json> answer(const http::Response& response) const;
  [[nodiscard]] Error failure_text(const http::Failure& failure) const;

  http::Client client_;
  std::string url_;
  std::string key_;
  int status_ = 0;
};

}  // namespace sonde::tasks
