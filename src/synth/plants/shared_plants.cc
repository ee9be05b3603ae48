#include <array>

#include "synth/synth.h"

namespace sonde::synth {

#define SONDE_PLANT(name) extern const Plant name##_plant;
#include "synth/plants/list.inc"
#undef SONDE_PLANT

std::span<const Plant> plants() {
  static const std::array all = {
#define SONDE_PLANT(name) name##_plant,
#include "synth/plants/list.inc"
#undef SONDE_PLANT
  };
  return all;
}

}  // namespace sonde::synth
