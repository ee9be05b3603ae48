#include <gtest/gtest.h>

#include "server/event_cursor.h"
#include "server/gunzip.h"
#include "server/page.h"
#include "server/refusal.h"
#include "server/response_text.h"

namespace sonde::server {
namespace server_response_test {

TEST(HeadText, HasWhatEveryResponseHas) {
  const api::Response response{.headers = {{"Cache-Control", "max-age=60"}}, .body = "{}", .events = {}, .later = {}};
  EXPECT_EQ(head_text(response, {.now_s = 784111777}),
            "HTTP/1.1 200 OK\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"  // RFC 9110's own example
            "Content-Type: application/json\r\n"
            "Content-Length: 2\r\n"
            "Cache-Control: max-age=60\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Referrer-Policy: no-referrer\r\n"
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
            "\r\n");
}

TEST(HeadText, NoValueAddsAField) {
  api::Response response;
  response.headers = {
      {"X-Name", "a\r\nSet-Cookie: b\x00\x7f"}, {"Bad Name", "c"}, {"Bad\r\nName", "c"}, {"content-length", "9"}};
  const std::string head = head_text(response, {});
  EXPECT_NE(head.find("X-Name: a  Set-Cookie: b\r\n"), std::string::npos) << head;
  EXPECT_EQ(head.find("Bad"), std::string::npos);
  EXPECT_EQ(head.find("content-length"), std::string::npos);
}

TEST(HeadText, SaysWhetherTheConnectionStays) {
  EXPECT_EQ(head_text({}, {}).find("Connection"), std::string::npos);
  EXPECT_NE(head_text({}, {.keep_alive = false}).find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(head_text({}, {.http_1_0 = true}).find("Connection: keep-alive\r\n"), std::string::npos);
  EXPECT_EQ(head_text({}, {.endless = true}).find("Content-Length"), std::string::npos);
}

TEST(EventText, HasALineForEachLineOfData) {
  EXPECT_EQ(event_text({.id = 7, .type = "incident", .data = "{\"a\":1}"}),
            "id: 7\nevent: incident\ndata: {\"a\":1}\n\n");
  EXPECT_EQ(event_text({.id = 7, .type = "x", .data = "a\nid: 8"}), "id: 7\nevent: x\ndata: a\ndata: id: 8\n\n");
}

TEST(EventCursor, GoesOnWhereTheFollowerWas) {
  monitor::EventLog log;
  for (const char* type : {"samples", "incident", "samples"}) log.add(type, "{}");
  EventCursor cursor({.after_id = 1, .types = {}});
  EXPECT_EQ(cursor.next(log), "id: 2\nevent: incident\ndata: {}\n\nid: 3\nevent: samples\ndata: {}\n\n");
  EXPECT_EQ(cursor.next(log), "");
  log.add("config", "{}");
  EXPECT_EQ(cursor.next(log), "id: 4\nevent: config\ndata: {}\n\n");
}

TEST(EventCursor, SendsTheTypesThatAreWanted) {
  monitor::EventLog log;
  for (int i = 0; i < 200; ++i) log.add("samples", "{}");
  log.add("incident", "{}");
  EventCursor cursor({.after_id = 0, .types = {"incident"}});
  EXPECT_EQ(cursor.next(log), "id: 201\nevent: incident\ndata: {}\n\n");
  EXPECT_EQ(cursor.next(log), "");
}

TEST(EventCursor, TellsThatEventsWereMissed) {
  monitor::EventLog log(2);
  for (int i = 0; i < 5; ++i) log.add("samples", "{}");
  EventCursor late({.after_id = 1, .types = {"incident"}});
  EXPECT_EQ(late.next(log), "id: 5\nevent: reset\ndata: {}\n\n");
  EXPECT_EQ(late.next(log), "");
  EventCursor of_before_the_restart({.after_id = 900, .types = {}});
  EXPECT_EQ(of_before_the_restart.next(log), "id: 5\nevent: reset\ndata: {}\n\n");
}

/// "hello" by gzip -9n.
constexpr std::string_view kHello(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00", 25);

constexpr Asset kAssets[] = {
    {.path = "/", .content_type = "text/html; charset=utf-8", .bytes = kHello, .etag = "\"h\"", .gzip = true},
    {.path = "/assets/a.js", .content_type = "text/javascript", .bytes = "x", .etag = "\"a\""},
};

api::Request get(const std::string& path) {
  api::Request request;
  request.path = path;
  return request;
}

std::string field(const api::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

TEST(Gunzip, UnpacksAndRefusesWhatIsBroken) {
  EXPECT_EQ(gunzip(kHello), "hello");
  EXPECT_EQ(gunzip(kHello.substr(0, 20)), "");
  EXPECT_EQ(gunzip("hello"), "");
}

TEST(Page, IsPackedForThoseThatTakeIt) {
  api::Request request = get("/");
  EXPECT_EQ(page_response(request, kAssets)->body, "hello");
  request.headers["accept-encoding"] = "gzip;q=0, br";
  EXPECT_EQ(page_response(request, kAssets)->body, "hello");
  request.headers["accept-encoding"] = "br, gzip";
  const auto packed = page_response(request, kAssets);
  EXPECT_EQ(packed->body, kHello);
  EXPECT_EQ(field(*packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(field(*packed, "ETag"), "\"h\"");
}

TEST(Page, RunsNothingThatStandsInlineOrComesFromElsewhere) {
  const std::string policy = field(*page_response(get("/"), kAssets), "Content-Security-Policy");
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(policy.find("http"), std::string::npos);
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self';"));
}

TEST(Page, IsNotSentAgainUnchanged) {
  api::Request request = get("/assets/a.js");
  request.headers["if-none-match"] = "\"x\", \"a\"";
  EXPECT_EQ(page_response(request, kAssets)->status, 304);
  EXPECT_TRUE(page_response(request, kAssets)->body.empty());
  request.headers["if-none-match"] = "\"b\"";
  EXPECT_EQ(page_response(request, kAssets)->status, 200);
}

TEST(Page, IsAtItsOwnPathsAndReadOnly) {
  EXPECT_FALSE(page_response(get("/api/v1/gpus"), kAssets));
  EXPECT_FALSE(page_response(get("/metrics"), kAssets));
  EXPECT_EQ(page_response(get("/assets/b.js"), kAssets)->status, 404);
  api::Request request = get("/");
  request.method = api::Method::post;
  EXPECT_EQ(page_response(request, kAssets)->status, 405);
}

TEST(Refusal, SaysWhenToTryAgain) {
  EXPECT_EQ(field(refused(refusals::too_many_connections), "Retry-After"), "1");
  EXPECT_EQ(field(refused(refusals::body_too_large), "Retry-After"), "");
}

}  // namespace server_response_test
}  // namespace sonde::server
