#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/tables/table_format.h"

namespace sonde {

/// The parts of a page that are read only when they are needed: compressed, each in an element of its own.
class Blobs {
 public:
  /// Takes a part; gives its place as the page's document names it: {"id": "b3", "bytes": 1234}.
  [[nodiscard]] nlohmann::ordered_json add(std::string content);
  /// The same for a document. Text that is not UTF-8 is written with replacement characters.
  [[nodiscard]] nlohmann::ordered_json add(const nlohmann::ordered_json& document);

  /// How many there are: those from here on can be measured, and taken out again.
  [[nodiscard]] size_t size() const { return packed_.size() + fresh_.size(); }
  /// Bytes that the parts from the `first` on take in the page. Packs what is not packed yet, on all cores.
  [[nodiscard]] size_t bytes_from(size_t first);
  void drop_from(size_t first);

  /// Writes the elements.
  void write(const Sink& sink);

 private:
  void pack();

  std::vector<std::string> packed_;  ///< base64
  std::vector<std::string> fresh_;   ///< what comes behind these, as it was added
};

}  // namespace sonde
