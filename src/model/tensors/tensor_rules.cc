// tensor_rules.cc: which tensors are about positions, by how their names end.
#include "model/tensors/tensor_rules.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "model/formats.h"

namespace posenc::model {
namespace {

constexpr TensorRule rules[] = {
    {"embeddings.position_embeddings.weight", "", read_shifted_table},
    {"embed_positions.weight", "", read_shifted_table},
    {"wpe.weight", "text", read_table},
    {"positions_embed.weight", "text", read_table},
    {"position_embeds_layer.weight", "text", read_table},
    {"embeddings.position_embedding.weight", "", read_table},
    {"embeddings.position_embeddings", "vision", read_table},
    {"embeddings.position_embedding", "vision", read_table},
    {"embeddings.visual_position_embeddings.weight", "vision", read_table},
    {"pos_embed", "vision", read_table},
    {"pos_embed.pos_embed", "vision", read_table},
    {"pos_embed.weight", "vision", read_table},
    {"pos_embed.proj.weight", "", nullptr},
    {"pos_embed.proj.bias", "", nullptr},
    {"decoder_pos_embed", "decoder", read_table},
    {"positional_embedding", "", read_table},
    {"positional_embedding_vlm", "vision", read_table},
    {"gated_positional_embedding.embedding", "vision", read_table},
    {"gated_positional_embedding.gate", "", nullptr},
    {"gated_positional_embedding.tile_embedding.weight", "", nullptr},
    {"pre_tile_positional_embedding.embedding.weight", "", nullptr},
    {"pre_tile_positional_embedding.gate", "", nullptr},
    {"query_position_embeddings.weight", "decoder queries", read_table},
    {"position_embedding_table", "vision", read_two_tables},
    {"row_embeddings.weight", "vision", read_two_tables},
    {"column_embeddings.weight", "", nullptr},
    {"x_position_embeddings.weight", "layout", read_two_tables},
    {"y_position_embeddings.weight", "", nullptr},
    {"h_position_embeddings.weight", "", nullptr},
    {"w_position_embeddings.weight", "", nullptr},
    {"SelfAttention.relative_attention_bias.weight", "", read_buckets},
    {"encoder.relative_attention_bias.weight", "text", read_buckets},
    {"rel_attn_embed.weight", "audio", read_buckets},
    {"gru_rel_pos_const", "", nullptr},
    {"gru_rel_pos_linear.weight", "", nullptr},
    {"gru_rel_pos_linear.bias", "", nullptr},
    {"rel_pos_bias.weight", "attention", read_buckets_by_head},
    {"rel_pos_x_bias.weight", "attention", read_buckets_by_side},
    {"rel_pos_y_bias.weight", "", nullptr},
    {"relative_position_bias_table", "vision", read_window_bias},
    {"rel_pos_bias_table", "vision", read_window_bias},
    {"continuous_position_bias_mlp.2.weight", "vision", read_window_network},
    {"continuous_position_bias_mlp.0.weight", "", nullptr},
    {"continuous_position_bias_mlp.0.bias", "", nullptr},
    {"rel_embeddings.weight", "text", read_deberta},
    {"rel_attn.r", "text", read_xlnet},
    {"rel_attn.q", "", nullptr},
    {"rel_attn.k", "", nullptr},
    {"rel_attn.v", "", nullptr},
    {"rel_attn.o", "", nullptr},
    {"rel_attn.r_w_bias", "", nullptr},
    {"rel_attn.r_r_bias", "", nullptr},
    {"rel_attn.r_s_bias", "", nullptr},
    {"rel_attn.seg_embed", "", nullptr},
    {"rel_attn.layer_norm.weight", "", nullptr},
    {"rel_attn.layer_norm.bias", "", nullptr},
    {"dec_attn.r_w_bias", "text", read_sinusoid_biases},
    {"self_attn.pos_bias_u", "audio", read_sinusoid_biases},
    {"self_attn.pos_bias_v", "", nullptr},
    {"self_attn.linear_pos.weight", "", nullptr},
    {"distance_embedding.weight", "", read_distances},
    {"attention.emb_rel_k", "text", read_distances},
    {"attention.emb_rel_v", "", nullptr},
    {"attn.rel_pos_h", "vision", read_sides},
    {"attn.rel_pos_w", "", nullptr},
    {"pos_conv_embed.conv.weight_v", "audio", read_convolution},
    {"pos_conv_embed.conv.parametrizations.weight.original1", "audio", read_convolution},
    {"pos_conv_embed.conv.weight", "audio", read_convolution},
    {"shared_image_embedding.positional_embedding", "vision", read_fourier},
    {"shared_embedding.positional_embedding", "", nullptr},
    {"visn_fc.box_fc.weight", "vision", read_boxes},
    {"spatial_pos_encoder.weight", "graph", read_graph},
    {"rotary_emb.inv_freq", "", read_frequencies},
    {"rotary_pos_emb.inv_freq", "", read_frequencies},
    {"relative_position_index", "", nullptr},
    {"position_ids", "", nullptr}};

bool ends_so(std::string_view name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  return name.size() == ending.size() || name[name.size() - ending.size() - 1] == '.';
}

// The rule of the longest ending.
const TensorRule* rule_of(std::string_view name) {
  const TensorRule* out = nullptr;
  for (const TensorRule& rule : rules)
    if (ends_so(name, rule.ending) && (!out || rule.ending.size() > out->ending.size()))
      out = &rule;
  return out;
}

std::string where_of(const TensorRule& rule, std::string_view name) {
  const auto has = [&](std::string_view word) { return name.find(word) != name.npos; };
  if (has("audio") || has("speech")) return "audio";
  if (!rule.where.empty()) return std::string(rule.where);
  if (has("vision") || has("visual") || has("image")) return "vision";
  if (has("text")) return "text";
  return has("decoder") ? "decoder" : has("encoder") ? "encoder" : "text";
}

std::vector<std::string> names_of(const TensorFiles& files) {
  std::vector<std::string> out;
  for (const HeldTensor& tensor : files.tensors()) out.push_back(tensor.stored.name);
  return out;
}

void tell_unread(const std::vector<std::string>& names, Journal& journal) {
  if (!names.empty())
    journal.note(NoteKind::ignored, "",
                 "no rule reads " + files::listed(names) + ", which look like positions");
}

Model model_of(const TensorFiles& files) {
  Model out;
  out.format = "safetensors";
  Journal journal;
  out.components = components_of(files, journal);
  if (const auto& moved = files.layouts(); !moved.empty()) {
    Component left("text", "rope", {{"layout", moved.front().second}});
    left.facts.emplace_back("note", "what posenc convert left in the file");
    left.keys = {"posenc." + moved.front().first + " = layout " + moved.front().second};
    out.components.push_back(std::move(left));
  }
  if (out.components.empty())
    fail(ErrorKind::data, "read",
         "not known: no tensor about positions, so the model has rotary ones or ALiBi, which leave "
         "none, or no positions at all: its config.json decides; found ",
         files.tensors().size(), " tensors: ", files::listed(names_of(files)));
  const bool turns = std::any_of(out.components.begin(), out.components.end(),
                                 [](const Component& part) { return part.scheme == "rope"; });
  if (!turns)
    journal.note(NoteKind::trap, "",
                 "RoPE and ALiBi leave no tensor: config.json says whether the model has them too");
  out.notes = std::move(journal.notes);
  return out;
}

}  // namespace

std::string TensorGroup::weight() const {
  const std::string& name = first().stored.name;
  if (tensors.size() == 1) return name;
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    const bool begins = out.empty() || out.back() == '.';
    if (digit && begins)
      out += 'N';
    else if (!digit || out.back() != 'N')
      out += c;
  }
  return out;
}

