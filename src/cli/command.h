#pragma once

#include <string_view>

namespace CLI {
class App;
}

namespace sonde {

/// A command of `sonde`. One row of list.inc each.
struct Command {
  std::string_view name;
  std::string_view description;
  std::string_view example;
  /// Adds the options to `command` and a callback that runs it and sets `exit_code`.
  void (*set_up)(CLI::App& command, int& exit_code);
};

}  // namespace sonde
