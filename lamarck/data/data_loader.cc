#include "lamarck/data/data_loader.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/base/rng.h"
#include "lamarck/data/rows.h"

namespace lamarck::data {
namespace {

// A batch of `count` rows with the axes of `rows`.
Tensor buffer_for(const Tensor& rows, std::size_t count) {
  return Tensor::uninitialized(
      rows.shape().with(0, static_cast<std::int64_t>(count)));
}

}  // namespace

DataLoader::DataLoader(Dataset dataset, DataLoaderOptions options)
    : dataset_(std::move(dataset)), options_(options), order_(dataset_.size()) {
  REQUIRE(options_.batch_size > 0,
          "DataLoader: batch_size must be at least 1, got {}.",
          options_.batch_size);
  const std::size_t size = dataset_.size();
  const std::size_t full_count = size / options_.batch_size;
  const std::size_t left_over = size % options_.batch_size;
  const std::size_t has_last = left_over > 0 && !options_.drop_last ? 1 : 0;
  batch_count_ = full_count + has_last;

  // The smaller last batch is a view of the full one, so that both share
  // memory.
  const std::size_t capacity = std::min(size, options_.batch_size);
  full_ = {buffer_for(dataset_.inputs(), capacity),
           buffer_for(dataset_.targets(), capacity)};
  const auto rows = static_cast<std::int64_t>(left_over);
  last_ = {full_.inputs.slice(0, 0, rows), full_.targets.slice(0, 0, rows)};
}

DataLoader::Iterator DataLoader::begin() {
  order_rows(next_epoch_++);
  return Iterator(*this);
}

void DataLoader::order_rows(std::size_t epoch) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (!options_.shuffle) return;
  // Splitting by epoch makes any epoch reproducible without the ones before it.
  Rng rng = Rng(options_.seed).split(epoch);
  rng.shuffle(order_);
}

const Batch& DataLoader::load(std::size_t number) {
  const std::size_t first = number * options_.batch_size;
  const std::size_t count =
      std::min(options_.batch_size, dataset_.size() - first);
  Batch& batch = count == options_.batch_size ? full_ : last_;
  const auto rows = std::span<const std::size_t>(order_).subspan(first, count);
  gather_rows(dataset_.inputs(), rows, batch.inputs);
  gather_rows(dataset_.targets(), rows, batch.targets);
  return batch;
}

DataLoader::Iterator::Iterator(DataLoader& loader) : loader_(&loader) {
  if (loader.batch_count_ > 0) batch_ = &loader.load(0);
}

DataLoader::Iterator& DataLoader::Iterator::operator++() {
  // Loading the batch here, not in operator*, keeps dereferencing free.
  ++number_;
  batch_ = number_ < loader_->batch_count_ ? &loader_->load(number_) : nullptr;
  return *this;
}

}  // namespace lamarck::data
