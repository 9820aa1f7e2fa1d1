// Descriptions of skills with requests that they fit, and requests that none of
// them fits. Thresholds were chosen on the first set; the held-out one was
// written afterwards.

#pragma once

#include <span>
#include <string_view>

namespace lamarck::text {

struct SimilarityCase {
  std::string_view description;
  std::string_view same;     // The same skill described by someone else.
  std::string_view request;  // A task for it.
};

std::span<const SimilarityCase> similarity_cases();
std::span<const std::string_view> unrelated_requests();

std::span<const SimilarityCase> held_out_cases();
std::span<const std::string_view> held_out_unrelated_requests();

}  // namespace lamarck::text
