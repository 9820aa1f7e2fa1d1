// What this machine and this build offer, for `lamarck doctor`.

#pragma once

#include <string>

#include "lamarck/base/json.h"
#include "lamarck/cli/settings.h"

namespace lamarck::cli {

// Looks at everything; never contains a key.
Json doctor_report(const Settings& settings);

// How fast the kernels are, as the report's member "speed". Takes a second.
Json speed_report();

// The report for people.
std::string doctor_text(const Json& report);

}  // namespace lamarck::cli
