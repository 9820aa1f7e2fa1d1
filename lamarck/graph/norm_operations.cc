#include "lamarck/graph/operation_table.h"
namespace lamarck { std::vector<Operation> norm_operations() { return {}; } }
