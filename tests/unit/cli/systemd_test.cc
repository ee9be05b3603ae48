#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files/descriptor.h"
#include "cli/serve/journal_entry.h"
#include "cli/serve/supervisor.h"
#include "cli/serve/unix_datagram.h"

namespace sonde::serve {
namespace systemd_test {

/// What systemd and its journal listen at.
class DatagramSocket {
 public:
  explicit DatagramSocket(const std::string& path) : number_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::ranges::copy(path, address.sun_path);
    if (path.starts_with('@')) address.sun_path[0] = '\0';
    const auto size = offsetof(sockaddr_un, sun_path) + path.size() + (path.starts_with('@') ? 0 : 1);
    EXPECT_EQ(bind(number_.get(), reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(size)), 0);
  }

  /// The next message; that of a file where one came instead.
  [[nodiscard]] std::string next() {
    std::string text(1U << 20, '\0');
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
    iovec part = {.iov_base = text.data(), .iov_len = text.size()};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    text.resize(static_cast<size_t>(recvmsg(number_.get(), &message, 0)));
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    return header == nullptr ? text : content_of(header);
  }

 private:
  static std::string content_of(const cmsghdr* header) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof number);
    const Descriptor file(number);
    EXPECT_EQ(fcntl(number, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    std::string text(static_cast<size_t>(lseek(number, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(number, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

  Descriptor number_;
};

std::string socket_path() { return fmt::format("{}/notify_{}", testing::TempDir(), getpid()); }

TEST(UnixDatagram, GoesToAPathOrAName) {
  const std::string path = socket_path();
  for (const std::string& name : {path, fmt::format("@sonde_test_{}", getpid())}) {
    DatagramSocket socket(name);
    EXPECT_TRUE(send_datagram(name, "hello"));
    EXPECT_EQ(socket.next(), "hello");
  }
  std::filesystem::remove(path);
  EXPECT_FALSE(send_datagram(path, "hello"));
  EXPECT_FALSE(send_datagram(std::string(200, 'x'), "hello"));
}

TEST(UnixDatagram, GoesAsAFileWhereItIsLong) {
  const std::string path = socket_path();
  DatagramSocket socket(path);
  const std::string text(5'000'000, 'x');
  EXPECT_TRUE(send_datagram(path, text));
  EXPECT_EQ(socket.next(), text);
  std::filesystem::remove(path);
}

TEST(Supervisor, NotifiesTheServiceManager) {
  const std::string path = socket_path();
  DatagramSocket socket(path);
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  Supervisor::ready();
  Supervisor::status("2 GPUs");
  Supervisor::stopping(std::chrono::seconds(3));
  unsetenv("NOTIFY_SOCKET");
  Supervisor::ready();
  EXPECT_EQ(socket.next(), "READY=1");
  EXPECT_EQ(socket.next(), "STATUS=2 GPUs");
  EXPECT_EQ(socket.next(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=3000000");
  std::filesystem::remove(path);
}

TEST(Supervisor, HasTheWatchdogOfItsOwnProcessOnly) {
  const auto watchdog = [](const char* interval, const std::string& process) {
    setenv("WATCHDOG_USEC", interval, 1);
    setenv("WATCHDOG_PID", process.c_str(), 1);
    const auto half = Supervisor::watchdog();
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    return half;
  };
  EXPECT_EQ(watchdog("200000", std::to_string(getpid())), std::chrono::microseconds(100000));
  EXPECT_EQ(watchdog("200000", ""), std::chrono::microseconds(100000));
  EXPECT_FALSE(watchdog("200000", "1"));
  EXPECT_FALSE(watchdog("", ""));
  EXPECT_FALSE(watchdog("0", ""));
}

TEST(JournalEntry, HasTheFields) {
  const std::vector<LogField> fields = {{"task", "12"}, {"reason", "two\nlines"}};
  EXPECT_EQ(journal_entry(LogLevel::warning, "it failed", fields),
            std::string("MESSAGE=it failed task=12 reason=two\\nlines\nSYSLOG_IDENTIFIER=sonde\nPRIORITY=4\n"
                        "SONDE_TASK=12\nSONDE_REASON\n") +
                std::string("\x09\0\0\0\0\0\0\0", 8) + "two\nlines\n");
}

}  // namespace systemd_test
}  // namespace sonde::serve
