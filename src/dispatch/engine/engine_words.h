#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "dispatch/task.h"
#include "monitor/detector.h"

namespace sonde::dispatch {

/// A text of engine/texts_en.inc with its {named} arguments.
[[nodiscard]] std::string words(std::string_view id, std::initializer_list<monitor::Argument> arguments = {});

/// "45 s", "12 min": of nanoseconds.
[[nodiscard]] std::string shown_ns(int64_t ns);

/// In one sentence, of the last attempt: "the program ended with exit status 1: ... (3 attempts)".
[[nodiscard]] std::string how_it_ended(const Task& task);

}  // namespace sonde::dispatch
