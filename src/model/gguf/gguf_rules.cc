// gguf_rules.cc: what a GGUF file says of positions.
#include "model/gguf/gguf_rules.h"

#include "base/text.h"
#include "model/formats.h"

namespace posenc::model {
namespace {

std::string architecture_of(const files::Source& source, const files::Gguf& file) {
  constexpr std::string_view key = "general.architecture";
  const Json* json = file.keys.find(key);
  const auto* name = json ? std::get_if<std::string>(&json->value) : nullptr;
  if (name && !name->empty()) return *name;
  const Json* part = file.keys.find("split.no");
  const auto* number = part ? std::get_if<int64_t>(&part->value) : nullptr;
  if (!json && number && *number > 0)
    source.refuse("expected the first of several files, which has the keys, got number ",
                  *number + 1);
  source.refuse("expected the name of an architecture as ", key, ", got ",
                json ? files::brief(*json) : "none");
}

// The keys that begin with the architecture's name and a dot, without them.
Json keys_of(const files::Gguf& file, const std::string& architecture) {
  files::JsonObject out;
  const std::string start = architecture + ".";
  for (const auto& [key, value] : *file.keys.object())
    if (key.starts_with(start)) out.emplace_back(key.substr(start.size()), value);
  return {std::move(out)};
}

[[noreturn]] void refuse_unknown(const files::Source& source, const files::Gguf& file,
                                 const Reading& reading) {
  std::vector<std::string> found;
  for (const std::string& key : reading.config.keys())
    if (is_about_positions(key)) found.push_back(key);
  for (const files::GgufTensor& tensor : file.tensors)
    if (tensor.name.find("rope_") != std::string::npos || is_about_positions(tensor.name))
      found.push_back(tensor.name);
  source.refuse("not known: no rule covers the architecture ", files::in_quotes(reading.type),
                "; found ", found.empty() ? "no key about positions" : files::listed(found));
}

void read_architecture(const GgufReading& in) {
  if (in.is.alibi_layers > 0 && in.config().whole({"block_count"}) == in.is.alibi_layers) {
    in.config().ignore({"rope.dimension_count", "rope.freq_base"},
                       "with 40 layers this architecture has ALiBi");
    return read_gguf_others(in, GgufKind::alibi);
  }
  in.is.kind == GgufKind::rope ? read_gguf_rope(in) : read_gguf_others(in, in.is.kind);
}

void tell_split(const files::Gguf& file, Journal& journal) {
  const Json* count = file.keys.find("split.count");
  const auto* number = count ? std::get_if<int64_t>(&count->value) : nullptr;
  if (number && *number > 1)
    journal.note(NoteKind::assumed, "",
                 "this is the first of " + std::to_string(*number) +
                     " files: tensors of the others are not looked at");
}

}  // namespace

Model read_gguf(const files::Source& source) {
  const files::Gguf file = files::read_gguf_start(source);
  Model out;
  out.format = "GGUF " + std::to_string(file.version);
  out.family = architecture_of(source, file);
  const Json keys = keys_of(file, out.family);
  Journal journal;
  const Config config(keys, journal, out.family + ".");
  const Reading reading{config, out.family, "text", out.components};
  const GgufArchitecture* architecture = gguf_architecture(out.family);
  if (!architecture) refuse_unknown(source, file, reading);
  read_architecture({source, file, reading, *architecture});
  tell_split(file, journal);
  config.report_unread();
  out.notes = std::move(journal.notes);
  return out;
}

}  // namespace posenc::model
