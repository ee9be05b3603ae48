#pragma once

#include <atomic>
#include <list>
#include <memory>

#include "server/beast.h"
#include "server/server.h"

namespace sonde::server {

/// What the hub knows of a connection.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Ends it where it stands: what it waits for comes back with an error.
  virtual void cut() = 0;
  /// There are new events, or the server is stopping.
  virtual void wake() = 0;
};

/// What connections share. All but what is atomic is used on the io thread alone.
struct Hub {
  Hub(config::Server server, std::chrono::milliseconds pace, Server::Answer answers, monitor::EventLog& log_of_events,
      Log& to)
      : options(std::move(server)), stream_pace(pace), answer(std::move(answers)), events(log_of_events), log(to) {}

  config::Server options;
  std::chrono::milliseconds stream_pace;
  Server::Answer answer;
  monitor::EventLog& events;
  Log& log;

  asio::io_context io{1};
  /// Answers are made here: one that waits for a disk holds up neither other connections nor their time limits.
  asio::thread_pool pool{4};

  std::list<Connection*> all;
  /// Those whose next request has not arrived whole, longest waiting first: they make room for new ones.
  std::list<Connection*> waiting;
  size_t body_bytes = 0;  ///< of requests that are here and not answered yet
  bool stopping = false;

  std::atomic<int64_t> streams{0};      ///< of events
  std::atomic<size_t> answer_bytes{0};  ///< of answers that were made and not sent yet

  std::atomic<int64_t> connections{0};
  std::atomic<int64_t> accepted{0};
  std::atomic<int64_t> refused_connections{0};
  std::atomic<int64_t> requests{0};
  std::atomic<int64_t> timed_out{0};

  /// Memory limit of unread responses; beyond it only short responses are sent.
  static constexpr size_t kMaxAnswerBytes = 64U << 20U;

  /// Bodies of all connections together may take so much.
  [[nodiscard]] size_t max_body_bytes() const {
    constexpr size_t kDefault = 64U << 20U;
    return std::max(kDefault, 4 * static_cast<size_t>(options.max_body_bytes));
  }
};

}  // namespace sonde::server
