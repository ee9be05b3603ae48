#include "trace/entities.h"

namespace sonde {

DomainKind domain_kind(std::string_view domain_name) {
  if (domain_name == "torch.operator") return DomainKind::op;
  if (domain_name == "torch.module") return DomainKind::module;
  if (domain_name == "torch.python") return DomainKind::python;
  return DomainKind::nvtx;
}

}  // namespace sonde
