#include "analyses/views/kernel_view.h"

#include <array>

namespace sonde {

#define SONDE_KERNEL_VIEW(name) extern const KernelView name##_view;
#include "analyses/views/kernel_views.inc"
#undef SONDE_KERNEL_VIEW

namespace {

const std::array kViews = {
#define SONDE_KERNEL_VIEW(name) name##_view,
#include "analyses/views/kernel_views.inc"
#undef SONDE_KERNEL_VIEW
};

}  // namespace

std::span<const KernelView> kernel_views() { return kViews; }

}  // namespace sonde
