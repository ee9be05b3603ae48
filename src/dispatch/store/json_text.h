#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::dispatch::store {

/// Writes one JSON object or array on one line, in the order of the calls. Nothing of a text is lost: one that is no
/// UTF-8 or has control characters becomes {"hex": "00ff"} instead of a string.
class JsonText {
 public:
  JsonText& open_object();
  JsonText& close_object();
  JsonText& open_array();
  JsonText& close_array();
  JsonText& key(std::string_view name);  ///< needs no escapes
  JsonText& value(int64_t number);
  JsonText& value(double number);  ///< null where it is not finite
  JsonText& value(bool truth);
  JsonText& value(std::string_view text);
  JsonText& value(const std::vector<std::string>& texts);
  JsonText& value(const std::vector<int64_t>& numbers);

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

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void separate();
  void put_string(std::string_view text);
  void put_hex(std::string_view bytes);
  std::string out_;
};

}  // namespace sonde::dispatch::store
