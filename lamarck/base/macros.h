// Short macro names for the library's own sources. Not installed, because
// macros ignore namespaces.

#pragma once

#include "lamarck/base/result.h"

#define RETURN_IF_ERROR(...) LAMARCK_RETURN_IF_ERROR(__VA_ARGS__)
#define ASSIGN_OR_RETURN(declaration, ...) \
  LAMARCK_ASSIGN_OR_RETURN(declaration, __VA_ARGS__)
