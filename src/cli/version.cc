#include "cli/version.h"

#include <array>

#include <fmt/format.h>
#include <libdeflate.h>
#include <lz4.h>
#include <openssl/opensslv.h>
#include <simdjson.h>
#include <sqlite3.h>
#include <zlib.h>
#include <zstd.h>
#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "cli/build_info.h"

namespace sonde {
namespace {

/// "9.1.0" of 90100, as fmt and Boost (with other factors) write their versions.
std::string dotted(int version, int major, int minor) {
  return fmt::format("{}.{}.{}", version / major, version / minor % (major / minor), version % minor);
}

nlohmann::ordered_json library_versions() {
  return {{"boost", dotted(BOOST_VERSION, 100'000, 100)},
          {"cli11", CLI11_VERSION},
          {"fmt", dotted(FMT_VERSION, 10'000, 100)},
          {"libdeflate", LIBDEFLATE_VERSION_STRING},
          {"lz4", LZ4_VERSION_STRING},
          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH)},
          {"openssl", OPENSSL_VERSION_STR},
          {"simdjson", fmt::format("{}.{}.{}", int{simdjson::SIMDJSON_VERSION_MAJOR},
                                   int{simdjson::SIMDJSON_VERSION_MINOR}, int{simdjson::SIMDJSON_VERSION_REVISION})},
          {"sqlite", SQLITE_VERSION},
          {"yaml-cpp", kYamlCppVersion},
          {"zlib", ZLIB_VERSION},
          {"zstd", ZSTD_VERSION_STRING}};
}

}  // namespace

std::string version_text() { return fmt::format("sonde {}", kVersion); }

std::string version_json() {
  const nlohmann::ordered_json document = {
      {"version", kVersion}, {"commit", kCommit}, {"build", kBuild}, {"libraries", library_versions()}};
  return document.dump(2) + "\n";
}

}  // namespace sonde
