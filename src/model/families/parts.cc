// parts.cc: what the rules of families read sizes and build components with.
#include "model/families/parts.h"

#include <algorithm>

#include "base/text.h"
#include "model/ready.h"

namespace posenc::model {
namespace {

constexpr std::string_view class_default = "the default of its class";
constexpr int64_t longest_side = int64_t{1} << 40;

bool is_number(const Config& config, std::string_view key) {
  const Json* json = config.json().find(key);
  return json && (std::holds_alternative<int64_t>(json->value) ||
                  std::holds_alternative<double>(json->value));
}

// The first of the keys that is there, or the first of all; others that contradict it are noted.
std::string_view chosen(const Config& config, Keys keys) {
  const auto names = words_of(keys);
  const auto there = [&](std::string_view name) { return config.has(name); };
  const auto first = std::find_if(names.begin(), names.end(), there);
  if (first == names.end()) return names[0];
  for (auto other = first + 1; is_number(config, *first) && other != names.end(); ++other)
    if (is_number(config, *other)) config.number({*first, *other});
  return *first;
}

std::optional<int64_t> class_whole(const Config& config, Keys keys) {
  const auto out = class_number(config, keys);
  return out ? std::optional(static_cast<int64_t>(*out)) : std::nullopt;
}

int64_t whole_of(const Config& config, Keys keys, int64_t otherwise, int64_t from, int64_t to) {
  const std::string_view key = chosen(config, keys);
  if (otherwise == 0) otherwise = class_whole(config, keys).value_or(0);
  if (!config.has(key) && otherwise > 0) return config.whole({key}, otherwise, class_default);
  const auto out = config.whole({key});
  if (!out) config.fail(key, ", got none");
  if (*out < from || *out > to) config.fail(key, " of ", from, " to ", to, ", got ", *out);
  return *out;
}

// " in text_config", or nothing where the configuration is the whole one.
std::string inside_of(const Config& config) {
  const std::string& path = config.path();
  return path.empty() ? "" : " in " + path.substr(0, path.size() - 1);
}

std::string frequency_text(const FrequencyRule& rule) {
  return std::holds_alternative<TimescalesRule>(rule) ? "10000^(-i/(d/2-1))"
                                                      : "10000^(-2i/d), i=0..d/2-1";
}

std::string order_text(const Sinusoidal& scheme) {
  if (scheme.order == Order::interleaved) return "sin and cos in turn";
  return scheme.first == First::sine ? "sin block then cos block" : "cos block then sin block";
}

}  // namespace

const Json* class_value(const Config& config, Keys keys) {
  for (const std::string_view key : words_of(keys))
    if (const Json* json = config.class_value(key)) return json;
  return nullptr;
}

std::optional<double> class_number(const Config& config, Keys keys) {
  const Json* json = class_value(config, keys);
  if (const auto* whole = json ? std::get_if<int64_t>(&json->value) : nullptr)
    return static_cast<double>(*whole);
  const auto* real = json ? std::get_if<double>(&json->value) : nullptr;
  return real ? std::optional(*real) : std::nullopt;
}

int64_t size_of(const Config& config, Keys keys, int64_t otherwise) {
  return whole_of(config, keys, otherwise, 1, max_size);
}

int64_t length_of(const Config& config, Keys keys, int64_t otherwise) {
  return whole_of(config, keys, otherwise, 1, longest_side);
}

int64_t count_of(const Config& config, Keys keys, std::optional<int64_t> otherwise) {
  const std::string_view key = chosen(config, keys);
  if (!otherwise) otherwise = class_whole(config, keys);
  if (!config.has(key) && otherwise) return config.whole({key}, *otherwise, class_default);
  return whole_of(config, keys, 0, 0, longest_side);
}

double positive_of(const Config& config, Keys keys, double otherwise) {
  const std::string_view key = chosen(config, keys);
  if (otherwise == 0) otherwise = class_number(config, keys).value_or(0);
  const double out = config.number({key}, otherwise, class_default);
  if (!(out > 0 && out < 1e300)) config.fail(key, " above 0, got ", out);
  return out;
}

std::vector<int64_t> class_sizes(const Config& config, Keys keys) {
  const Json* json = class_value(config, keys);
  if (!json) return {};
  if (!json->list()) return {std::get<int64_t>(json->value)};
  std::vector<int64_t> out;
  for (const Json& item : *json->list()) out.push_back(std::get<int64_t>(item.value));
  return out;
}

std::vector<int64_t> sizes_of(const Config& config, Keys keys, std::vector<int64_t> otherwise) {
  const std::string_view key = chosen(config, keys);
  const auto values = config.numbers({key});
  if (otherwise.empty()) otherwise = class_sizes(config, keys);
  if (!values && otherwise.empty()) config.fail(key, ", got none");
  if (!values) {
    config.assume(key, text::write(as_list(otherwise)), class_default);
    return otherwise;
  }
  std::vector<int64_t> out;
  for (const double value : *values) {
    if (!(value >= 0 && value <= static_cast<double>(max_size)) ||
        value != static_cast<double>(static_cast<int64_t>(value)))
      config.refuse(key, "whole numbers of 0 to 2^20");
    out.push_back(static_cast<int64_t>(value));
  }
  if (out.empty() || out.size() > 64) config.refuse(key, "1 to 64 numbers");
  return out;
}

std::vector<double> as_list(const std::vector<int64_t>& sizes) {
  return {sizes.begin(), sizes.end()};
}

int64_t head_size(const Config& config, int64_t width, int64_t heads) {
  if (heads < 1 || width % heads != 0)
    fail(ErrorKind::data, "read", "expected heads that divide the width", inside_of(config),
         ", got ", heads, " heads and width ", width);
  return width / heads;
}

std::vector<double> Sides::list() const { return as_list(whole()); }

Sides sides_of(const Config& config, Keys keys, Sides otherwise) {
  const std::string_view key = chosen(config, keys);
  const Json* json = config.json().find(key);
  if (json && !json->list()) {
    const int64_t side = size_of(config, key, 0);
    return {side, side};
  }
  auto supplied = otherwise == Sides{} ? class_sizes(config, keys) : otherwise.whole();
  if (supplied.size() == 1) supplied.push_back(supplied[0]);
  const auto sides = sizes_of(config, key, std::move(supplied));
  if (sides.size() != 2 || sides[0] < 1 || sides[1] < 1)
    config.refuse(key, "one side or two", *json);
  return {sides[0], sides[1]};
}

Sides grid_of(const Config& config, Sides picture, Sides patch) {
  const Sides out{picture.height / patch.height, picture.width / patch.width};
  if (out.height < 1 || out.width < 1)
    fail(ErrorKind::data, "read", "expected patches not larger than the picture", inside_of(config),
         ", got ", patch.height, " x ", patch.width, " and ", picture.height, " x ", picture.width);
  return out;
}

std::vector<int64_t> tube_of(const Config& config) {
  auto out = sizes_of(config, "tubelet_size");
  if (out.size() != 3 || *std::min_element(out.begin(), out.end()) < 1)
    config.refuse("tubelet_size", "three sizes");
  return out;
}

Component described(std::string_view scheme, Facts facts, std::string positions) {
  Component out{"", std::string(scheme), std::move(facts)};
  out.positions = std::move(positions);
  return out;
}

Component with_scheme(Component component, const Scheme& scheme) {
  set_ready(component, scheme);
  return component;
}

Component learned_table(const TrainedTable& table) {
  const int64_t usable = table.rows - table.offset;
  if (usable < 1)
    fail(ErrorKind::data, "read", "expected a table with rows after the first ", table.offset,
         ", got ", table.rows, " rows");
  Component out{"", "learned", {}};
  out.facts = {{"rows", table.rows}, {"dim", table.dim}, {"position_offset", table.offset}};
  if (table.offset > 0) out.facts.emplace_back("usable", usable);
  if (table.padding) out.facts.emplace_back("padding_row", *table.padding);
  if (!table.weight.empty()) out.facts.emplace_back("weight", table.weight);
  out.positions = table.positions;
  return with_scheme(
      out,
      Learned{
          .dim = table.dim, .rows = table.rows, .offset = table.offset, .padding = table.padding});
}

Component patch_table(Sides grid, int64_t prefix, int64_t dim, std::string weight) {
  TrainedTable table{.rows = grid.height * grid.width + prefix,
                     .dim = dim,
                     .weight = std::move(weight),
                     .positions = "patches row by row"};
  if (prefix > 0)
    table.positions = text::write(prefix) + (prefix == 1 ? " token" : " tokens") +
                      " without a place, then " + table.positions;
  Component out = learned_table(table);
  out.facts.emplace_back("grid", grid.list());
  out.facts.emplace_back("prefix_tokens", prefix);
  return out;
}

Axial columns_then_rows(int64_t dim, Sides rows) {
  Axial out{.dim = dim, .rows = as_list({rows.width, rows.height}), .block_axes = {1, 0}};
  if (dim % 2 != 0) out.shares = as_list({dim - dim / 2, dim / 2});
  return out;
}

GridSinusoidal rows_then_columns(int64_t dim, GridOrder order, double base) {
  if (dim % 4 != 0)
    fail(ErrorKind::data, "read", "expected a width that is a multiple of 4, got ", dim);
  return {.dim = dim, .base = base, .order = order};
}

Component sinusoidal_table(const Sinusoidal& scheme, int64_t rows, std::string positions) {
  Component out{"", "sinusoidal", {}};
  if (rows > 0) out.facts.emplace_back("rows", rows);
  out.facts.emplace_back("dim", scheme.dim);
  out.facts.emplace_back("order", order_text(scheme));
  out.facts.emplace_back("freq", frequency_text(scheme.rule));
  out.facts.emplace_back("position_offset", scheme.offset);
  if (scheme.padding) out.facts.emplace_back("padding_row", *scheme.padding);
  out.positions = std::move(positions);
  return with_scheme(out, scheme);
}

Sinusoidal whisper_waves(int64_t width) {
  return {.dim = width, .rule = TimescalesRule{}, .order = Order::halves, .odd = Odd::zero};
}

Component distance_rows(const Shaw& shaw, Facts more, std::string positions) {
  Facts facts{{"clip_left", shaw.left},
              {"clip_right", shaw.right},
              {"rows", shaw.rows()},
              {"dim", shaw.dim}};
  facts.insert(facts.end(), more.begin(), more.end());
  return with_scheme(described("shaw", std::move(facts), std::move(positions)), shaw);
}

Component recurrent_terms(const TransformerXl& scheme, std::string_view order, Facts more,
                          std::string positions) {
  Facts facts{{"d_model", scheme.sinusoids.dim},
              {"heads", scheme.heads},
              {"d_head", scheme.dim},
              {"sin_cos", std::string(order)}};
  facts.insert(facts.end(), more.begin(), more.end());
  return with_scheme(described("transformer-xl", std::move(facts), std::move(positions)), scheme);
}

Component bucket_bias(const T5Bias& bias, std::string weight) {
  return with_scheme(described("t5",
                               {{"num_buckets", bias.buckets},
                                {"max_distance", bias.max_distance},
                                {"bidirectional", bias.bidirectional},
                                {"heads", bias.heads},
                                {"weight", std::move(weight)}},
                               "distances between tokens"),
                     bias);
}

Reading named(const Reading& reading, std::string_view where) {
  return {reading.config, reading.type,
          reading.where == "text" ? std::string(where) : reading.where, reading.components};
}

bool has_architecture(const Config& config, std::string_view ending) {
  const auto names = config.texts({"architectures"});
  return names && std::any_of(names->begin(), names->end(),
                              [&](const std::string& name) { return name.ends_with(ending); });
}

}  // namespace posenc::model
