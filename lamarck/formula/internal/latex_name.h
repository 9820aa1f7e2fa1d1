// Names of columns and constants in LaTeX.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::formula {

// omega is \omega, x1 is x_{1}, v_max is v_{\mathrm{max}}, temperature is
// \mathrm{temperature}; special characters are escaped.
std::string latex_name(std::string_view name);

}  // namespace lamarck::formula
