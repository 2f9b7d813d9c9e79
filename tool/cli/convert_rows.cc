// convert_rows.cc: posenc convert rows.
#include "convert_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "console.h"
#include "model/text.h"
#include "models.h"
#include "options.h"
#include "rewrite.h"
#include "rows.h"
#include "shards.h"

namespace posenc::cli {
namespace {

struct RowsConversion {
  std::string in{}, out{}, tensor{};
  std::optional<int64_t> rows{}, keep{};
  Resize how = Resize::linear;

  static Fields fields() {
    using S = RowsConversion;
    return {
        {"in", &S::in, "file with the table, .safetensors or .npy; or the folder of a model"},
        {"out", &S::out, "file to write, which may be --in; or a folder, which may not"},
        {"tensor", &S::tensor, "rows: name of the table; what the model's files say unless given"},
        {"rows", &S::rows, "rows: how many the table shall have, kept ones included"},
        {"keep", &S::keep,
         "rows: how many at the start stay as they are; the model's offset unless given, or 0"},
        {"how", &S::how, "rows: where new ones come from"}};
  }
};

// What is between old rows at the place of new row i: the formula in f64, apart from the library's.
double formula(const std::vector<double>& old, int64_t rows, int64_t dim, int64_t wanted, int64_t i,
               int64_t column, Resize how) {
  const auto at = [&](int64_t row) {
    const int64_t clamped = std::clamp<int64_t>(row, 0, rows - 1);
    return old[static_cast<size_t>(clamped * dim + column)];
  };
  if (how == Resize::copy) return i < rows ? at(i) : 0;
  if (how == Resize::repeat) return at(i % rows);
  const double place =
      (static_cast<double>(i) + 0.5) * static_cast<double>(rows) / static_cast<double>(wanted) -
      0.5;
  if (how == Resize::linear) {
    const double inside = std::clamp(place, 0.0, static_cast<double>(rows - 1));
    const auto below = static_cast<int64_t>(inside);
    const double t = inside - static_cast<double>(below);
    return (1 - t) * at(below) + t * at(below + 1);
  }
  const double below = std::floor(place), t = place - below, a = -0.75;
  const auto near = [&](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [&](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  const auto row = static_cast<int64_t>(below);
  return far(1 + t) * at(row - 1) + near(t) * at(row) + near(1 - t) * at(row + 1) +
         far(2 - t) * at(row + 2);
}

// The largest number, and the largest difference from the formula.
struct Proof {
  double largest = 0, difference = 0;
};

Proof prove(const Array& old, const Array& made, int64_t keep, Resize how) {
  const auto before = as_doubles(old), after = as_doubles(made);
  const int64_t dim = made.shape.back(), rows = std::ssize(before) / dim - keep,
                wanted = std::ssize(after) / dim - keep;
  const std::vector<double> table(before.begin() + keep * dim, before.end());
  Proof out;
  for (int64_t n = 0; n < std::ssize(after); ++n) {
    const int64_t i = n / dim - keep;
    const double expected =
        i < 0 ? before[static_cast<size_t>(n)] : formula(table, rows, dim, wanted, i, n % dim, how);
    out.largest = std::max(out.largest, std::abs(expected));
    out.difference = std::max(out.difference, std::abs(after[static_cast<size_t>(n)] - expected));
  }
  return out;
}

// Tables may have axes of size 1 before their rows, as ViT's have.
Array resized(const Array& table, int64_t rows, int64_t keep, Resize how) {
  std::vector<int64_t> shape = table.shape;
  shape[shape.size() - 2] = rows;
  Array out = make_array(table.dtype, shape);
  const auto flat = [](const Array& array) {
    const Tensor view = array.view();
    const int64_t sizes[] = {view.size(-2), view.size(-1)};
    return tensor(view.data, view.dtype, sizes);
  };
  resize(flat(table), flat(out), how, keep);
  return out;
}

bool is_table(const std::vector<int64_t>& shape) {
  return shape.size() >= 2 &&
         std::all_of(shape.begin(), shape.end() - 2, [](int64_t size) { return size == 1; });
}

// Rows at the start that are no places of tokens.
int64_t rows_before(const model::Component& table) {
  int64_t out = 0;
  for (const char* fact : {"position_offset", "prefix_tokens"})
    if (const Value* value = table.find(fact))
      if (const auto* rows = std::get_if<int64_t>(value)) out += *rows;
  return out;
}

// Name and offset of the learned table that the configuration beside the weights tells of.
void ask_model(RowsConversion& options) {
  if (!is_sharded(options.in)) return;
  const model::Model model = model::read(options.in);
  std::vector<const model::Component*> tables;
  for (const auto& part : model.components)
    if (const Value* weight = part.find("weight"); weight && part.scheme == "learned")
      if (options.tensor.empty() || files::same_tensor(options.tensor, text::write(*weight)))
        tables.push_back(&part);
  if (tables.size() != 1 && options.tensor.empty())
    refuse("expected --tensor, because ", options.in, " has ", tables.size(), " learned tables");
  if (tables.size() != 1) return;
  if (tables[0]->find("grid"))
    fail(ErrorKind::data, "convert", options.in, ": expected a table of places on a line, got one ",
         "of a grid, whose two sides are to be resized each: see resize() in posenc/absolute.h");
  if (options.tensor.empty()) options.tensor = text::write(*tables[0]->find("weight"));
  if (!options.keep) options.keep = rows_before(*tables[0]);
}

void check(const RowsConversion& options) {
  const auto need = [](bool given, const char* what) {
    if (!given) refuse("expected ", what, ", got none");
  };
  need(!options.in.empty(), "--in FILE");
  need(!options.out.empty(), "--out FILE");
  need(options.rows.has_value(), "--rows N");
  if (*options.rows < 1 || *options.rows > max_size)
    refuse("expected --rows from 1 to ", max_size, ", got ", *options.rows);
  if (options.keep.value_or(0) < 0 || options.keep.value_or(0) >= *options.rows)
    refuse("expected --keep from 0 to below --rows, ", *options.rows, ", got ", *options.keep);
}

void check_table(const RowsConversion& options, const std::vector<int64_t>& shape, DType dtype) {
  if (!is_table(shape) || !is_float(dtype))
    fail(ErrorKind::data, "convert", options.in, ": expected a table [rows, dim] of floats, got ",
         to_string(dtype), " ", files::shape_text(shape));
  if (options.keep.value_or(0) >= shape[shape.size() - 2])
    refuse("expected --keep below the table's ", shape[shape.size() - 2], " rows, got ",
           *options.keep);
}

void report(const RowsConversion& options, const Array& old, const Array& made) {
  const Proof proof = prove(old, made, options.keep.value_or(0), options.how);
  print(fmt::format(
      "{}: {} rows of {} became {} ({}); the first {} are as they were.\n"
      "Every number is within {:.1e} of the formula in f64; the largest is {:.3g}.\n",
      files::printable(options.tensor.empty() ? options.in : options.tensor),
      old.shape[old.shape.size() - 2], old.shape.back(), made.shape[made.shape.size() - 2],
      enum_name(options.how), options.keep.value_or(0), proof.difference, proof.largest));
}

void convert_npy(const RowsConversion& options) {
  const Array table = read_array(options.in);
  check_table(options, table.shape, table.dtype);
  const Array made = resized(table, *options.rows, options.keep.value_or(0), options.how);
  write_arrays(options.out, {{"table", made}});
  report(options, table, made);
}

// The tensor whose name is, or ends with, what was asked for.
const files::Stored* find_tensor(const Shard& shard, const std::string& name) {
  for (const auto& tensor : shard.index.tensors)
    if (files::same_tensor(tensor.name, name)) return &tensor;
  return nullptr;
}

// Returns by how many bytes the file's tensors grew.
int64_t convert_file(const RowsConversion& options, const Shard& shard, const files::Stored* found,
                     Progress& progress) {
  const Watch watch = [&](double part) { progress.at(part, "written"); };
  if (!found) {
    rewrite(
        *shard.source, shard.index, shard.out, [](const auto&) { return nullptr; }, {}, watch);
    return 0;
  }
  const Array table = files::load(*shard.source, shard.index, *found);
  check_table(options, table.shape, table.dtype);
  const Array made = resized(table, *options.rows, options.keep.value_or(0), options.how);
  const Metadata notes{
      {"posenc." + found->name,
       fmt::format("resized from {} rows, {}, {} kept", found->shape[found->shape.size() - 2],
                   enum_name(options.how), options.keep.value_or(0))}};
  rewrite(*shard.source, shard.index, shard.out,
          [&](const files::Stored& t) { return &t == found ? &made : nullptr; }, notes, watch,
          {{found->name, made.shape}});
  report(options, table, made);
  return std::ssize(made.bytes) - std::ssize(table.bytes);
}

void convert_shards(const RowsConversion& options, const Shards& shards, Progress& progress) {
  std::vector<const files::Stored*> found;
  for (const Shard& shard : shards) found.push_back(find_tensor(shard, options.tensor));
  const auto missing = std::count(found.begin(), found.end(), nullptr);
  if (std::ssize(found) - missing != 1)
    fail(ErrorKind::data, "convert", options.in, ": expected one tensor ",
         files::in_quotes(options.tensor), ", got ", std::ssize(found) - missing);
  if (is_sharded(options.in)) std::filesystem::create_directories(options.out);
  int64_t grown = 0;
  for (size_t i = 0; i < shards.size(); ++i)
    grown += convert_file(options, shards[i], found[i], progress);
  if (!is_sharded(options.in)) return;
  copy_index(options.in, options.out, grown);
  print("The configuration is to be copied, with the new number of positions.\n");
}

}  // namespace

std::vector<Option> convert_rows_options() { return options_of(RowsConversion{}); }

void convert_rows(const Call& call) {
  auto options = read_options<RowsConversion>(call);
  check(options);
  ask_model(options);
  check(options);
  Progress progress("converting");
  if (is_sharded(options.in))
    return convert_shards(options, open_shards(options.in, options.out), progress);
  if (holds_npy(options.in)) return convert_npy(options);
  if (options.tensor.empty()) refuse("expected --tensor NAME of the table, got none");
  Shards shards;
  shards.push_back(
      {options.in, options.out, std::make_unique<const files::Source>("convert", options.in)});
  convert_shards(options, shards, progress);
}

}  // namespace posenc::cli
