// model_size FILE: reads all of a profile and prints the bytes per event of each table, including links.

#include <sys/resource.h>

#include <array>

#include <fmt/format.h>

#include "importers/importer.h"
#include "trace/columns.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::array paths = {std::string(argv[1])};
  const auto trace = sonde::import_run(paths, {.fields = sonde::Fields::all()});
  if (!trace) {
    fmt::print(stderr, "model_size: {}\n", trace.error().message);
    return 1;
  }
  size_t events = 0;
  size_t bytes = 0;
  sonde::for_each_table(*trace, [&](const auto& table, std::string_view name) {
    const size_t rows = sonde::row_count(table);
    if (rows == 0) return;
    fmt::print("{:<22} {:>10} events  {:>4} bytes an event\n", name, rows, sonde::bytes_per_row(table));
    events += rows;
    bytes += rows * sonde::bytes_per_row(table);
  });
  for (const sonde::DomainLinks& links : trace->range_links) bytes += links.of_api.size() * sizeof(sonde::Row);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<22} {:>10} events  {:>4} bytes an event, peak memory {} MB\n", "all", events, bytes / events,
             usage.ru_maxrss / 1024);
  return 0;
}
