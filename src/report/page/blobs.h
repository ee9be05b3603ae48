#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/table_format.h"

namespace sonde {

/// The parts of a page that are read only when they are needed: compressed, each in an element of its own.
class Blobs {
 public:
  /// Takes a part; gives its place as the page's document names it: {"id": "b3", "bytes": 1234}.
  [[nodiscard]] nlohmann::ordered_json add(std::string content);
  /// The same for a document. Text that is not UTF-8 is written with replacement characters.
  [[nodiscard]] nlohmann::ordered_json add(const nlohmann::ordered_json& document);

  /// Writes the elements, on all cores.
  void write(const Sink& sink) const;

 private:
  std::vector<std::string> contents_;
};

}  // namespace sonde
