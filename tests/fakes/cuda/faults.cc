#include "faults.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace fake_cuda::cupti {
namespace {

/// NAME or NAME=NUMBER
void take(Faults& f, const std::string& word) {
  const size_t at = word.find('=');
  const std::string name = word.substr(0, at);
  const auto number = static_cast<uint32_t>(at == std::string::npos ? 1 : strtoul(word.c_str() + at + 1, nullptr, 10));
  const struct {
    const char* name;
    uint32_t* number;
  } numbers[] = {{"zero_times", &f.zero_times},
                 {"reversed", &f.reversed},
                 {"lost", &f.lost},
                 {"dropped", &f.dropped},
                 {"null_names", &f.null_names},
                 {"new_kinds", &f.new_kinds},
                 {"bad_kinds", &f.bad_kinds},
                 {"flush_fails", &f.flush_fails},
                 {"register_fails", &f.register_fails},
                 {"subscribe_fails", &f.subscribe_fails},
                 {"enable_fails", &f.enable_fails},
                 {"timestamp_fails", &f.timestamp_fails},
                 {"call_cost", &f.call_cost},
                 {"pc_fails", &f.pc_fails},
                 {"pc_data_fails", &f.pc_data_fails},
                 {"pc_dropped", &f.pc_dropped},
                 {"pc_elsewhere", &f.pc_elsewhere},
                 {"pc_piece", &f.pc_piece},
                 {"sass_fails", &f.sass_fails},
                 {"sass_data_fails", &f.sass_data_fails},
                 {"sass_elsewhere", &f.sass_elsewhere},
                 {"pm_fails", &f.pm_fails},
                 {"pm_fit", &f.pm_fit},
                 {"pm_overflow", &f.pm_overflow},
                 {"pm_timeless", &f.pm_timeless},
                 {"pm_displaced", &f.pm_displaced}};
  const struct {
    const char* name;
    bool* flag;
  } flags[] = {{"truncated", &f.truncated},       {"empty_buffers", &f.empty_buffers},
               {"odd_size", &f.odd_size},         {"no_kernels", &f.no_kernels},
               {"pc_full", &f.pc_full},           {"pc_unnamed", &f.pc_unnamed},
               {"pc_late", &f.pc_late},           {"sass_split", &f.sass_split},
               {"sass_unknown", &f.sass_unknown}, {"sass_kills", &f.sass_kills},
               {"pm_turing", &f.pm_turing},       {"pm_unknown_chip", &f.pm_unknown_chip},
               {"no_devices", &f.no_devices}};
  for (const auto& n : numbers) {
    if (name == n.name) *n.number = number;
  }
  for (const auto& n : flags) {
    if (name == n.name) *n.flag = true;
  }
}

Faults read() {
  Faults found;
  const char* text = getenv("SONDE_FAKE_CUPTI");
  std::string words = text == nullptr ? "" : text;
  while (!words.empty()) {
    const size_t end = words.find(',');
    take(found, words.substr(0, end));
    words = end == std::string::npos ? "" : words.substr(end + 1);
  }
  return found;
}

}  // namespace

const Faults& faults() {
  static const Faults the = read();
  return the;
}

bool is_due(uint32_t every, std::atomic<uint32_t>& turn) { return every != 0 && ++turn % every == 0; }

}  // namespace fake_cuda::cupti
