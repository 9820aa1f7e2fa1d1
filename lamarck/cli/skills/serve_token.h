// `lamarck serve token`: the bearer tokens of the server's clients.

#pragma once

#include "lamarck/cli/command.h"

namespace lamarck::cli {

Command serve_token_command();

}  // namespace lamarck::cli
