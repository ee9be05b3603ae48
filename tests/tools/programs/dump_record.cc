// Prints the gate's record of a run as JSON: dump_record FILE, a profile, a folder or a record.
#include <cstdio>

#include "cli/runs/run_records.h"
#include "gate/record/record_json.h"

int main(int argc, char** argv) {
  const std::vector<std::string> files(argv + 1, argv + argc);
  const auto records = sonde::load_records(files);
  if (!records) {
    std::fprintf(stderr, "dump_record: %s\n", records.error().message.c_str());
    return 1;
  }
  for (const sonde::gate::RunRecord& record : *records) std::fputs(sonde::gate::record_json(record).c_str(), stdout);
  return 0;
}
