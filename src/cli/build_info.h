#pragma once

/// What CMake knows of this build (build_info.cc.in).
namespace sonde {

extern const char* const kVersion;
extern const char* const kCommit;          ///< of the sources; "unknown" outside git
extern const char* const kBuild;           ///< "Release, GNU 12.2.0"
extern const char* const kYamlCppVersion;  ///< its headers do not have it

}  // namespace sonde
