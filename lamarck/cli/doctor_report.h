// The report of `lamarck doctor` about the build, the machine and the settings.

#pragma once

#include <string>

#include "lamarck/base/json.h"
#include "lamarck/cli/settings.h"

namespace lamarck::cli {

// Returns the whole report except "speed". Never contains a key.
Json doctor_report(const Settings& settings);

// Measures the kernels for the report's member "speed", which takes a second.
Json speed_report();

// Formats the report as text.
std::string doctor_text(const Json& report);

}  // namespace lamarck::cli
