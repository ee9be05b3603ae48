#include "importers/pytorch/parser.h"

#include <cstring>

namespace sonde::pytorch {
namespace {

using simdjson::error_code;
using simdjson::SUCCESS;
namespace ondemand = simdjson::ondemand;

/// A key as it is in the text. Keys with escapes come out short, and match nothing that is read.
std::string_view key_text(ondemand::raw_json_string key) {
  const char* begin = key.raw();
  const char* end = begin;
  while (*end != '"') ++end;
  return {begin, static_cast<size_t>(end - begin)};
}

/// The part of an event that a key names, nullptr for one that is not read.
std::string_view* part_of(Event& event, std::string_view key) {
  const auto is = [&](std::string_view name, std::string_view& part) { return key == name ? &part : nullptr; };
  switch (key.size() * 256 + static_cast<uint8_t>(key.empty() ? '\0' : key.front())) {
    case 2 * 256 + 'p': return is("ph", event.phase);
    case 2 * 256 + 't': return is("ts", event.time);
    case 2 * 256 + 'i': return is("id", event.id);
    case 3 * 256 + 'c': return is("cat", event.category);
    case 3 * 256 + 'p': return is("pid", event.pid);
    case 3 * 256 + 't': return is("tid", event.tid);
    case 3 * 256 + 'd': return is("dur", event.duration);
    case 4 * 256 + 'n': return is("name", event.name);
    default: return nullptr;
  }
}

}  // namespace

bool EventParser::read_all(std::string_view events, EventKeeper& keeper) {
  return parse(events, [&] { keeper.keep(event_); });
}

bool EventParser::read_one(std::string_view event, EventKeeper& keeper) {
  const bool clean = parse(event, [] {});
  if (clean) keeper.keep(event_);
  return clean;
}

template <typename Keep>
bool EventParser::parse(std::string_view events, Keep keep) {
  copy(events);
  ondemand::document document;
  ondemand::array list;
  const size_t length = events.size() + 2;
  if (parser_.iterate(copy_.get(), length, length + simdjson::SIMDJSON_PADDING).get(document) != SUCCESS) return false;
  if (document.get_array().get(list) != SUCCESS) return false;
  for (auto item : list) {
    ondemand::object event;
    if (item.get_object().get(event) != SUCCESS || read_event(event) != SUCCESS) return false;
    keep();
  }
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;  // nothing stands behind the list
}

void EventParser::copy(std::string_view events) {
  const size_t needed = events.size() + 2 + simdjson::SIMDJSON_PADDING;
  if (needed > room_) {
    copy_ = std::make_unique_for_overwrite<char[]>(needed);
    room_ = needed;
  }
  text_ = events.data();
  copy_[0] = '[';
  std::memcpy(copy_.get() + 1, events.data(), events.size());
  copy_[events.size() + 1] = ']';
  std::memset(copy_.get() + events.size() + 2, ' ', simdjson::SIMDJSON_PADDING);
}

error_code EventParser::read_event(Object& event) {
  event_.clear();
  for (auto item : event) {
    if (item.error() != SUCCESS) return item.error();
    ondemand::field&& field = std::move(item).value_unsafe();
    const std::string_view key = key_text(field.key());
    if (key == "args") {
      if (const error_code error = read_args(field.value())) return error;
    } else if (std::string_view* part = part_of(event_, key)) {
      if (const error_code error = token_of(field.value(), *part)) return error;
    }
  }
  return SUCCESS;
}

error_code EventParser::read_args(Value& value) {
  if (!value.raw_json_token().starts_with('{')) return SUCCESS;
  Object args;
  if (const error_code error = value.get_object().get(args)) return error;
  const bool perhaps_counter = event_.phase.empty() || event_.phase.starts_with("\"C");
  for (auto item : args) {
    if (item.error() != SUCCESS) return item.error();
    ondemand::field&& field = std::move(item).value_unsafe();
    const std::string_view key = key_text(field.key());
    const Arg arg = arg_of(key);
    if (arg == Arg::count_ && !perhaps_counter) continue;
    std::string_view token;
    if (const error_code error = token_of(field.value(), token)) return error;
    if (arg != Arg::count_) event_.args.set(arg, token);
    if (perhaps_counter) event_.series.emplace_back(in_text(key), token);
  }
  return SUCCESS;
}

inline error_code EventParser::token_of(Value& value, std::string_view& token) const {
  std::string_view copied = value.raw_json_token();
  if (copied.front() == '[') {
    ondemand::array list;
    if (const error_code error = value.get_array().get(list)) return error;
    if (const error_code error = list.raw_json().get(copied)) return error;
  }
  token = in_text(copied);
  return SUCCESS;
}

inline std::string_view EventParser::in_text(std::string_view copied) const {
  return {text_ + (copied.data() - copy_.get() - 1), copied.size()};
}

}  // namespace sonde::pytorch
