#include "lamarck/graph/graph_file.h"

#include <bit>
#include <cstring>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/graph/internal/graph_json.h"

namespace lamarck {
namespace {

static_assert(std::endian::native == std::endian::little,
              "weights are written in the byte order of memory");

constexpr std::string_view kMagic = "LAMARCK\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kPrefixSize = 8 + 4 + 4 + 8;  // Magic .. header size.
// Tensors start at multiples of this, so a reader can map them into memory.
constexpr std::size_t kByteAlignment = 64;
constexpr std::size_t kDigestSize = 64;  // Hex digits of SHA-256.

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

std::size_t padding_after(std::size_t size) {
  return (kByteAlignment - size % kByteAlignment) % kByteAlignment;
}

Json shape_to_json(const Shape& shape) {
  return std::vector<std::int64_t>(shape.begin(), shape.end());
}

Error damaged(const std::string& what) {
  return Error(ErrorCode::DataDamaged, "This is not a valid Lamarck model: " +
                                           what + ". Copy or save it again.");
}

// Checks magic, version and checksum, and returns the JSON header and the bytes
// after it. The checksum comes before any other field, so that nothing is
// parsed from a file that was changed by accident.
Result<std::pair<Json, std::string_view>> read_frame(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return Error(ErrorCode::DataDamaged,
                 "This is not a Lamarck model; give a file such as model.lmk.");
  }
  if (bytes.size() < kPrefixSize + kDigestSize) {
    return damaged("it is truncated");
  }
  const auto version = number_at<std::uint32_t>(bytes, 8);
  if (version > kVersion || version == 0) {
    return Error(ErrorCode::Unsupported,
                 "The model has format version " + std::to_string(version) +
                     "; this program reads versions up to " +
                     std::to_string(kVersion) + ". Update Lamarck.");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kDigestSize);
  if (sha256_hex(body) != bytes.substr(body.size())) {
    return damaged("its checksum does not match its contents");
  }
  const auto header_size = number_at<std::uint64_t>(bytes, 16);
  if (header_size > body.size() - kPrefixSize) {
    return damaged("it is truncated");
  }
  ASSIGN_OR_RETURN(
      Json header,
      parse_json(body.substr(kPrefixSize, header_size),
                 {.size_bytes = std::size_t{1} << 32, .depth = 16}));
  const std::size_t end = kPrefixSize + header_size;
  const std::size_t data = end + padding_after(end);
  if (data > body.size()) return damaged("it is truncated");
  return std::pair(std::move(header), body.substr(data));
}

Result<Tensor> read_tensor(const Json& json, std::string_view data) {
  ASSIGN_OR_RETURN(const Json sizes, json_field<Json>(json, "shape"));
  ASSIGN_OR_RETURN(const Shape shape, shape_from_json(sizes));
  ASSIGN_OR_RETURN(const std::int64_t offset,
                   json_field<std::int64_t>(json, "offset"));
  const auto count = static_cast<std::uint64_t>(shape.element_count());
  const auto begin = static_cast<std::uint64_t>(offset);
  // Divide rather than multiply: a large count must not overflow the check.
  if (offset < 0 || begin > data.size() ||
      count > (data.size() - begin) / sizeof(float)) {
    return damaged("a tensor of shape " + shape.to_string() +
                   " extends beyond its end");
  }
  Tensor tensor = Tensor::uninitialized(shape);
  std::memcpy(tensor.begin_of_data(), data.data() + begin,
              count * sizeof(float));
  return tensor;
}

}  // namespace

std::string model_to_bytes(const Graph& graph, const ModelExtras& extras) {
  std::vector<Tensor> tensors;
  Json header = {{"graph", graph_to_json(graph, tensors)},
                 {"notes", extras.notes},
                 {"extras", Json::object()},
                 {"tensors", Json::array()}};
  for (const auto& [name, tensor] : extras.tensors) {
    header["extras"][name] = tensors.size();
    tensors.push_back(tensor);
  }
  std::string data;
  for (const Tensor& tensor : tensors) {
    header["tensors"].push_back(
        {{"shape", shape_to_json(tensor.shape())}, {"offset", data.size()}});
    const Tensor dense = tensor.contiguous();
    data.append(
        reinterpret_cast<const char*>(dense.begin_of_data()),
        static_cast<std::size_t>(dense.element_count()) * sizeof(float));
    data.append(padding_after(data.size()), '\0');
  }
  const std::string text = dump_json(header);
  std::string bytes(kMagic);
  append(bytes, kVersion);
  append(bytes, std::uint32_t{0});  // Reserved.
  append(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
  bytes.append(padding_after(bytes.size()), '\0');
  bytes += data;
  return bytes + sha256_hex(bytes);
}

Result<SavedModel> model_from_bytes(std::string_view bytes) {
  ASSIGN_OR_RETURN(const auto frame, read_frame(bytes));
  const auto& [header, data] = frame;
  ASSIGN_OR_RETURN(const Json list, json_field<Json>(header, "tensors"));
  std::vector<Tensor> tensors;
  for (const Json& entry : list) {
    ASSIGN_OR_RETURN(Tensor tensor, read_tensor(entry, data));
    tensors.push_back(std::move(tensor));
  }
  ASSIGN_OR_RETURN(const Json topology, json_field<Json>(header, "graph"));
  ASSIGN_OR_RETURN(Graph graph, graph_from_json(topology, tensors));
  SavedModel model{std::move(graph), {}};
  ASSIGN_OR_RETURN(const Json extras, json_field<Json>(header, "extras"));
  for (const auto& [name, at] : extras.items()) {
    if (!at.is_number_unsigned() || at.get<std::uint64_t>() >= tensors.size()) {
      return damaged("its extra " + in_quotes(name) + " has no tensor");
    }
    model.extras.tensors.emplace(name, tensors[at.get<std::size_t>()].clone());
  }
  ASSIGN_OR_RETURN(const Json notes, json_field<Json>(header, "notes"));
  for (const auto& [name, text] : notes.items()) {
    if (!text.is_string())
      return damaged("its note " + in_quotes(name) + " is not a string");
    model.extras.notes.emplace(name, text.get<std::string>());
  }
  return model;
}

Result<void> save_model(const std::filesystem::path& path, const Graph& graph,
                        const ModelExtras& extras) {
  return write_file(path, model_to_bytes(graph, extras));
}

Result<SavedModel> load_model(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string bytes,
                   read_file(path, std::uint64_t{1} << 40));
  Result<SavedModel> model = model_from_bytes(bytes);
  if (model) return model;
  return Error(model.error().code(),
               in_quotes(path.string()) + ": " + model.error().message(),
               model.error().fields());
}

}  // namespace lamarck
