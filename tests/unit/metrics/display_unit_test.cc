#include "metrics/display_unit.h"

#include <array>

#include <gtest/gtest.h>

#include "report/tables/quantity.h"

namespace sonde {
namespace display_unit_test {

struct Printed {
  double base;
  std::string_view base_unit;
  std::string_view value;  ///< as ncu prints it, with thousands separators
  std::string_view unit;
};

TEST(DisplayUnit, TakesThePrefixThatFits) {
  constexpr std::array kRows = {
      Printed{6752, "ns", "6.75", "us"},
      Printed{999, "ns", "999", "ns"},
      Printed{21058944, "ns", "21.06", "ms"},
      Printed{2.5e9, "ns", "2.50", "s"},
      Printed{0, "byte", "0", "byte"},
      Printed{2330000, "byte", "2.33", "Mbyte"},
      Printed{16384, "byte", "16.38", "Kbyte"},
      Printed{49152, "byte/block", "49.15", "Kbyte/block"},
      Printed{345140000000, "byte/s", "345.14", "Gbyte/s"},
      Printed{13720000000, "hz", "13.72", "Ghz"},
      Printed{584998877.44, "hz", "585.00", "Mhz"},
      Printed{849.49e9, "inst/s", "849.49", "inst/ns"},
      Printed{2614, "%/byte", "2.61", "%/Kbyte"},
      Printed{1046359072894.55, "hz", "1,046.36", "Ghz"},
      Printed{13485, "cycle", "13,485", "cycle"},
      Printed{9495.42, "cycle", "9,495.42", "cycle"},
      Printed{100, "%", "100", "%"},
      Printed{0.001, "", "0.00", ""},
  };
  for (const Printed& row : kRows) {
    const ShownValue shown = shown_value(row.base, row.base_unit, PrintUnits::automatic);
    EXPECT_EQ(with_separators(shown.value), row.value);
    EXPECT_EQ(shown.unit, row.unit);
  }
}

TEST(DisplayUnit, LeavesBaseUnitsAsTheyAre) {
  const ShownValue shown = shown_value(4963609951.19, "hz", PrintUnits::base);
  EXPECT_EQ(with_separators(shown.value), "4,963,609,951.19");
  EXPECT_EQ(shown.unit, "hz");
  EXPECT_EQ(shown_value(21058944, "ns", PrintUnits::base).value, "21058944");
}

TEST(DisplayUnit, ReadsUnitsOfAllVersions) {
  struct Unit {
    std::string_view printed;
    double factor;
    std::string_view base;
  };
  constexpr std::array kUnits = {
      Unit{"us", 1e3, "ns"},
      Unit{"nsecond", 1, "ns"},
      Unit{"msecond", 1e6, "ns"},
      Unit{"second", 1e9, "ns"},
      Unit{"Mbyte", 1e6, "byte"},
      Unit{"Gbyte/s", 1e9, "byte/s"},
      Unit{"Gbyte/second", 1e9, "byte/s"},
      Unit{"Kbyte/block", 1e3, "byte/block"},
      Unit{"Ghz", 1e9, "hz"},
      Unit{"cycle/nsecond", 1e9, "hz"},
      Unit{"cycle/usecond", 1e6, "hz"},
      Unit{"cycle/second", 1, "hz"},
      Unit{"inst/cycle", 1, "inst/cycle"},
      Unit{"inst/ns", 1e9, "inst/s"},
      Unit{"%/Kbyte", 1e3, "%/byte"},
      Unit{"%", 1, "%"},
      Unit{"", 1, ""},
      Unit{"register/thread", 1, "register/thread"},
  };
  for (const Unit& unit : kUnits) {
    const BaseValue base = base_of_unit(unit.printed);
    EXPECT_EQ(base.factor, unit.factor) << unit.printed;
    EXPECT_EQ(base.unit, unit.base) << unit.printed;
  }
}

}  // namespace display_unit_test
}  // namespace sonde