std::vector<Component> components_of(const TensorFiles& files, Journal& journal) {
  std::map<std::pair<const TensorRule*, std::string>, std::vector<const HeldTensor*>> groups;
  std::vector<std::string> unread;
  for (const HeldTensor& tensor : files.tensors()) {
    const TensorRule* rule = rule_of(tensor.stored.name);
    if (rule && rule->read)
      groups[{rule, where_of(*rule, tensor.stored.name)}].push_back(&tensor);
    else if (!rule && is_about_positions(tensor.stored.name))
      unread.push_back(tensor.stored.name);
  }
  std::vector<Component> out;
  for (const auto& [key, tensors] : groups) {
    const TensorGroup group{*key.first, key.second, tensors, files, journal};
    auto part = group.rule.read(group);
    if (!part) {
      unread.push_back(group.first().stored.name);
      continue;
    }
    part->where = group.where;
    part->keys = {group.weight() + " " + files::shape_text(group.shape())};
    out.push_back(std::move(*part));
  }
  tell_unread(unread, journal);
  return out;
}

Model read_tensors(const std::string& path) {
  TensorFiles files;
  const auto missing = files.add_all(path);
  Model out = model_of(files);
  if (!missing.empty())
    out.notes.push_back(
        {NoteKind::conflict, "",
         "the model has files that are not there, and what they contain is not reported: " +
             files::listed(missing)});
  return out;
}

Model read_tensor_index(const std::string& path, const Json& index) {
  TensorFiles files;
  for (const std::string& file : files_of_index(path, index)) files.add(file);
  return model_of(files);
}

}  // namespace posenc::model
