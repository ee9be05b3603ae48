#include "doctor/libraries.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace sonde::doctor {
namespace {

void add_unique(std::vector<std::string>& folders, std::string folder) {
  if (!folder.empty() && std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
}

void add_split(const Host& host, const std::string& variable, std::vector<std::string>& folders) {
  const std::string value = host.variable(variable).value_or("");
  size_t from = 0;
  while (from <= value.size()) {
    const size_t to = std::min(value.find(':', from), value.size());
    add_unique(folders, value.substr(from, to - from));
    from = to + 1;
  }
}

/// Folders of the loader's own list.
void add_loader(const Host& host, std::vector<std::string>& folders) {
  const auto list = host.output_of({"ldconfig", "-p"});
  if (!list) return;
  size_t at = 0;
  while ((at = list->find("=> ", at)) != std::string::npos) {
    at += 3;
    const size_t end = std::min(list->find('\n', at), list->size());
    const std::string path = list->substr(at, end - at);
    add_unique(folders, path.substr(0, path.rfind('/')));
  }
}

void add_toolkits(const Host& host, std::vector<std::string>& folders) {
  for (const std::string& name : host.names_in("/usr/local")) {
    if (!name.starts_with("cuda")) continue;
    const std::string root = "/usr/local/" + name;
    add_unique(folders, root + "/lib64");
    add_unique(folders, root + "/extras/CUPTI/lib64");
    for (const std::string& target : host.names_in(root + "/targets")) {
      add_unique(folders, fmt::format("{}/targets/{}/lib", root, target));
    }
  }
}

/// pip's packages put libraries into site-packages/nvidia/<part>/lib, from CUDA 13 on into nvidia/cu13/lib.
void add_packages(const Host& host, const std::string& site, std::vector<std::string>& folders) {
  for (const std::string& part : host.names_in(site + "/nvidia")) {
    add_unique(folders, fmt::format("{}/nvidia/{}/lib", site, part));
  }
  add_unique(folders, site + "/torch/lib");
}

void add_python(const Host& host, std::vector<std::string>& folders) {
  std::vector<std::string> roots = {"/usr", "/usr/local"};
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const auto root = host.variable(variable)) roots.push_back(*root);
  }
  if (const auto home = host.variable("HOME")) roots.push_back(*home + "/.local");
  for (const std::string& root : roots) {
    if (host.variable("CONDA_PREFIX") == root) add_unique(folders, root + "/lib");
    for (const std::string& name : host.names_in(root + "/lib")) {
      if (!name.starts_with("python3")) continue;
      for (const char* site : {"site-packages", "dist-packages"}) {
        add_packages(host, fmt::format("{}/lib/{}/{}", root, name, site), folders);
      }
    }
  }
}

std::vector<std::string> folders_of(const Host& host) {
  std::vector<std::string> folders;
  add_split(host, "LD_LIBRARY_PATH", folders);
  add_loader(host, folders);
  add_toolkits(host, folders);
  add_python(host, folders);
  return folders;
}

}  // namespace

std::vector<FoundLibrary> find_libraries(const Host& host, std::string_view stem) {
  const std::string start = fmt::format("{}.so.", stem);
  std::vector<FoundLibrary> found;
  for (const std::string& folder : folders_of(host)) {
    for (const std::string& name : host.names_in(folder)) {
      if (!name.starts_with(start)) continue;
      const std::string path = host.resolved(fmt::format("{}/{}", folder, name));
      if (std::ranges::find(found, path, &FoundLibrary::path) != found.end()) continue;
      const size_t version = path.find(start);
      found.push_back({.path = path, .version = first_version(path.substr(std::min(version, path.size())))});
    }
  }
  return found;
}

std::vector<std::string> versions_of(const std::vector<FoundLibrary>& libraries) {
  std::set<Version, std::greater<>> versions;
  for (const FoundLibrary& library : libraries) versions.insert(library.version);
  std::vector<std::string> texts;
  for (const Version& version : versions) texts.push_back(version.text);
  return texts;
}

}  // namespace sonde::doctor
