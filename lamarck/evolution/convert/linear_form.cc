#include "lamarck/evolution/convert/linear_form.h"

namespace lamarck::evolution {

void LinearForm::add_edge(UnitId from, const Tensor& weights) {
  const auto [place, is_new] = edges.try_emplace(from, weights.clone());
  if (!is_new) place->second += weights;
}

void LinearForm::add(const LinearForm& other) {
  for (const auto& [from, weights] : other.edges) add_edge(from, weights);
  bias = bias + other.bias;
}

void LinearForm::scale(const Tensor& factors, const Tensor& shift) {
  for (auto& [from, weights] : edges) weights *= factors;
  bias = bias * factors + shift;
}

}  // namespace lamarck::evolution
