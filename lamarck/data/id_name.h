// Recognises columns that identify rows, by their names.

#pragma once

#include <string_view>

namespace lamarck::data {

// Whether a column of that name usually numbers or identifies rows: "id",
// "index", "row", "no", "nr", "customer_id", "userId", or "Unnamed: 0", which
// pandas writes. Ignores the letter case.
bool is_id_name(std::string_view name);

}  // namespace lamarck::data
