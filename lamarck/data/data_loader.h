// A data set in batches, epoch by epoch:
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
  bool shuffle = false;         // Anew in each epoch.
  bool drop_last = false;       // Leave out a last batch that is not full.
  std::uint64_t seed = 0;
};

struct Batch {
  Tensor inputs;
  Tensor targets;
};

// Every pass with `for` is one epoch; its order follows from the seed and the
// epoch's number alone. All batches share two buffers, so that a pass allocates
// nothing: the next batch overwrites the last one, and whoever keeps one takes
// a `clone()`. One pass at a time.
class DataLoader {
 public:
  class Iterator;

  explicit DataLoader(Dataset dataset, DataLoaderOptions options = {});
  // An iterator points to its loader.
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;

  // Begins the next epoch.
  Iterator begin();
  std::default_sentinel_t end() const { return {}; }

  std::size_t batch_count() const { return batch_count_; }
  const Dataset& dataset() const { return dataset_; }

  // The number of the epoch that `begin` starts next, from 0 on. Set it to go
  // on where an interrupted training was.
  std::size_t next_epoch() const { return next_epoch_; }
  void set_next_epoch(std::size_t epoch) { next_epoch_ = epoch; }

 private:
  void order_rows(std::size_t epoch);
  const Batch& load(std::size_t number);

  Dataset dataset_;
  DataLoaderOptions options_;
  std::size_t batch_count_ = 0;
  std::size_t next_epoch_ = 0;
  std::vector<std::size_t> order_;  // Of the epoch that is under way.
  Batch full_;
  Batch last_;  // The first rows of full_, as many as are left over.
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
