// safetensors_header.cc: the JSON at the start of a .safetensors file.
#include <nlohmann/json.hpp>
#include <set>

#include "model/safetensors.h"
#include "model/text.h"

namespace posenc::files {
namespace {

using Json = nlohmann::json;

// Listens to the JSON parser. Knows at each point the only thing that may come, and refuses every
// other, so neither deep nesting nor a wrong type is ever stored.
class Listener {
 public:
  explicit Listener(const Source& source) : source_(source) {}

  Index index;

  bool start_object(size_t) {
    if (place_ == Place::outside) {
      place_ = Place::file;
    } else if (place_ == Place::file && name_ == "__metadata__") {
      place_ = Place::metadata;
      fields_.clear();
    } else if (place_ == Place::file) {
      place_ = Place::tensor;
      tensor_ = {name_, "", {}, 0, 0};
      fields_.clear();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(std::string& key) {
    (place_ == Place::file ? name_ : field_) = key;
    if (place_ == Place::tensor && key != "dtype" && key != "shape" && key != "data_offsets") {
      wrong_keys("one more, " + in_quotes(key));
    }
    auto& keys = place_ == Place::file ? names_ : fields_;
    if (!keys.insert(key).second) {
      source_.refuse("expected each key of an object once, got ", in_quotes(key), " twice");
    }
    return true;
  }

  bool end_object() {
    if (place_ == Place::tensor) {
      for (const char* field : {"dtype", "shape", "data_offsets"}) {
        if (!fields_.contains(field)) wrong_keys(std::string("none called ") + field);
      }
      index.tensors.push_back(std::move(tensor_));
    }
    place_ = place_ == Place::file ? Place::outside : Place::file;
    return true;
  }

  bool start_array(size_t) {
    if (place_ != Place::tensor || field_ == "dtype") unexpected("a list");
    place_ = Place::list;
    numbers_.clear();
    return true;
  }

  bool end_array() {
    place_ = Place::tensor;
    if (field_ == "shape") {
      tensor_.shape.assign(numbers_.begin(), numbers_.end());
    } else if (numbers_.size() == 2) {
      tensor_.begin = numbers_[0], tensor_.end = numbers_[1];
    } else {
      unexpected("a list of " + std::to_string(numbers_.size()));
    }
    return true;
  }

  bool number_unsigned(uint64_t value) {
    if (place_ != Place::list || value > INT64_MAX) unexpected(std::to_string(value));
    if (numbers_.size() == max_rank) unexpected("more than 8 numbers");
    numbers_.push_back(value);
    return true;
  }

  bool string(std::string& value) {
    if (place_ == Place::metadata) {
      index.metadata[field_] = value;
    } else if (place_ == Place::tensor && field_ == "dtype") {
      tensor_.dtype = value;
    } else {
      unexpected(in_quotes(value));
    }
    return true;
  }

  bool null() { unexpected("null"); }
  bool boolean(bool value) { unexpected(value ? "true" : "false"); }
  bool number_integer(int64_t value) { unexpected(std::to_string(value)); }
  bool number_float(double, const std::string& text) { unexpected(in_quotes(text)); }
  bool binary(Json::binary_t&) { unexpected("bytes"); }

  bool parse_error(size_t byte, const std::string&, const Json::exception&) {
    source_.refuse("expected a header in JSON, got a fault at byte ", byte, " of it");
  }

 private:
  enum class Place { outside, file, metadata, tensor, list };

  std::string wanted() const {
    if (place_ == Place::outside) return "an object that lists tensors";
    if (place_ == Place::metadata) return "a string for metadata " + in_quotes(field_);
    if (place_ == Place::file && name_ == "__metadata__") return "an object for __metadata__";
    const std::string whose = " for tensor " + in_quotes(name_);
    if (place_ == Place::file) return "an object with dtype, shape and data_offsets" + whose;
    if (field_ == "dtype") return "a string as dtype" + whose;
    if (field_ == "shape") return "a list of up to 8 whole numbers as shape" + whose;
    return "two whole numbers as data_offsets" + whose;
  }

  [[noreturn]] void unexpected(std::string_view got) const {
    source_.refuse("expected ", wanted(), ", got ", got);
  }

  [[noreturn]] void wrong_keys(std::string_view got) const {
    source_.refuse("expected the keys dtype, shape and data_offsets for tensor ", in_quotes(name_),
                   ", got ", got);
  }

  const Source& source_;
  Place place_ = Place::outside;
  std::string name_, field_;
  Stored tensor_;
  std::vector<uint64_t> numbers_;
  std::set<std::string, std::less<>> names_, fields_;
};

}  // namespace

Index parse_safetensors_header(const std::string& text, const Source& source) {
  const size_t start = text.find_first_not_of(" \t\n\r");
  if (start == text.npos || text[start] != '{') {
    source.refuse("expected a header that starts with {, got ", in_quotes(text));
  }
  // The parser takes a zero byte for the end of the text.
  if (const size_t zero = text.find('\0'); zero != text.npos) {
    source.refuse("expected a header in JSON, got a zero byte at byte ", zero, " of it");
  }
  Listener listener(source);
  Json::sax_parse(text, &listener);
  return std::move(listener.index);
}

}  // namespace posenc::files
