#include "dispatch/json_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/utf8.h"
#include "monitor/json.h"

namespace sonde::dispatch {
namespace {

bool is_plain(char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; }

std::string_view escape_of(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return {};
  }
}

}  // namespace

void JsonText::separate() {
  if (out_.empty()) return;
  const char last = out_.back();
  if (last != '{' && last != '[' && last != ':') out_ += ',';
}

JsonText& JsonText::open_object() {
  separate();
  out_ += '{';
  return *this;
}

JsonText& JsonText::close_object() {
  out_ += '}';
  return *this;
}

JsonText& JsonText::open_array() {
  separate();
  out_ += '[';
  return *this;
}

JsonText& JsonText::close_array() {
  out_ += ']';
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  out_ += '"';
  out_ += name;
  out_ += "\":";
  return *this;
}

JsonText& JsonText::any_key(std::string_view name) {
  value(name);
  out_ += ':';
  return *this;
}

JsonText& JsonText::value(int64_t number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonText& JsonText::value(double number) {
  separate();
  if (!std::isfinite(number)) {
    out_ += "null";
    return *this;
  }
  const size_t begin = out_.size();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  if (out_.find_first_of(".e", begin) == std::string::npos) out_ += ".0";
  return *this;
}

JsonText& JsonText::value(bool truth) {
  separate();
  out_ += truth ? "true" : "false";
  return *this;
}

JsonText& JsonText::value(std::string_view text) {
  separate();
  if (std::ranges::all_of(text, is_plain)) {
    out_ += '"';
    out_ += text;
    out_ += '"';
  } else if (config::first_bad_text(text)) {
    bad_ == Bad::kept ? put_hex(text) : put_replaced(text);
  } else {
    put_string(text);
  }
  return *this;
}

JsonText& JsonText::value(const std::vector<std::string>& texts) {
  open_array();
  for (const std::string& text : texts) value(std::string_view(text));
  return close_array();
}

JsonText& JsonText::value(const std::vector<int64_t>& numbers) {
  open_array();
  for (const int64_t number : numbers) value(number);
  return close_array();
}

JsonText& JsonText::null() {
  separate();
  out_ += "null";
  return *this;
}

/// The library knows what is no UTF-8.
void JsonText::put_replaced(std::string_view text) { out_ += monitor::json_line(text); }

void JsonText::put_string(std::string_view text) {
  out_ += '"';
  for (const char c : text) {
    if (const std::string_view escape = escape_of(c); !escape.empty()) {
      out_ += escape;
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void JsonText::put_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned kNibble = 4;
  out_ += R"({"hex":")";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out_ += kDigits[byte >> kNibble];
    out_ += kDigits[byte & 0xFU];
  }
  out_ += "\"}";
}

}  // namespace sonde::dispatch
