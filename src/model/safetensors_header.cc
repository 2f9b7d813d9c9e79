// safetensors_header.cc: the JSON at the start of a .safetensors file.
#include "base/json_reader.h"
#include "base/text.h"
#include "model/safetensors.h"

namespace posenc::files {
namespace {

using Kind = JsonReader::Kind;

// Reads what may come and refuses every other thing, so neither deep nesting nor a wrong type is
// ever stored.
class Header {
 public:
  Header(const std::string& text, const Source& source)
      : source_(source), json_(source.where(), text, {.depth = 4, .label = source.label()}) {}

  Index read() {
    expect(Kind::object, "an object that lists tensors");
    Index out;
    json_.object([&](const std::string& name) {
      name == "__metadata__" ? metadata(out.metadata) : out.tensors.push_back(tensor(name));
    });
    json_.end();
    return out;
  }

 private:
  void expect(Kind kind, const std::string& wanted) {
    if (json_.next() != kind) json_.unexpected(wanted);
  }

  void metadata(Metadata& out) {
    expect(Kind::object, "an object for __metadata__");
    json_.object([&](const std::string& key) {
      expect(Kind::text, "a string for metadata " + in_quotes(key));
      out[key] = json_.text();
    });
  }

  Stored tensor(const std::string& name) {
    const std::string whose = " for tensor " + in_quotes(name);
    expect(Kind::object, "an object with dtype, shape and data_offsets" + whose);
    Stored out{name, "", {}, 0, 0};
    int fields = 0;
    json_.object([&](const std::string& field) {
      ++fields;
      if (field == "dtype") {
        expect(Kind::text, "a string as dtype" + whose);
        out.dtype = json_.text();
      } else if (field == "shape") {
        out.shape = numbers("a list of up to 8 whole numbers as shape" + whose);
      } else if (field == "data_offsets") {
        const std::string wanted = "two whole numbers as data_offsets" + whose;
        const auto both = numbers(wanted);
        if (both.size() != 2) source_.refuse("expected ", wanted, ", got a list of ", both.size());
        out.begin = static_cast<uint64_t>(both[0]), out.end = static_cast<uint64_t>(both[1]);
      } else {
        wrong_keys(name, "one more, " + in_quotes(field));
      }
    });
    if (fields < 3) wrong_keys(name, "fewer");
    return out;
  }

  std::vector<int64_t> numbers(const std::string& wanted) {
    expect(Kind::list, wanted);
    std::vector<int64_t> out;
    json_.list([&] {
      const auto number = json_.natural();
      if (!number) json_.unexpected(wanted);
      if (out.size() == max_rank) source_.refuse("expected ", wanted, ", got more than 8 numbers");
      out.push_back(*number);
    });
    return out;
  }

  [[noreturn]] void wrong_keys(const std::string& name, std::string_view got) const {
    source_.refuse("expected the keys dtype, shape and data_offsets for tensor ", in_quotes(name),
                   ", got ", got);
  }

  const Source& source_;
  JsonReader json_;
};

}  // namespace

Index parse_safetensors_header(const std::string& text, const Source& source) {
  return Header(text, source).read();
}

}  // namespace posenc::files
