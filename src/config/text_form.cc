#include "config/text_form.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text/decimal.h"

namespace sonde::config {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

/// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kShape, [](char c, char shape) { return shape == '-' ? c == '-' : is_hex(c); });
}

/// Number of a GPU, as an index: no sign, no leading zero.
bool is_index(std::string_view text) {
  constexpr size_t kMaxDigits = 4;
  return !text.empty() && text.size() <= kMaxDigits && std::ranges::all_of(text, is_digit) &&
         (text.size() == 1 || text[0] != '0');
}

/// "UUID/GI/CI", as drivers before R470 name MIG devices behind MIG-GPU-.
bool is_old_mig(std::string_view text) {
  constexpr size_t kUuidSize = 36;
  const std::string_view instances = text.substr(std::min(text.size(), kUuidSize));
  const size_t slash = instances.rfind('/');
  return is_uuid(text.substr(0, kUuidSize)) && slash != std::string_view::npos && slash > 1 && instances[0] == '/' &&
         is_index(instances.substr(1, slash - 1)) && is_index(instances.substr(slash + 1));
}

/// "HOST", "HOST:PORT" or "[IPv6]:PORT".
bool is_authority(std::string_view text) {
  constexpr int kMaxPort = 65535;
  std::string_view port;
  bool host_is_good = false;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    in6_addr six = {};
    host_is_good = inet_pton(AF_INET6, std::string(text.substr(1, end - 1)).c_str(), &six) == 1;
    port = text.substr(end + 1);
  } else {
    const std::string_view host = text.substr(0, text.find(':'));
    host_is_good = !host.empty() && host[0] != '.' && host[0] != '-' && std::ranges::all_of(host, [](char c) {
      return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_';
    });
    port = text.substr(host.size());
  }
  if (!host_is_good || port.empty()) return host_is_good;
  const auto number = integer_of<int>(port.substr(1));
  return port[0] == ':' && number && *number > 0 && *number <= kMaxPort;
}

bool is_at_or_under(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

bool is_path(std::string_view text) { return !text.starts_with('~') && std::ranges::none_of(text, is_control); }

bool is_library(std::string_view text) { return is_path(text); }

bool is_address(std::string_view text) {
  in_addr four = {};
  in6_addr six = {};
  const std::string address(text);
  return address == "localhost" || inet_pton(AF_INET, address.c_str(), &four) == 1 ||
         inet_pton(AF_INET6, address.c_str(), &six) == 1;
}

bool is_loopback_address(std::string_view text) {
  constexpr unsigned kFirstByte = 24;  // of an IPv4 address as a number
  const std::string address(text);
  in_addr four = {};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return ntohl(four.s_addr) >> kFirstByte == IN_LOOPBACKNET;
  in6_addr six = {};
  return address == "localhost" || (inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six));
}

bool is_endpoint(std::string_view text) {
  constexpr auto kTaken = std::to_array<std::string_view>({"/api", "/-", "/assets"});
  static constexpr std::string_view kMarks = "._~/-";
  return text.size() > 1 && text[0] == '/' && text.find("//") == std::string_view::npos &&
         text.find("..") == std::string_view::npos &&
         std::ranges::all_of(
             text, [](char c) { return is_letter(c) || is_digit(c) || kMarks.find(c) != std::string_view::npos; }) &&
         std::ranges::none_of(kTaken, [&](std::string_view taken) { return is_at_or_under(text, taken); });
}

bool is_url(std::string_view text) {
  constexpr std::string_view kScheme = "://";
  const size_t at = text.find(kScheme);
  const std::string_view scheme = text.substr(0, at);
  if (at == std::string_view::npos || (scheme != "http" && scheme != "https")) return false;
  const std::string_view rest = text.substr(at + kScheme.size());
  std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  if (const size_t user = authority.rfind('@'); user != std::string_view::npos) authority.remove_prefix(user + 1);
  return is_authority(authority) && std::ranges::none_of(text, [](char c) {
           return is_control(c) || static_cast<unsigned char>(c) >= 0x80 || c == ' ' || c == '"' || c == '<' ||
                  c == '>' || c == '\\' || c == '#';
         });
}

bool is_currency(std::string_view text) {
  constexpr size_t kLetters = 3;  // ISO 4217
  return text.size() == kLetters && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_gpu_name(std::string_view text) {
  if (text.starts_with("gpu_")) return is_index(text.substr(4));
  if (text.starts_with("GPU-")) return is_uuid(text.substr(4));
  if (text.starts_with("MIG-GPU-")) return is_old_mig(text.substr(8));
  return text.starts_with("MIG-") && is_uuid(text.substr(4));
}

bool is_name(std::string_view text) {
  constexpr size_t kMaxBytes = 128;
  return !text.empty() && text.size() <= kMaxBytes && std::ranges::none_of(text, is_control);
}

bool is_label_name(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && !text.starts_with("__") && text != "alertname" &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

bool is_text_line(std::string_view text) {
  constexpr size_t kMaxBytes = 1000;
  return text.size() <= kMaxBytes && std::ranges::none_of(text, is_control);
}

bool is_word(std::string_view text) { return !text.contains('\0'); }

bool is_variable(std::string_view text) {
  constexpr auto kTaken = std::to_array<std::string_view>({"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"});
  constexpr size_t kMaxBytes = 128;
  return !text.empty() && text.size() <= kMaxBytes && !is_digit(text[0]) &&
         std::ranges::find(kTaken, text) == kTaken.end() &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

bool is_model(std::string_view text) {
  constexpr size_t kMaxBytes = 128;
  return text.size() <= kMaxBytes && text != "." && text != ".." && std::ranges::all_of(text, [](char c) {
           return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-' || c == ':';
         });
}

bool is_profile_choice(std::string_view text) { return profile_every(text).has_value(); }

std::optional<int64_t> profile_every(std::string_view text) {
  constexpr std::string_view kEvery = "every ";
  constexpr int64_t kMax = 1'000'000'000;
  if (text == "never") return 0;
  if (text == "always") return 1;
  if (!text.starts_with(kEvery) || text.size() == kEvery.size() || text[kEvery.size()] == '0') return std::nullopt;
  const auto number = integer_of<int64_t>(text.substr(kEvery.size()));
  return number && *number >= 1 && *number <= kMax ? number : std::nullopt;
}

}  // namespace sonde::config
