#pragma once

#include <string_view>

#include "analyses/communication_kind.h"
#include "analyses/kernel_class.h"
#include "trace/events.h"

/// What things are, which decides their colour on the page (Category of web/src/data/format.ts).
namespace sonde {

/// Communication first: it is told by the framework where it can be.
[[nodiscard]] std::string_view kernel_category(KernelClass kind, CommunicationKind communication);
/// By the kernel's name alone.
[[nodiscard]] std::string_view kernel_category(std::string_view name);
/// Of a copy kind (CopyKind).
[[nodiscard]] std::string_view copy_category(uint8_t kind);

}  // namespace sonde
