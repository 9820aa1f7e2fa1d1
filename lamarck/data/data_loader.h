// Iterates over a data set in batches, epoch by epoch:
//
//   DataLoader loader(train, {.batch_size = 64, .shuffle = true});
//   for (int epoch = 0; epoch < 10; ++epoch) {
//     for (auto [images, labels] : loader) { ... }
//   }

#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "lamarck/data/dataset.h"

namespace lamarck::data {

struct DataLoaderOptions {
  std::size_t batch_size = 32;  // At least 1.
  bool shuffle = false;         // With a new order in each epoch.
  bool drop_last = false;       // Skip a last batch that is not full.
  std::uint64_t seed = 0;
};

struct Batch {
  Tensor inputs;
  Tensor targets;
};

// Each `for` loop is one epoch. The order of its rows depends only on the seed
// and the number of the epoch. All batches share one pair of buffers, so that
// an epoch allocates nothing: the next batch overwrites the previous one. To
// keep a batch, `clone()` its tensors. Only one loop may run at a time.
class DataLoader {
 public:
  class Iterator;

  explicit DataLoader(Dataset dataset, DataLoaderOptions options = {});
  // Iterators point to their loader.
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;

  // Starts the next epoch, even if the previous loop was left early.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }

  std::size_t batch_count() const { return batch_count_; }
  const Dataset& dataset() const { return dataset_; }

  // The number, from 0, of the epoch that `begin` starts next. Set it to resume
  // interrupted training.
  std::size_t next_epoch() const { return next_epoch_; }
  void set_next_epoch(std::size_t epoch) { next_epoch_ = epoch; }

 private:
  void order_rows(std::size_t epoch);
  const Batch& load(std::size_t number);

  Dataset dataset_;
  DataLoaderOptions options_;
  std::size_t batch_count_ = 0;
  std::size_t next_epoch_ = 0;
  std::vector<std::size_t> order_;  // Row order of the current epoch.
  Batch full_;
  Batch last_;  // A view of the first rows of full_.
};

class DataLoader::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;
  using pointer = const Batch*;
  using reference = const Batch&;

  const Batch& operator*() const { return *batch_; }
  const Batch* operator->() const { return batch_; }
  Iterator& operator++();
  void operator++(int) { ++*this; }
  friend bool operator==(const Iterator& it, std::default_sentinel_t) {
    return it.batch_ == nullptr;
  }

 private:
  friend class DataLoader;
  explicit Iterator(DataLoader& loader);

  DataLoader* loader_;
  std::size_t number_ = 0;
  const Batch* batch_ = nullptr;  // Points into the loader; null at the end.
};

}  // namespace lamarck::data
