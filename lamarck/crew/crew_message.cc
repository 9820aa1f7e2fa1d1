#include "lamarck/crew/crew_message.h"

#include "lamarck/base/macros.h"
#include "lamarck/crew/byte_stream.h"

namespace lamarck::crew {
namespace {

// Each message is listed once: `visit_fields` is used for both directions.
void visit_fields(auto& hello, auto&& each) requires requires { hello.cores; }
{ each(hello.version), each(hello.name), each(hello.cores); }
void visit_fields(auto& ready, auto&& each) requires requires { ready.stage; }
{ each(ready.stage); }
void visit_fields(auto& result, auto&& each) requires requires {
  result.has_failed;
}
{ each(result.index), each(result.has_failed), each(result.bytes); }
void visit_fields(auto& results, auto&& each) requires requires {
  results.results;
}
{ each(results.step), each(results.results); }
void visit_fields(auto& other, auto&& each) requires requires { other.reason; }
{ each(other.reason); }
void visit_fields(auto& welcome, auto&& each) requires requires {
  welcome.simd;
}
{ each(welcome.simd), each(welcome.summaries); }
void visit_fields(auto& piece, auto&& each) requires requires { piece.input; }
{ each(piece.index), each(piece.input); }
void visit_fields(auto& pieces, auto&& each) requires requires {
  pieces.pieces;
}
{ each(pieces.step), each(pieces.pieces); }
void visit_fields(auto& ended, auto&& each) requires requires { ended.summary; }
{ each(ended.summary); }
void visit_fields(const StepAbandoned& message, auto&& each) {
  each(message.step);
}
void visit_fields(StepAbandoned& message, auto&& each) { each(message.step); }
void visit_fields(const CrewEnded&, auto&&) {}

struct FieldWriter {
  ByteWriter& out;

  void operator()(const std::string& text) { out.add_text(text); }
  void operator()(std::uint64_t value) { out.add_count(value); }
  void operator()(bool value) { out.add_flag(value); }
  template <class T>
  void operator()(const std::vector<T>& values) {
    out.add_count(values.size());
    for (const T& value : values) {
      if constexpr (std::is_same_v<T, std::string>) {
        out.add_text(value);
      } else {
        visit_fields(value, *this);
      }
    }
  }
};

struct FieldReader {
  ByteReader& in;

  void operator()(std::string& text) { text = in.text(); }
  void operator()(std::uint64_t& value) { value = in.count(); }
  void operator()(bool& value) { value = in.flag(); }
  template <class T>
  void operator()(std::vector<T>& values) {
    values.resize(in.length());
    for (T& value : values) {
      if constexpr (std::is_same_v<T, std::string>) {
        value = in.text();
      } else {
        visit_fields(value, *this);
      }
    }
  }
};

template <std::size_t... Indices>
Message make_message(std::size_t kind, std::index_sequence<Indices...>) {
  Message message;
  const bool is_known =
      ((kind == Indices ? (message.emplace<Indices>(), true) : false) || ...);
  static_cast<void>(is_known);
  return message;
}

}  // namespace

std::string encode(const Message& message) {
  ByteWriter out;
  out.add_count(message.index());
  std::visit([&](const auto& held) { visit_fields(held, FieldWriter{out}); },
             message);
  return out.take();
}

Result<Message> decode_message(std::string_view bytes) {
  ByteReader in(bytes);
  constexpr std::size_t kKinds = std::variant_size_v<Message>;
  const std::uint64_t kind = in.count();
  if (kind >= kKinds) in.fail();
  Message message = make_message(kind, std::make_index_sequence<kKinds>());
  std::visit([&](auto& held) { visit_fields(held, FieldReader{in}); }, message);
  RETURN_IF_ERROR(in.check("A message of the crew"));
  return message;
}

}  // namespace lamarck::crew
