// Posts "{}" to a URL as alerts are posted, and prints the status or what failed.
#include <fmt/format.h>

#include "monitor/alerts.h"

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "post_alert URL\n");
    return 2;
  }
  const auto poster = sonde::monitor::http_poster();
  const auto status = poster->post(arguments[1], "application/json", "{}", std::chrono::seconds(30));
  fmt::print("{}\n", status ? std::to_string(*status) : status.error().message);
  return 0;
}
