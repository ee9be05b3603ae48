#include <array>

#include "api/answers.h"
#include "base/text/decimal.h"

namespace sonde::api {
namespace follow_events {
namespace {

/// Before the first event: the stream begins with `reset`.
constexpr int64_t kUnknownPlace = -1;

/// A number beyond the last one is of a service that has ended since: its events are not these.
int64_t place_of(int64_t asked, int64_t last) { return asked > last ? kUnknownPlace : asked; }

Response answer(const Call& call) {
  const int64_t last = call.services.events->last_id();
  int64_t after = query_integer(call, "after", last);
  // A browser that comes back sends the header, and the address that it began with.
  const auto header = call.request.headers.find("last-event-id");
  if (header != call.request.headers.end()) {
    const auto id = integer_of<int64_t>(header->second);
    if (!id || *id < 0) {
      return refuse("invalid_parameter", {{"parameter", "Last-Event-ID"}, {"what", "must be the ID of an event"}});
    }
    after = *id;
  }
  Response response;
  response.content_type = "text/event-stream";
  response.events = EventStream{.after_id = place_of(after, last), .types = query_list(call, "type")};
  return response;
}

constexpr std::array kParameters = {
    Parameter{.name = "after",
              .schema = R"({"type": "integer", "minimum": 0})",
              .description = "Events after this ID; default: only new events. `Last-Event-ID` takes precedence"},
    Parameter{
        .name = "type",
        .schema =
            R"({"type": "array", "items": {"type": "string", "enum": ["samples", "incident", "config", "source", "task", "batch", "queue"]}, "maxItems": 7})",
        .description = "Only these types, separated by commas"},
};
constexpr std::array kHeaders = {
    Parameter{.name = "Last-Event-ID",
              .schema = R"({"type": "integer", "minimum": 0})",
              .description = "sent by browsers when they reconnect"},
};

}  // namespace
}  // namespace follow_events

extern const Route follow_events_route;
constinit const Route follow_events_route{
    .name = "follow_events",
    .path = "/api/v1/events",
    .summary = "Stream of events (server-sent events)",
    .description =
        "The types are `samples`, `incident`, `config`, `source`, `task`, `batch` and `queue`. If events were missed, "
        "the first event is `reset`: read everything again. The stream counts as one request, regardless of its "
        "duration.",
    .parameters = follow_events::kParameters,
    .body = {},
    .response = "text/event-stream",
    .example = {},
    .headers = follow_events::kHeaders,
    .answer = follow_events::answer};

}  // namespace sonde::api
