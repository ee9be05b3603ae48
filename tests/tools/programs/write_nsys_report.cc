// write_nsys_report IN OUT.nsys-rep [unknown-events TYPE COUNT | count-mismatch]: writes what Sonde reads of a profile
// as a synthetic report of Nsight Systems, with what a test wants to be wrong with it.

#include <cstdlib>
#include <fstream>
#include <span>

#include <fmt/format.h>

#include "importers/importer.h"
#include "nsys_report_writer.h"

namespace sonde {
namespace {

int run(std::span<char* const> arguments) {
  const std::string in = arguments[0];
  const auto trace = read_run(std::span(&in, 1), {.fields = Fields::all()});
  if (!trace) {
    fmt::print(stderr, "write_nsys_report: {}\n", trace.error().message);
    return 1;
  }
  test::PlainReport report = test::plain_report(*trace);
  const std::string_view fault = arguments.size() > 2 ? arguments[2] : "";
  if (fault == "count-mismatch") ++report.events;
  if (fault == "unknown-events" && arguments.size() > 4) {
    const int64_t count = std::strtoll(arguments[4], nullptr, 10);
    report.events += static_cast<uint64_t>(count);
    for (int64_t i = 0; i < count; ++i) {
      report.blocks.back() += test::unknown_event(std::strtoll(arguments[3], nullptr, 10));
    }
  }
  std::ofstream(arguments[1], std::ios::binary) << test::pack_report(report);
  return 0;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) {
  return argc < 3 ? 2 : sonde::run(std::span(argv + 1, static_cast<size_t>(argc - 1)));
}
