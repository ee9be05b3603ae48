#include "server/response_text.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

namespace sonde::server {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 27> kStatusTexts = {{
#define SONDE_STATUS(code, text) {code, text},
#include "server/status_texts.inc"
#undef SONDE_STATUS
}};

bool has_body(int status) {
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  return status != kNoContent && status != kNotModified;
}

bool is_field(const std::pair<std::string, std::string>& header, std::string_view name) {
  return std::ranges::equal(header.first, name, [](char a, char b) { return (a | 0x20) == (b | 0x20); });
}

bool has_field(const api::Response& response, std::string_view name) {
  return std::ranges::any_of(response.headers, [&](const auto& header) { return is_field(header, name); });
}

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    const char low = static_cast<char>(c | 0x20);
    return (c >= '0' && c <= '9') || (low >= 'a' && low <= 'z') || kMarks.contains(c);
  });
}

void add_field(std::string& head, std::string_view name, std::string_view value) {
  if (!is_token(name)) return;
  head += name;
  head += ": ";
  for (const char c : value) head += (c >= 0 && c < ' ') || c == 0x7f ? ' ' : c;
  head += "\r\n";
}

/// "Sun, 22 Nov 2026 04:00:00 GMT", the same in every locale.
std::string http_date(int64_t now_s) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr int kFirstYear = 1900;
  const auto moment = static_cast<std::time_t>(now_s);
  std::tm utc{};
  gmtime_r(&moment, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[static_cast<size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<size_t>(utc.tm_mon)], utc.tm_year + kFirstYear, utc.tm_hour, utc.tm_min,
                     utc.tm_sec);
}

void add_length(std::string& head, const api::Response& response, const HeadForm& form) {
  if (form.endless || !has_body(response.status)) return;
  add_field(head, "Content-Length", fmt::format("{}", response.body.size()));
}

/// What every response has unless it says otherwise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDefault = {{
    {"Cache-Control", "no-store"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
}};

}  // namespace

std::string_view status_text(int status) {
  const auto* found = std::ranges::find(kStatusTexts, status, &std::pair<int, std::string_view>::first);
  if (found != kStatusTexts.end()) return found->second;
  return status < 400 ? "OK" : (status < 500 ? "Bad Request" : "Internal Server Error");
}

std::string head_text(const api::Response& response, const HeadForm& form) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, status_text(response.status));
  add_field(head, "Date", http_date(form.now_s));
  if (has_body(response.status)) add_field(head, "Content-Type", response.content_type);
  add_length(head, response, form);
  for (const auto& header : response.headers) {
    if (is_field(header, "Content-Length") || is_field(header, "Connection")) continue;
    add_field(head, header.first, header.second);
  }
  for (const auto& [name, value] : kDefault) {
    if (!has_field(response, name)) add_field(head, name, value);
  }
  if (!form.keep_alive) add_field(head, "Connection", "close");
  if (form.keep_alive && form.http_1_0) add_field(head, "Connection", "keep-alive");
  return head + "\r\n";
}

}  // namespace sonde::server
