#include "monitor/families/shared_family.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sonde::monitor {

#define SONDE_FAMILY(name) extern const Family name##_family;
#include "monitor/families/list.inc"
#undef SONDE_FAMILY

namespace {

/// Names of programs, users and containers are anybody's; the text format is UTF-8.
std::string valid(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || c == '"') out += '\\';
      out += c;
    }
  }
}

bool is_plain(char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\\' && c != '"' && c != '\n'; }

void append_label_value(std::string& out, std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) {
    out += text;
  } else {
    append_escaped(out, valid(text));
  }
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Inf" : "+Inf";
  } else {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    out.append(digits.data(), end.ptr);
  }
}

}  // namespace

std::span<const Family* const> families() {
  static const std::array all = {
#define SONDE_FAMILY(name) &name##_family,
#include "monitor/families/list.inc"
#undef SONDE_FAMILY
  };
  return all;
}

void Samples::add(std::span<const Label> labels, double value) {
  text_ += metric_;
  char before = '{';
  for (const auto& [name, text] : labels) {
    text_ += before;
    text_ += name;
    text_ += "=\"";
    append_label_value(text_, text);
    text_ += '"';
    before = ',';
  }
  text_ += labels.empty() ? " " : "} ";
  append_number(text_, value);
  text_ += '\n';
}

bool values_hold(const GpuView& gpu) {
  return gpu.sample.mark.quality == Quality::fresh || gpu.sample.mark.quality == Quality::contradictory;
}

void add_states(Samples& out, std::string_view uuid, std::string_view label, std::span<const std::string_view> states,
                std::string_view current) {
  for (const std::string_view state : states) out.add({{"uuid", uuid}, {label, state}}, state == current ? 1 : 0);
}

}  // namespace sonde::monitor
