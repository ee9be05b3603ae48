#include "importers/pytorch_parser.h"

#include <cstring>

namespace sonde::pytorch {
namespace {

using simdjson::error_code;
using simdjson::SUCCESS;
namespace ondemand = simdjson::ondemand;

/// A key as it stands in the text. Keys with escapes come out short, and match nothing that is read.
std::string_view key_text(ondemand::raw_json_string key) {
  const char* begin = key.raw();
  const char* end = begin;
  while (*end != '"') ++end;
  return {begin, static_cast<size_t>(end - begin)};
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

error_code EventParser::read_event(Object event) {
  event_.clear();
  for (auto field : event) {
    ondemand::raw_json_string key;
    Value value;
    if (const error_code error = field.key().get(key)) return error;
    if (const error_code error = field.value().get(value)) return error;
    if (const error_code error = read_part(key_text(key), value)) return error;
  }
  return SUCCESS;
}

error_code EventParser::read_part(std::string_view key, Value value) {
  if (key == "args") {
    if (!value.raw_json_token().starts_with('{')) return SUCCESS;
    Object args;
    if (const error_code error = value.get_object().get(args)) return error;
    return read_args(args);
  }
  const auto part = [&]() -> std::string_view* {
    if (key == "ph") return &event_.phase;
    if (key == "cat") return &event_.category;
    if (key == "name") return &event_.name;
    if (key == "pid") return &event_.pid;
    if (key == "tid") return &event_.tid;
    if (key == "ts") return &event_.time;
    if (key == "dur") return &event_.duration;
    return key == "id" ? &event_.id : nullptr;
  }();
  return part == nullptr ? SUCCESS : token_of(value, *part);
}

error_code EventParser::read_args(Object args) {
  const bool perhaps_counter = event_.phase.empty() || event_.phase.starts_with("\"C");
  for (auto field : args) {
    ondemand::raw_json_string raw;
    if (const error_code error = field.key().get(raw)) return error;
    const std::string_view key = key_text(raw);
    const Arg arg = arg_of(key);
    if (arg == Arg::count_ && !perhaps_counter) continue;
    Value value;
    std::string_view token;
    if (const error_code error = field.value().get(value)) return error;
    if (const error_code error = token_of(value, token)) return error;
    if (arg != Arg::count_) event_.args.set(arg, token);
    if (perhaps_counter) event_.series.emplace_back(in_text(key), token);
  }
  return SUCCESS;
}

error_code EventParser::token_of(Value value, std::string_view& token) const {
  std::string_view copied = value.raw_json_token();
  if (copied.starts_with('[')) {
    ondemand::array list;
    if (const error_code error = value.get_array().get(list)) return error;
    if (const error_code error = list.raw_json().get(copied)) return error;
  }
  token = in_text(copied);
  return SUCCESS;
}

std::string_view EventParser::in_text(std::string_view copied) const {
  return {text_ + (copied.data() - copy_.get() - 1), copied.size()};
}

}  // namespace sonde::pytorch
