// Prints the tables of docs/serve/incidents.md: detectors, texts or xids.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "monitor/detector.h"
#include "monitor/text.h"
#include "monitor/xid/catalogue.h"

namespace sonde::monitor {
namespace {

/// A bar within a text is no border of its cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string or_dash(std::string_view text) { return text.empty() ? "-" : std::string(text); }

void print_detectors() {
  fmt::print("| detector | opens when | severity | is over when |\n|---|---|---|---|\n");
  for (const DetectorRow* row : detector_rows()) {
    fmt::print("| `{}` | {} | {} | {} |\n", row->name, row->description, or_dash(row->severity), or_dash(row->clears));
  }
}

void print_texts() {
  fmt::print("| text | says | to do |\n|---|---|---|\n");
  for (const CatalogueText& text : incident_texts()) {
    if (!text.id.ends_with(".summary")) continue;
    const std::string id(text.id.substr(0, text.id.size() - 8));
    fmt::print("| `{}` | {} | {} |\n", id, cell(text.text), cell(incident_text(id + ".action")));
  }
}

std::string_view role_name(XidRole role) {
  switch (role) {
    case XidRole::end: return "cause of all else";
    case XidRole::cause: return "cause";
    case XidRole::either: return "follows or cause";
    case XidRole::follower: return "follows";
  }
  return "";
}

void print_xids() {
  fmt::print("| XID | meaning | NVIDIA's class | severity | in a group |\n|---|---|---|---|---|\n");
  for (const Xid& xid : xids()) {
    fmt::print("| {} | {} | {} | {} | {} |\n", xid.code, xid_meaning(xid.code), nvidia_bucket_name(xid.bucket),
               severity_name(xid.severity), role_name(xid.role));
  }
}

}  // namespace
}  // namespace sonde::monitor

int main(int count, char** arguments) {
  const std::string table = count == 2 ? arguments[1] : "";
  if (table == "detectors") {
    sonde::monitor::print_detectors();
  } else if (table == "texts") {
    sonde::monitor::print_texts();
  } else if (table == "xids") {
    sonde::monitor::print_xids();
  } else {
    fmt::print(stderr, "print_incidents detectors|texts|xids\n");
    return 2;
  }
  return 0;
}
