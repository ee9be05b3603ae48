#include <cerrno>

#include "inject/export.h"
#include "inject/name_table.h"
#include "inject/nvtx_events.h"

/// The functions that NVTX calls instead of doing nothing, under NVTX's names, and where they are handed over.
namespace sonde::inject {
namespace {

using nvtx::Domain;
using nvtx::EventAttributes;
using nvtx::RangeId;

void* handle_of(uint32_t number) noexcept { return reinterpret_cast<void*>(static_cast<uintptr_t>(number)); }

uint32_t register_domain(const Text& name) noexcept { return register_name(domains, 0, name); }
uint32_t register_string(Domain domain, const Text& text) noexcept {
  return register_name(strings, domain_number(domain), text);
}
void name_category(Domain domain, uint32_t category, const Text& name) noexcept {
  const uint16_t number = domain_number(domain);
  if (number != 0) static_cast<void>(known_name(domains, number));
  write_definition(wire::Kind::category, number, category, name);
}
void name_thread(uint32_t thread, const Text& name) noexcept {
  write_definition(wire::Kind::thread_name, 0, thread, name);
}

extern "C" {

void sonde_mark_ex(const EventAttributes* event) noexcept { mark(0, event); }
void sonde_mark_a(const char* text) noexcept { mark(text_of(text)); }
void sonde_mark_w(const wchar_t* text) noexcept { mark(WideText(text).text()); }
RangeId sonde_start_ex(const EventAttributes* event) noexcept { return start_range(0, event); }
RangeId sonde_start_a(const char* text) noexcept { return start_range(text_of(text)); }
RangeId sonde_start_w(const wchar_t* text) noexcept { return start_range(WideText(text).text()); }
void sonde_end(RangeId id) noexcept { end_range(id); }
int sonde_push_ex(const EventAttributes* event) noexcept { return push_range(0, event); }
int sonde_push_a(const char* text) noexcept { return push_range(text_of(text)); }
int sonde_push_w(const wchar_t* text) noexcept { return push_range(WideText(text).text()); }
int sonde_pop() noexcept { return pop_range(0); }
void sonde_category_a(uint32_t category, const char* name) noexcept { name_category(nullptr, category, text_of(name)); }
void sonde_category_w(uint32_t category, const wchar_t* name) noexcept {
  name_category(nullptr, category, WideText(name).text());
}
void sonde_thread_a(uint32_t thread, const char* name) noexcept { name_thread(thread, text_of(name)); }
void sonde_thread_w(uint32_t thread, const wchar_t* name) noexcept { name_thread(thread, WideText(name).text()); }

void sonde_domain_mark_ex(Domain domain, const EventAttributes* event) noexcept { mark(domain_number(domain), event); }
RangeId sonde_domain_start_ex(Domain domain, const EventAttributes* event) noexcept {
  return start_range(domain_number(domain), event);
}
void sonde_domain_end(Domain, RangeId id) noexcept { end_range(id); }
int sonde_domain_push_ex(Domain domain, const EventAttributes* event) noexcept {
  return push_range(domain_number(domain), event);
}
int sonde_domain_pop(Domain domain) noexcept { return pop_range(domain_number(domain)); }
void sonde_domain_category_a(Domain domain, uint32_t category, const char* name) noexcept {
  name_category(domain, category, text_of(name));
}
void sonde_domain_category_w(Domain domain, uint32_t category, const wchar_t* name) noexcept {
  name_category(domain, category, WideText(name).text());
}
nvtx::String sonde_string_a(Domain domain, const char* text) noexcept {
  return handle_of(register_string(domain, text_of(text)));
}
nvtx::String sonde_string_w(Domain domain, const wchar_t* text) noexcept {
  return handle_of(register_string(domain, WideText(text).text()));
}
Domain sonde_domain_a(const char* name) noexcept { return handle_of(register_domain(text_of(name))); }
Domain sonde_domain_w(const wchar_t* name) noexcept { return handle_of(register_domain(WideText(name).text())); }

}  // extern "C"

struct Entry {
  unsigned place;
  nvtx::Function function;
};

template <typename F>
nvtx::Function untyped(F* function) noexcept {
  return reinterpret_cast<nvtx::Function>(function);
}

/// Resources, the destruction of domains and nvtxInitialize() leave nothing in a profile: their places stay as they
/// are, which is doing nothing.
bool fill(const nvtx::Callbacks& callbacks, int module, const Entry* entries, size_t count) noexcept {
  nvtx::FunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks.module_table(module, &table, &size) == 0 || table == nullptr) return false;
  for (size_t i = 0; i < count; ++i) {
    if (entries[i].place <= size && table[entries[i].place] != nullptr) *table[entries[i].place] = entries[i].function;
  }
  return true;
}

bool fill_core(const nvtx::Callbacks& callbacks) noexcept {
  const Entry entries[] = {
      {nvtx::kMarkEx, untyped(sonde_mark_ex)},
      {nvtx::kMarkA, untyped(sonde_mark_a)},
      {nvtx::kMarkW, untyped(sonde_mark_w)},
      {nvtx::kRangeStartEx, untyped(sonde_start_ex)},
      {nvtx::kRangeStartA, untyped(sonde_start_a)},
      {nvtx::kRangeStartW, untyped(sonde_start_w)},
      {nvtx::kRangeEnd, untyped(sonde_end)},
      {nvtx::kRangePushEx, untyped(sonde_push_ex)},
      {nvtx::kRangePushA, untyped(sonde_push_a)},
      {nvtx::kRangePushW, untyped(sonde_push_w)},
      {nvtx::kRangePop, untyped(sonde_pop)},
      {nvtx::kNameCategoryA, untyped(sonde_category_a)},
      {nvtx::kNameCategoryW, untyped(sonde_category_w)},
      {nvtx::kNameOsThreadA, untyped(sonde_thread_a)},
      {nvtx::kNameOsThreadW, untyped(sonde_thread_w)},
  };
  return fill(callbacks, nvtx::kCore, entries, sizeof entries / sizeof entries[0]);
}

bool fill_core2(const nvtx::Callbacks& callbacks) noexcept {
  const Entry entries[] = {
      {nvtx::kDomainMarkEx, untyped(sonde_domain_mark_ex)},
      {nvtx::kDomainRangeStartEx, untyped(sonde_domain_start_ex)},
      {nvtx::kDomainRangeEnd, untyped(sonde_domain_end)},
      {nvtx::kDomainRangePushEx, untyped(sonde_domain_push_ex)},
      {nvtx::kDomainRangePop, untyped(sonde_domain_pop)},
      {nvtx::kDomainNameCategoryA, untyped(sonde_domain_category_a)},
      {nvtx::kDomainNameCategoryW, untyped(sonde_domain_category_w)},
      {nvtx::kDomainRegisterStringA, untyped(sonde_string_a)},
      {nvtx::kDomainRegisterStringW, untyped(sonde_string_w)},
      {nvtx::kDomainCreateA, untyped(sonde_domain_a)},
      {nvtx::kDomainCreateW, untyped(sonde_domain_w)},
  };
  return fill(callbacks, nvtx::kCore2, entries, sizeof entries / sizeof entries[0]);
}

bool attach_nvtx(nvtx::GetExportTable get_table) noexcept {
  if (!may_want_nvtx()) return false;
  const auto* callbacks = static_cast<const nvtx::Callbacks*>(get_table(nvtx::kCallbacks));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks) return false;
  return fill_core(*callbacks) && fill_core2(*callbacks);
}

}  // namespace
}  // namespace sonde::inject

/// NVTX calls it, once for each copy of its header that the program holds, and unloads the library when it gives 0.
// NOLINTNEXTLINE(readability-identifier-naming): the name is NVTX's.
extern "C" SONDE_EXPORT int InitializeInjectionNvtx2(sonde::inject::nvtx::GetExportTable get_table) noexcept {
  const int error = errno;
  const bool attached = sonde::inject::attach_nvtx(get_table);
  errno = error;
  return attached ? 1 : 0;
}
