#include "importers/files/kernel_names.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde {
namespace {

struct Names {
  NameId declared = kNone;
  NameId base = kNone;
};

Names names_of(NameId name, StringPool& pool) {
  const std::string declared = declared_name(std::string(pool.view(name)));
  return {pool.intern(declared), pool.intern(short_kernel_name(declared))};
}

}  // namespace

void spread_kernel_names(Trace& trace, size_t first) {
  Kernels& k = trace.kernels;
  boost::unordered_flat_map<NameId, Names> known;
  const size_t rows = row_count(k);
  const bool wants_base = trace.fields.has(Field::kernel_short_names);
  const bool wants_mangled = trace.fields.has(Field::kernel_mangled_names);
  if (wants_base) k.short_name.resize(rows, kNone);
  if (wants_mangled) k.mangled_name.resize(rows, kNone);
  for (size_t row = first; row < rows; ++row) {
    const NameId source = k.name[row];
    if (source == kNone) continue;
    const auto [found, fresh] = known.try_emplace(source);
    if (fresh) found->second = names_of(source, trace.names);
    k.name[row] = found->second.declared;
    if (wants_base) k.short_name[row] = found->second.base;
    if (wants_mangled && found->second.declared != source) k.mangled_name[row] = source;
  }
}

}  // namespace sonde
