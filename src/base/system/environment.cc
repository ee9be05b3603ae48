#include "base/system/environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace sonde {

std::vector<std::string> environment_with(std::span<const EnvironmentVariable> additions) {
  std::vector<std::string> all;
  for (const auto& [name, value] : additions) all.push_back(fmt::format("{}={}", name, value));
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string_view word = *own;
    const std::string_view name = word.substr(0, word.find('='));
    const auto replaced = [&](const auto& added) { return added.first == name; };
    if (std::ranges::none_of(additions, replaced)) all.emplace_back(word);
  }
  return all;
}

}  // namespace sonde
