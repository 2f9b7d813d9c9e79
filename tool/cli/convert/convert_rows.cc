// convert_rows.cc: posenc convert rows.
#include "cli/convert/convert_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/console.h"
#include "cli/convert/rewrite.h"
#include "cli/convert/rows_proof.h"
#include "cli/convert/shards.h"
#include "cli/models/models.h"
#include "cli/new_folder.h"
#include "cli/options.h"
#include "cli/positions/positions_plan.h"
#include "cli/schemes/rows.h"

namespace posenc::cli {
namespace {

struct RowsConversion {
  std::string in{}, out{}, tensor{};
  std::optional<int64_t> rows{}, keep{};
  std::string grid{}, new_grid{};
  Resize how = Resize::linear;

  static Fields fields() {
    using S = RowsConversion;
    return {{"in", &S::in, "file with the table, .safetensors or .npy; or the folder of a model"},
            {"out", &S::out, "file to write, which may be --in; or a new folder"},
            {"tensor", &S::tensor, "rows: name of the table (default: from the model's files)"},
            {"rows", &S::rows, "rows: number of rows of the new table, including the kept ones"},
            {"keep", &S::keep,
             "rows: number of rows at the start that are kept (default: the model's offset, or 0)"},
            {"grid", &S::grid,
             "rows: HEIGHTxWIDTH of a table of patches (default: from the model's files)"},
            {"new_grid", &S::new_grid, "rows: new HEIGHTxWIDTH, instead of --rows"},
            {"how", &S::how, "rows: how new rows are made"}};
  }
};

// Sides of a grid, from HEIGHTxWIDTH.
std::vector<int64_t> read_grid(const char* option, const std::string& text) {
  const Ids sizes = read_sizes(option, text);
  if (sizes[0] != 1) refuse("expected --", option, " as HEIGHTxWIDTH, got ", text);
  return {sizes[1], sizes[2]};
}

// What a table of so many rows is to become.
RowsChange change_of(const RowsConversion& options, int64_t rows) {
  const int64_t keep = options.keep.value_or(0);
  if (options.new_grid.empty()) return {{rows - keep}, {*options.rows - keep}, keep, options.how};
  const auto from = read_grid("grid", options.grid), to = read_grid("new_grid", options.new_grid);
  if (keep + from[0] * from[1] != rows)
    refuse("expected --grid and --keep of the table's ", rows, " rows, got ", options.grid, " and ",
           keep);
  return {from, to, keep, options.how};
}

// Tables may have axes of size 1 before their rows, as ViT's have.
Array resized(const Array& table, const RowsChange& change) {
  std::vector<int64_t> shape = table.shape;
  int64_t rows = 1;
  for (int64_t side : change.to) rows *= side;
  shape[shape.size() - 2] = change.keep + rows;
  Array out = make_array(table.dtype, shape);
  const auto flat = [](const Array& array) {
    const Tensor view = array.view();
    const int64_t sizes[] = {view.size(-2), view.size(-1)};
    return tensor(view.data, view.dtype, sizes);
  };
  resize_grid(flat(table), flat(out), change.from, change.to, change.how, change.keep);
  return out;
}

bool has_rows(const std::vector<int64_t>& shape) {
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

// A table of patches is resized on both sides.
void use_grid(RowsConversion& options, const Value& grid) {
  const auto* sides = std::get_if<std::vector<double>>(&grid);
  if (!sides || sides->size() != 2) return;
  if (options.new_grid.empty())
    refuse("expected --new_grid HEIGHTxWIDTH for the table of ", options.in, ", a grid of ",
           (*sides)[0], " x ", (*sides)[1], " patches, got none");
  if (options.grid.empty())
    options.grid = text::write((*sides)[0]) + "x" + text::write((*sides)[1]);
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
  if (const Value* grid = tables[0]->find("grid")) use_grid(options, *grid);
  if (options.tensor.empty()) options.tensor = text::write(*tables[0]->find("weight"));
  if (!options.keep) options.keep = rows_before(*tables[0]);
}

void check(const RowsConversion& options) {
  const auto need = [](bool given, const char* what) {
    if (!given) refuse("expected ", what, ", got none");
  };
  need(!options.in.empty(), "--in FILE");
  need(!options.out.empty(), "--out FILE");
  if (!options.grid.empty() || !options.new_grid.empty()) {
    if (options.rows) refuse("expected --rows or --new_grid, got both");
    need(!options.new_grid.empty(), "--new_grid HEIGHTxWIDTH with --grid");
    return;
  }
  need(options.rows.has_value(), "--rows N, or --new_grid HEIGHTxWIDTH");
  if (*options.rows < 1 || *options.rows > max_size)
    refuse("expected --rows from 1 to ", max_size, ", got ", *options.rows);
  if (options.keep.value_or(0) < 0 || options.keep.value_or(0) >= *options.rows)
    refuse("expected --keep from 0 to below --rows, ", *options.rows, ", got ", *options.keep);
}

void check_table(const RowsConversion& options, const std::vector<int64_t>& shape, DType dtype) {
  if (!has_rows(shape) || !is_float(dtype))
    fail(ErrorKind::data, "convert", options.in, ": expected a table [rows, dim] of floats, got ",
         to_string(dtype), " ", files::shape_text(shape));
  if (options.keep.value_or(0) >= shape[shape.size() - 2])
    refuse("expected --keep below the table's ", shape[shape.size() - 2], " rows, got ",
           *options.keep);
}

void report(const RowsConversion& options, const Array& old, const Array& made,
            const RowsChange& change) {
  const RowsProof proof = prove(old, made, change);
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
  const RowsChange change = change_of(options, table.shape[table.shape.size() - 2]);
  const Array made = resized(table, change);
  write_arrays(options.out, {{"table", made}});
  report(options, table, made, change);
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
  const RowsChange change = change_of(options, table.shape[table.shape.size() - 2]);
  const Array made = resized(table, change);
  const Metadata notes{
      {"posenc." + found->name,
       fmt::format("resized from {} rows, {}, {} kept", found->shape[found->shape.size() - 2],
                   enum_name(options.how), options.keep.value_or(0))}};
  rewrite(*shard.source, shard.index, shard.out,
          [&](const files::Stored& t) { return &t == found ? &made : nullptr; }, notes, watch,
          {{found->name, made.shape}});
  report(options, table, made, change);
  return std::ssize(made.bytes) - std::ssize(table.bytes);
}

// Returns by how many bytes all tensors together grew.
int64_t convert_shards(const RowsConversion& options, const Shards& shards, Progress& progress) {
  std::vector<const files::Stored*> found;
  for (const Shard& shard : shards) found.push_back(find_tensor(shard, options.tensor));
  const auto missing = std::count(found.begin(), found.end(), nullptr);
  if (std::ssize(found) - missing != 1)
    fail(ErrorKind::data, "convert", options.in, ": expected one tensor ",
         files::in_quotes(options.tensor), ", got ", std::ssize(found) - missing);
  int64_t grown = 0;
  for (size_t i = 0; i < shards.size(); ++i)
    grown += convert_file(options, shards[i], found[i], progress);
  return grown;
}

void convert_folder(const RowsConversion& options, Progress& progress) {
  NewFolder folder(options.out);
  const int64_t grown = convert_shards(options, open_shards(options.in, folder.path()), progress);
  const std::string left = copy_rest(options.in, folder.path(), grown);
  folder.finish();
  print(left +
        "config.json is copied as it is: the number of positions in it is still the old one.\n");
}

}  // namespace

std::vector<Option> convert_rows_options() { return options_of(RowsConversion{}); }

void convert_rows(const Call& call) {
  auto options = read_options<RowsConversion>(call);
  check(options);
  ask_model(options);
  check(options);
  Progress progress("converting");
  if (is_sharded(options.in)) return convert_folder(options, progress);
  check_no_link(options.in, options.out);
  if (holds_npy(options.in)) return convert_npy(options);
  if (options.tensor.empty()) refuse("expected --tensor NAME of the table, got none");
  Shards shards;
  shards.push_back(
      {options.in, options.out, std::make_unique<const files::Source>("convert", options.in)});
  convert_shards(options, shards, progress);
}

}  // namespace posenc::cli
