#include "base/system/signal_name.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace sonde {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 31> kNames = {
    {{SIGHUP, "SIGHUP"},       {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},     {SIGTRAP, "SIGTRAP"},
     {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"},   {SIGUSR1, "SIGUSR1"},
     {SIGSEGV, "SIGSEGV"},     {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},   {SIGTERM, "SIGTERM"},
     {SIGSTKFLT, "SIGSTKFLT"}, {SIGCHLD, "SIGCHLD"}, {SIGCONT, "SIGCONT"}, {SIGSTOP, "SIGSTOP"},   {SIGTSTP, "SIGTSTP"},
     {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"}, {SIGURG, "SIGURG"},   {SIGXCPU, "SIGXCPU"},   {SIGXFSZ, "SIGXFSZ"},
     {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGPOLL, "SIGPOLL"}, {SIGWINCH, "SIGWINCH"}, {SIGPWR, "SIGPWR"},
     {SIGSYS, "SIGSYS"}}};

}  // namespace

std::string signal_name(int signal) {
  const auto* const named = std::ranges::find(kNames, signal, &std::pair<int, std::string_view>::first);
  return named == kNames.end() ? fmt::format("signal {}", signal) : std::string(named->second);
}

}  // namespace sonde
