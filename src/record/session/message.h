#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "record/record.h"

/// What goes over a session's socket: a packet each way. A packet is words with a zero byte behind each; who sends them
/// is of the same user, and still anything may come.
namespace sonde::record {

enum class Verb : uint8_t { status, start, stop, cancel, shutdown };

struct Request {
  Verb verb = Verb::status;
  RoundOptions round = {};  ///< of a start
  int signal = 0;           ///< of a shutdown: sent to the program; 0 for none
};

/// What came of a request.
struct Answer {
  bool done = false;
  std::vector<std::string> lines;  ///< what to tell; of a request that was not done, why
};

/// Larger packets are none of ours.
inline constexpr size_t kMaxPacket = 65536;

[[nodiscard]] std::string packet_of(const Request& request);
[[nodiscard]] std::string packet_of(const Answer& answer);
/// Errors name the word that is wrong.
[[nodiscard]] Result<Request> read_request(std::string_view packet);
[[nodiscard]] Result<Answer> read_answer(std::string_view packet);

}  // namespace sonde::record
