#include <algorithm>

#include <fmt/format.h>

#include "cli/top/model.h"

namespace sonde::top {
namespace {

bool fits(const ProcessRow& row, const Choice& choice) {
  if (choice.gpu && *choice.gpu != row.gpu) return false;
  const monitor::ProcessOwner& owner = row.process.owner;
  return choice.filter.empty() || owner.user.contains(choice.filter) || owner.command.contains(choice.filter) ||
         owner.container.contains(choice.filter) || owner.pod.contains(choice.filter) ||
         owner.unit.contains(choice.filter) || fmt::format("{}", row.process.process.pid).contains(choice.filter);
}

/// What is unknown stands last.
bool comes_before(const ProcessRow& a, const ProcessRow& b, Sort sort) {
  const monitor::OwnedProcess& x = a.process;
  const monitor::OwnedProcess& y = b.process;
  switch (sort) {
    case Sort::memory: return x.process.memory_used_bytes.value_or(-1) > y.process.memory_used_bytes.value_or(-1);
    case Sort::gpu: return a.gpu < b.gpu;
    case Sort::pid: return x.process.pid < y.process.pid;
    case Sort::user: return x.owner.user < y.owner.user;
    case Sort::command: return x.owner.command < y.owner.command;
  }
  return false;
}

}  // namespace

std::vector<const ProcessRow*> shown_processes(const Model& model, const Choice& choice) {
  std::vector<const ProcessRow*> shown;
  for (const ProcessRow& row : model.processes) {
    if (fits(row, choice)) shown.push_back(&row);
  }
  std::ranges::stable_sort(shown, [&](const ProcessRow* a, const ProcessRow* b) {
    return choice.reverse ? comes_before(*b, *a, choice.sort) : comes_before(*a, *b, choice.sort);
  });
  return shown;
}

}  // namespace sonde::top
