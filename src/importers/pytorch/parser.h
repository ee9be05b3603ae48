#pragma once

#include <memory>
#include <string_view>

#include <simdjson.h>

#include "importers/pytorch/events.h"

namespace sonde::pytorch {

/// Reads events out of JSON text. One for each worker: it owns the parser and the padded copy that it parses.
class EventParser {
 public:
  /// Reads the events of "{...},{...}" into the keeper. False where that is not clean JSON to its end: then what was
  /// kept is to be thrown away.
  [[nodiscard]] bool read_all(std::string_view events, EventKeeper& keeper);
  /// Reads one event "{...}". Nothing is kept of it where it is not clean JSON.
  [[nodiscard]] bool read_one(std::string_view event, EventKeeper& keeper);

 private:
  using Object = simdjson::ondemand::object;
  using Value = simdjson::ondemand::value;

  void copy(std::string_view events);
  template <typename Keep>
  [[nodiscard]] bool parse(std::string_view events, Keep keep);
  [[nodiscard]] simdjson::error_code read_event(Object& event);
  [[nodiscard]] simdjson::error_code read_args(Value& value);

  /// The token of a value, in the text that was given; arrays whole.
  [[nodiscard]] simdjson::error_code token_of(Value& value, std::string_view& token) const;
  [[nodiscard]] std::string_view in_text(std::string_view copied) const;

  simdjson::ondemand::parser parser_;
  std::unique_ptr<char[]> copy_;
  size_t room_ = 0;
  const char* text_ = nullptr;
  Event event_;
};

}  // namespace sonde::pytorch
