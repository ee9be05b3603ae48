#include "server/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace sonde::server {

bool is_loopback(const std::string& address) {
  constexpr unsigned kFirstByte = 24;  // of an IPv4 address as a number
  constexpr uint32_t kLoopbackNet = 127;
  if (address == "localhost") return true;
  in_addr four = {};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> kFirstByte == kLoopbackNet;
  in6_addr six = {};
  return inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

}  // namespace sonde::server
