#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/descriptor.h"
#include "record/session/message.h"

namespace sonde::record {

/// A recorder's side of its socket. Nothing here waits: it is asked at each look.
class Session {
 public:
  /// The error says why other commands cannot reach this recorder: no folder, or a name that is taken.
  [[nodiscard]] static Result<Session> open(const std::string& name);
  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  struct Asked {
    int connection;  ///< for answer()
    Request request;
  };
  /// The next request that has come. What is none is refused here.
  [[nodiscard]] std::optional<Asked> next();
  /// Answers and hangs up.
  void answer(int connection, const Answer& answer);

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct Guest {
    Descriptor connection;
    int64_t since_ns;
    bool asked = false;
  };

  Session(std::string name, std::string path, Descriptor listener)
      : name_(std::move(name)), path_(std::move(path)), listener_(std::move(listener)) {}
  void welcome();
  [[nodiscard]] std::optional<Asked> hear(Guest& guest);

  std::string name_;
  std::string path_;
  Descriptor listener_;
  std::vector<Guest> guests_;
};

}  // namespace sonde::record
