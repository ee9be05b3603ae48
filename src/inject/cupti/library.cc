#include "inject/cupti/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/cupti/layouts.h"
#include "inject/exit_order.h"

namespace sonde::inject::cupti {
namespace {

constinit Library opened;
constinit bool is_open = false;
constinit char why_not[512] = {};
constinit char too_new[512] = {};  ///< one that was found, for a newer CUDA than the driver's
constinit pthread_once_t once = PTHREAD_ONCE_INIT;

/// The sonames of what CUDA 11.4 and later bring, newest first.
struct Named {
  const char* name;
  int major;
};
constexpr Named kSonames[] = {
    {"libcupti.so.13", 13},   {"libcupti.so.12", 12},   {"libcupti.so.11.8", 11}, {"libcupti.so.11.7", 11},
    {"libcupti.so.11.6", 11}, {"libcupti.so.11.5", 11}, {"libcupti.so.11.4", 11},
};

template <typename Function>
bool find(Guarded<Function>& function, const char* name) noexcept {
  function.set(dlsym(opened.handle, name));
  return function.is_there();
}

/// The name of the first function that it must have and has not; null where it has them all.
const char* find_functions() noexcept {
#define SONDE_CUPTI(member, symbol, ...) \
  if (!find(opened.member, symbol)) return symbol;
#define SONDE_CUPTI_OPTIONAL(member, symbol, ...) static_cast<void>(find(opened.member, symbol));
#include "inject/cupti/functions.inc"
  return nullptr;
}

bool is_usable(const char* path) noexcept {
  if (const char* const missing = find_functions(); missing != nullptr) {
    snprintf(why_not, sizeof why_not, "%.300s is not CUPTI: it has no %s", path, missing);
    return false;
  }
  if (opened.get_version(&opened.version) == Result::ok && opened.version >= kOldestVersion) return true;
  snprintf(why_not, sizeof why_not, "%.300s is a CUPTI older than CUDA 11.4", path);
  return false;
}

const char* file_name(const char* path) noexcept {
  const char* const slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool open_at(const char* path, int flags = 0) noexcept {
  opened.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | flags);
  if (opened.handle == nullptr) {
    if (flags == 0 && why_not[0] == '\0') {
      const char* const reason = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps the text a thread
      snprintf(why_not, sizeof why_not, "%.400s", reason == nullptr ? path : reason);
    }
    return false;
  }
  snprintf(opened.path, sizeof opened.path, "%s", path);
  return is_open = is_usable(path);
}

/// Opens the newest of the files that a pattern means, as far as the driver's CUDA goes.
bool open_newest(const char* pattern, int most_major) noexcept {
  glob_t found{};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): it reads the environment only for a tilde
  if (glob(pattern, 0, nullptr, &found) != 0) return false;
  bool done = false;
  for (size_t i = found.gl_pathc; i > 0 && !done; --i) {
    const char* const version = strstr(found.gl_pathv[i - 1], "libcupti.so.");
    if (version == nullptr) continue;
    if (atoi(version + strlen("libcupti.so.")) > most_major) {
      snprintf(too_new, sizeof too_new, "%.300s is for a newer CUDA than the driver's %d", found.gl_pathv[i - 1],
               most_major);
      continue;
    }
    done = open_at(found.gl_pathv[i - 1]);
  }
  globfree(&found);
  return done;
}

bool begins_with(const char* text, const char* start) noexcept { return strncmp(text, start, strlen(start)) == 0; }

/// The path of the first loaded library whose file begins with `wanted`.
struct Loaded {
  const char* wanted;
  char path[1024];
};

int note_loaded(dl_phdr_info* info, size_t, void* found) noexcept {
  auto* const loaded = static_cast<Loaded*>(found);
  if (info->dlpi_name == nullptr || !begins_with(file_name(info->dlpi_name), loaded->wanted)) return 0;
  snprintf(loaded->path, sizeof loaded->path, "%s", info->dlpi_name);
  return 1;
}

bool is_loaded(Loaded& loaded) noexcept { return dl_iterate_phdr(note_loaded, &loaded) != 0; }

/// The CUDA that the loaded driver is for, as 13; where that is not known the newest. Told by the number in the name of
/// its file (libcuda.so.535.104.05), since it is not to be called while it initializes itself. Source of the numbers:
/// the table of drivers in the release notes of the CUDA toolkit.
int driver_major() noexcept {
  struct First {
    int driver;
    int cuda;
  };
  constexpr First kFirsts[] = {{580, 9999}, {525, 12}, {450, 11}};
  Loaded loaded{"libcuda.so", {}};
  char file[PATH_MAX];
  if (!is_loaded(loaded) || realpath(loaded.path, file) == nullptr) return kFirsts[0].cuda;
  const char* const number = strstr(file_name(file), ".so.");
  const int driver = number == nullptr ? 0 : atoi(number + strlen(".so."));
  for (const First& first : kFirsts) {
    if (driver >= first.driver) return first.cuda;
  }
  return kFirsts[0].cuda;
}

/// libcudart lies in nvidia/cuda_runtime/lib beside nvidia/cuda_cupti/lib (CUDA 11 and 12), or in nvidia/cu13/lib with
/// CUPTI itself.
bool open_of_packages(const char* library, int most_major) noexcept {
  Loaded loaded{library, {}};
  if (!is_loaded(loaded)) return false;
  loaded.path[file_name(loaded.path) - static_cast<const char*>(loaded.path)] = '\0';
  char pattern[1200];
  const char* const places[] = {"../../cuda_cupti/lib/", "", "../extras/CUPTI/lib64/"};
  for (const char* place : places) {
    snprintf(pattern, sizeof pattern, "%s%slibcupti.so.*", loaded.path, place);
    if (open_newest(pattern, most_major)) return true;
  }
  return false;
}

bool open_of_toolkit(const char* root, int most_major) noexcept {
  if (root == nullptr || *root == '\0') return false;
  char pattern[1200];
  const char* const places[] = {"extras/CUPTI/lib64", "lib64", "targets/*/lib"};
  for (const char* place : places) {
    snprintf(pattern, sizeof pattern, "%.1000s/%s/libcupti.so.*", root, place);
    if (open_newest(pattern, most_major)) return true;
  }
  return false;
}

bool open_by_name(int most_major) noexcept {
  return std::ranges::any_of(kSonames,
                             [&](const Named& named) { return named.major <= most_major && open_at(named.name); });
}

bool open_loaded() noexcept {
  Loaded loaded{"libcupti.so", {}};
  return is_loaded(loaded) && open_at(loaded.path, RTLD_NOLOAD);
}

bool open_any() noexcept {
  if (open_loaded()) return true;
  const int major = driver_major();
  if (open_of_packages("libcudart.so", major) || open_of_packages("libcublas.so", major) || open_by_name(major)) {
    return true;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): programs that change it beside threads do so at their own risk
  const char* const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/usr/local/cuda-*"};
  return std::ranges::any_of(roots, [&](const char* root) { return open_of_toolkit(root, major); });
}

void open_once() noexcept {
  const char* const chosen = getenv("SONDE_CUPTI");  // NOLINT(concurrency-mt-unsafe): as above
  const bool is_chosen = chosen != nullptr && *chosen != '\0';
  if (is_chosen ? open_at(chosen) : open_any()) {
    why_not[0] = '\0';
  } else if (too_new[0] != '\0') {
    snprintf(why_not, sizeof why_not, "%.400s", too_new);
  } else if (why_not[0] == '\0') {
    snprintf(why_not, sizeof why_not, "libcupti not found");
  }
  end_before_libraries();
}

}  // namespace

