#include "lamarck/tensor/safetensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace lamarck {
namespace {

std::string make_file(const std::string& header, const std::string& data) {
  const auto size = static_cast<std::uint64_t>(header.size());
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + data;
}

TEST(Safetensors, KeepsNamesShapesAndValues) {
  Rng rng(1);
  const NamedTensors tensors = {{"a", Tensor::randn({3, 4}, rng)},
                                {"b.c", Tensor::scalar(5)},
                                {"empty", Tensor::zeros({0, 2})}};
  const std::string path = testing::TempDir() + "safetensors_test.safetensors";
  ASSERT_TRUE(write_safetensors(path, tensors));
  const auto read = read_safetensors(path);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->size(), 3u);
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(read->at(name).shape(), tensor.shape());
    EXPECT_EQ(max_difference(read->at(name), tensor), 0);
  }
}

TEST(Safetensors, ReadsOtherTypesAsFloats) {
  const auto one = [](const std::string& type, const std::string& bytes) {
    const auto read = safetensors_from_bytes(make_file(
        R"({"x":{"dtype":")" + type + R"(","shape":[1],"data_offsets":[0,)" +
            std::to_string(bytes.size()) + R"(]},"__metadata__":{"a":"b"}})",
        bytes));
    return read ? read->at("x").item() : NAN;
  };
  EXPECT_EQ(one("F16", std::string("\x00\x3e", 2)), 1.5f);
  EXPECT_EQ(one("F16", std::string("\x01\x80", 2)), -0x1p-24f);
  EXPECT_EQ(one("F16", std::string("\x00\x7c", 2)), INFINITY);
  EXPECT_EQ(one("BF16", std::string("\xc0\x3f", 2)), 1.5f);
  EXPECT_EQ(one("I64", std::string("\xfe\xff\xff\xff\xff\xff\xff\xff", 8)), -2);
  EXPECT_EQ(one("U8", "\xff"), 255);
}

TEST(Safetensors, ReportsWhatIsDamaged) {
  const auto message = [](const std::string& header, const std::string& data) {
    const auto read = safetensors_from_bytes(make_file(header, data));
    return read ? std::string("read") : read.error().message();
  };
  EXPECT_NE(message(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
                    "1234")
                .find("do not fit [2]"),
            std::string::npos);
  EXPECT_NE(
      message(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "12")
          .find("beyond its end"),
      std::string::npos);
  EXPECT_NE(
      message(R"({"x":{"dtype":"F8","shape":[1],"data_offsets":[0,1]}})", "1")
          .find("store floats"),
      std::string::npos);
  EXPECT_NE(message("[]", "").find("not a JSON object"), std::string::npos);
  EXPECT_FALSE(safetensors_from_bytes("abc"));
  EXPECT_FALSE(safetensors_from_bytes(std::string(9, '\xff')));
}

TEST(Safetensors, RandomChangesNeverCrash) {
  Rng rng(2);
  const std::string bytes = safetensors_to_bytes(
      {{"a", Tensor::randn({2, 2}, rng)}, {"b", Tensor::ones({3})}});
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng own(seed);
    std::string changed = bytes;
    for (int i = 0; i < 3; ++i) {
      changed[own.below(changed.size())] = static_cast<char>(own.below(256));
    }
    changed.resize(own.below(changed.size()) + 1);
    static_cast<void>(safetensors_from_bytes(changed));
  }
}

}  // namespace
}  // namespace lamarck
