#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::dispatch {

/// Writes one JSON object or array on one line, in the order of the calls. A tree of values first would take several
/// times as long, which counts where thousands of tasks a second come in.
class JsonText {
 public:
  /// Of a text that is no UTF-8 or has control characters: `kept` loses nothing and writes {"hex": "00ff"} instead of a
  /// string; `replaced` is for people and clients, with U+FFFD for what is no UTF-8.
  enum class Bad { kept, replaced };
  explicit JsonText(Bad bad = Bad::kept) : bad_(bad) {}

  JsonText& open_object();
  JsonText& close_object();
  JsonText& open_array();
  JsonText& close_array();
  JsonText& key(std::string_view name);  ///< needs no escapes
  JsonText& any_key(std::string_view name);
  JsonText& value(int64_t number);
  JsonText& value(double number);  ///< null where it is not finite
  JsonText& value(bool truth);
  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view(text)); }
  JsonText& value(const std::vector<std::string>& texts);
  JsonText& value(const std::vector<int64_t>& numbers);
  JsonText& null();

  /// Leaves out what is empty, 0 or false: reading gives that for what is not there.
  template <typename T>
  JsonText& member(std::string_view name, const T& of) {
    return of == T() ? *this : key(name).value(of);
  }
  template <typename T>
  JsonText& member(std::string_view name, const std::optional<T>& of) {
    return of ? key(name).value(*of) : *this;
  }
  JsonText& member(std::string_view name, const std::string& text) {
    return text.empty() ? *this : key(name).value(std::string_view(text));
  }

  /// Null for what is not there, which an empty text is too.
  template <typename T>
  JsonText& or_null(std::string_view name, const std::optional<T>& of) {
    key(name);
    return of ? value(*of) : null();
  }
  JsonText& or_null(std::string_view name, const std::string& text) {
    key(name);
    return text.empty() ? null() : value(std::string_view(text));
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void separate();
  void put_string(std::string_view text);
  void put_hex(std::string_view bytes);
  void put_replaced(std::string_view text);

  Bad bad_;
  std::string out_;
};

}  // namespace sonde::dispatch
