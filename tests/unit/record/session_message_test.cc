#include <gtest/gtest.h>

#include "record/session/folder.h"
#include "record/session/message.h"

namespace sonde::record {
namespace session_message_test {

Request full_request() {
  Request request{.verb = Verb::start, .round = {}, .signal = 15};
  request.round.output = "/tmp/a b=c\n.sqlite";
  request.round.overwrite = true;
  request.round.delay_ns = 7;
  request.round.duration_ns = 9;
  request.round.kill_signal = 9;
  request.round.stop_on_exit = false;
  request.round.only = 3;
  request.round.capture = {.trigger = wire::Trigger::nvtx,
                           .range = "step",
                           .domain = "library",
                           .any_domain = true,
                           .ends = false,
                           .ranges = 4,
                           .numbered = true,
                           .shutdown = true};
  return request;
}

TEST(SessionMessage, RequestComesAsItWasSent) {
  const Request sent = full_request();
  const auto got = read_request(packet_of(sent));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->verb, sent.verb);
  EXPECT_EQ(got->signal, sent.signal);
  EXPECT_EQ(packet_of(*got), packet_of(sent));
  EXPECT_EQ(got->round.output, sent.round.output);
  EXPECT_EQ(got->round.duration_ns, sent.round.duration_ns);
  EXPECT_EQ(got->round.capture.trigger, wire::Trigger::nvtx);
  EXPECT_EQ(got->round.capture.ranges, 4U);
  EXPECT_FALSE(got->round.stop_on_exit);
}

TEST(SessionMessage, AnswerComesAsItWasSent) {
  const auto got = read_answer(packet_of(Answer{.done = true, .lines = {"one", "", "three"}}));
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->done);
  EXPECT_EQ(got->lines, (std::vector<std::string>{"one", "", "three"}));
}

TEST(SessionMessage, RubbishIsRefused) {
  using namespace std::string_view_literals;
  for (const std::string_view packet :
       {""sv, "\0"sv, "start"sv, "nonsense\0"sv, "start\0"sv, "start\0output=relative\0"sv, "stop\0signal=-1\0"sv,
        "stop\0signal=65\0"sv, "stop\0signal=9x\0"sv, "stop\0delay_ns=9223372036854775807\0"sv, "stop\0trigger=3\0"sv,
        "stop\0overwrite=2\0"sv, "stop\0unknown=1\0"sv, "stop\0=\0"sv, "stop\0=1\0"sv, "stop\0\0"sv}) {
    EXPECT_FALSE(read_request(packet)) << packet;
  }
  EXPECT_FALSE(read_answer(""));
  EXPECT_FALSE(read_answer("perhaps\0"sv));
}

TEST(SessionMessage, CutAndChangedPacketsDoNoHarm) {
  const std::string packet = packet_of(full_request());
  for (size_t i = 0; i < packet.size(); ++i) {
    static_cast<void>(read_request(std::string_view(packet).substr(0, i)));
    for (const char byte : {'\0', '=', '\x7F', '\xFF', '9'}) {
      std::string changed = packet;
      changed[i] = byte;
      const auto got = read_request(changed);
      EXPECT_TRUE(!got || got->round.output.starts_with('/'));
    }
  }
}

TEST(SessionName, IsNoPath) {
  for (const char* name : {"a", "launch-17", "A.b_c-9"}) EXPECT_TRUE(check_session_name(name)) << name;
  for (const char* name : {"", ".", "..", "a/b", "../a", "1", "-a", "a b", "a\n"}) {
    EXPECT_FALSE(check_session_name(name)) << name;
  }
  EXPECT_FALSE(check_session_name(std::string(65, 'a')));
}

}  // namespace session_message_test
}  // namespace sonde::record