const Library* open_library() noexcept {
  pthread_once(&once, open_once);
  return library();
}

const Library* library() noexcept { return is_open ? &opened : nullptr; }

const char* why_not_open() noexcept { return why_not; }

void open_helpers(const Library& library) noexcept {
  Dl_info cupti{};
  if (dladdr(library.get_version.address(), &cupti) == 0 || cupti.dli_fname == nullptr) return;
  const auto folder = static_cast<int>(file_name(cupti.dli_fname) - cupti.dli_fname);
  const char* const helpers[] = {"libnvperf_host.so", "libnvperf_target.so"};
  for (const char* helper : helpers) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s%s", folder, cupti.dli_fname, helper);
    static_cast<void>(dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE));
  }
  end_before_libraries();
}

void* symbol(const Library& library, const char* name) noexcept { return dlsym(library.handle, name); }

const char* text_of(const Library& library, Result result) noexcept {
  const char* text = nullptr;
  switch (result) {
    case Result::absent: return "this CUPTI has no such function";
    case Result::threw: return "CUPTI threw an exception";
    case Result::too_late: return "the program has begun to exit";
    default: break;
  }
  return library.result_text(result, &text) == Result::ok && text != nullptr ? text : "an error without a description";
}

}  // namespace sonde::inject::cupti
