// Laws to recover: twenty from physics, and laws as in a laboratory, with
// products of different factors, shifts and saturation.

#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace lamarck::bench {

struct LawInput {
  std::string_view name;
  double low;  // Range of the training rows.
  double high;
  double far_low;  // Range of the far test rows.
  double far_high;
  int levels = 0;  // If not 0, the number of evenly spaced values it takes.
};

struct Law {
  std::string_view name;
  std::string_view formula;
  std::vector<LawInput> inputs;
};

// clang-format off
inline const std::vector<Law>& physics_laws() {
  static const std::vector<Law> kLaws = {
      {"kepler", "2*pi*sqrt(a**3/(39.478*M))", {{"a", 0.3, 5, 5, 30}, {"M", 0.5, 3, 3, 5}}},
      {"gravitation", "6.674*m1*m2/r**2", {{"m1", 1, 5, 5, 8}, {"m2", 1, 5, 5, 8}, {"r", 1, 4, 4, 7}}},
      {"lens", "1/(1/u + 1/v)", {{"u", 0.5, 5, 5, 9}, {"v", 0.5, 5, 5, 9}}},
      {"planck", "1.2*x**3/(exp(0.9*x/T) - 1)", {{"x", 0.5, 6, 6, 9}, {"T", 0.5, 2, 2, 3}}},
      {"velocity_sum", "(u + v)/(1 + u*v)", {{"u", 0, 0.8, 0.8, 0.95}, {"v", 0, 0.8, 0.8, 0.95}}},
      {"compton", "E/(1 + E/0.511*(1 - cos(theta)))", {{"E", 0.1, 3, 3, 6}, {"theta", 0, 3.1, 3.1, 5}}},
      {"gauss", "exp(-(x/s)**2/2)/(s*sqrt(2*pi))", {{"x", -3, 3, 3, 4}, {"s", 0.5, 2, 2, 3}}},
      {"ideal_gas", "n*8.314*T/V", {{"n", 1, 5, 5, 8}, {"T", 250, 400, 400, 600}, {"V", 10, 50, 50, 90}}},
      {"van_der_waals", "8.314*T/(V - 0.043) - 0.36/V**2", {{"T", 250, 400, 400, 600}, {"V", 0.2, 2, 2, 5}}},
      {"damped_oscillation", "2*exp(-g*t)*cos(3*t)", {{"t", 0, 4, 4, 6}, {"g", 0.1, 0.8, 0.8, 1.2}}},
      {"relativistic_energy", "m/sqrt(1 - v**2)", {{"m", 0.5, 3, 3, 5}, {"v", 0, 0.8, 0.8, 0.95}}},
      {"projectile", "v**2*sin(2*theta)/9.81", {{"v", 1, 10, 10, 20}, {"theta", 0.1, 1.4, 1.4, 1.57}}},
      {"radiation", "5.67*A*(T**4 - S**4)", {{"A", 0.5, 3, 3, 5}, {"T", 1, 3, 3, 4}, {"S", 0.5, 2, 2, 3}}},
      {"doppler", "f*sqrt((1 + b)/(1 - b))", {{"f", 1, 5, 5, 9}, {"b", -0.7, 0.7, 0.7, 0.9}}},
      {"inhibited_enzyme", "3.2*S/(0.8*(1 + I/1.7) + S)", {{"S", 0.1, 6, 6, 12}, {"I", 0, 5, 5, 9}}},
      {"arrhenius", "4*exp(-E/(8.314*T))", {{"E", 1000, 8000, 8000, 12000}, {"T", 280, 450, 450, 600}}},
      {"capacitor", "V*(1 - exp(-t/(R*0.8)))", {{"V", 1, 9, 9, 15}, {"t", 0, 4, 4, 8}, {"R", 0.5, 3, 3, 5}}},
      {"logistic", "10/(1 + 7*exp(-r*t))", {{"r", 0.2, 1.5, 1.5, 2}, {"t", 0, 6, 6, 9}}},
      {"resistors", "1/(1/a + 1/b + 1/c)", {{"a", 1, 9, 9, 15}, {"b", 1, 9, 9, 15}, {"c", 1, 9, 9, 15}}},
      {"fermi", "1/(exp((E - mu)/T) + 1)", {{"E", 0, 4, 4, 5}, {"mu", 0.5, 2.5, 2.5, 3.5}, {"T", 0.3, 1, 1, 1.5}}},
  };
  return kLaws;
}

inline const std::vector<Law>& laboratory_laws() {
  static const std::vector<Law> kLaws = {
      {"driven_pendulum", "0.6*sin(1.7*t) - 0.4*v**3 - 0.7*x*v - 0.3*x*exp(0.8*x)", {{"t", 0, 25, 25, 50}, {"x", -1.5, 1.5, 1.5, 2}, {"v", -1.2, 1.2, 1.2, 1.6}}},
      {"van_der_pol", "1.3*(1 - x**2)*v - 0.9*x + 0.4*cos(2.1*t)", {{"t", 0, 20, 20, 40}, {"x", -2, 2, 2, 3}, {"v", -2, 2, 2, 3}}},
      {"growth", "0.9*B*(S/(0.25 + S))*tanh(0.35*(T - 18))/(1 + 2e-5*(T - 34)**4)*exp(-abs(H - 6.8))", {{"B", 0.1, 1, 1, 1.5}, {"S", 0.02, 1, 1, 1.5}, {"T", 20, 42, 42, 46}, {"H", 5.5, 8.5, 8.5, 9}}},
      {"photosynthesis", "22*(1 - exp(-0.004*L))*(C/(280 + C))*exp(-((T - 27)/11)**2)", {{"L", 10, 1500, 1500, 2000}, {"C", 80, 900, 900, 1200}, {"T", 8, 38, 38, 44}}},
      {"reactor", "2.4*A**0.7*B/(1 + 0.6*B)*exp(-1800*(1/T - 1/350))", {{"A", 0.1, 4, 4, 6}, {"B", 0.1, 6, 6, 9}, {"T", 300, 400, 400, 430}}},
      {"neuron", "36*n**4*(V + 77) + 120*m**3*h*(V - 50) + 0.3*(V + 54.4)", {{"V", -80, 40, 40, 60}, {"n", 0.2, 0.8, 0.8, 0.95}, {"m", 0.05, 0.95, 0.95, 1}, {"h", 0.1, 0.7, 0.7, 0.9}}},
      {"yield_curve", "(310 - 0.32*(T - 20))*tanh(170*e)*(1 + 0.35*e**0.4) - 900*e*maximum(0, (T - 180)/200)", {{"e", 0, 0.2, 0, 0.2}, {"T", 20, 300, 200, 200, 6}}},
      {"wind_turbine", "minimum(1500, 0.55*v**3)*(1 - 0.004*(T - 15))", {{"v", 2, 18, 18, 22}, {"T", -10, 35, 35, 40}}},
  };
  return kLaws;
}
// clang-format on

}  // namespace lamarck::bench
