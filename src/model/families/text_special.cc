// text_special.cc: text models whose keys one family alone has.
#include "model/families/parts.h"
#include "model/families/text_readers.h"

namespace posenc::model {

int64_t size_or(const Config& config, std::string_view key, int64_t otherwise,
                std::string_view what) {
  return config.has(key) ? config.needed({key}, what) : config.whole({key}, otherwise, by_class);
}

// The first Qwen: base and length rule go by how long the text is in units of seq_length.
void read_qwen(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  Component out = rope_component(reading, rule.rope);
  const auto trained = config.whole({"seq_length"});
  if (trained) set_fact(out, "trained_length", *trained);
  if (config.flag({"use_dynamic_ntk"}, true, by_class)) {
    set_fact(out, "dynamic_ntk_qwen1", true);
    set_fact(out, "ntk_rule", "alpha=max(2^ceil(log2(L/seq_length)+1)-1,1); base*=alpha^(d/(d-2))");
    reading.trap(
        "Past seq_length the base grows in steps, by a rule that is not implemented here: "
        "the encoding is right up to that length.");
  }
  if (config.flag({"use_logn_attn"}, true, by_class)) {
    set_fact(out, "logn_attention", true);
    reading.trap("Past seq_length queries are multiplied by log(p + 1) / log(seq_length).");
  }
  reading.add(std::move(out));
}

// Half of a head turns in neighbours; the first ChatGLM turned each half by a coordinate of its
// own.
void read_chatglm(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const int64_t head = head_dim_of(config, rule.rope.sizes);
  RopeRule rope = rule.rope;
  RopePart part;
  if (config.flag({"position_encoding_2d"}) == true) {
    rope.layout = Layout::half;
    part.turning = head;
    rope.fixed = true;
    Component out = rope_component(reading, rope, part);
    if (Rope* ready = rope_of(out)) {
      const int64_t quarter = head / 4;
      const auto pairs = static_cast<double>(quarter);
      ready->blocks = 2;
      ready->axes = Restart{{pairs, pairs}};
      checked(*ready);
    }
    set_fact(out, "position_axes", int64_t{2});
    out.positions = "two coordinates: of the token, which stops at the mask, and inside the answer";
    return reading.add(std::move(out));
  }
  part.turning = head / 2;
  part.given = 10000 * config.number({"rope_ratio"}, 1, by_class);
  if (!config.flag({"original_rope"}, true, by_class)) rope.layout = Layout::half;
  Component out = rope_component(reading, rope, part);
  set_fact(out, "freq_dim", "frequencies over rotary_dim = kv_channels/2");
  reading.add(std::move(out));
}

void read_phi3small(const Reading& reading, const ModelRow& rule) {
  const auto scale = reading.config.number({"rope_position_scale"});
  Component out = rope_component(reading, rule.rope);
  if (scale) set_fact(out, "rope_position_scale", *scale);
  Rope* ready = rope_of(out);
  if (ready && scale && *scale != 1 && std::holds_alternative<NoScaling>(ready->scaling)) {
    set_scaling(out, "linear", Linear{.factor = *scale});
  }
  reading.add(std::move(out));
}

void read_dbrx(const Reading& reading, const ModelRow& rule) {
  RopePart part;
  if (const auto attention = reading.config.inside({"attn_config"}))
    part.given = attention->number({"rope_theta"});
  add_rope(reading, rule.rope, part);
}

// {"rotary": {"base": 10000, "type": "dynamic"}}
void read_internlm(const Reading& reading, const ModelRow& rule) {
  const Json* written = reading.config.json().find("rotary");
  if (!written || !written->object()) return read_alike(reading, rule);
  const Config rotary = *reading.config.inside({"rotary"});
  RopePart part;
  part.given = rotary.number({"base"});
  Component out = rope_component(reading, rule.rope, part);
  if (rope_of(out) && rotary.text({"type"}) == "dynamic") {
    const auto length = length_of(reading.config, rule.rope.sizes);
    set_scaling(out, "dynamic",
                DynamicNtk{.factor = rotary.number({"scaling_factor"}).value_or(1),
                           .max_position_embeddings = length.value_or(2048)});
  }
  reading.add(std::move(out));
}

void read_csm(const Reading& reading, const ModelRow& rule) {
  add_rope(reading, rule.rope);
  read_inside(reading, {"depth_decoder_config"}, "depth decoder", "csm_depth_decoder_model");
}

namespace {

// A side of BLT over bytes. Both have the window of the whole, which the class copies into the
// encoder's configuration; null: none.
bool read_bytes_side(const Reading& reading, std::string_view key, std::string_view where,
                     const std::string& type) {
  if (!read_inside(reading, {key}, where, type)) return false;
  const Config& config = reading.config;
  const Config inside = *config.inside({key});
  Component& part = reading.components.back();
  std::erase_if(part.facts, [](const auto& fact) { return fact.first == "window"; });
  const std::string unread = inside.path() + "sliding_window = ";
  std::erase_if(part.keys, [&](const std::string& told) { return told.starts_with(unread); });
  constexpr std::string_view window_key = "local_attention_window_len";
  const bool none = is_written(config, window_key) && !config.has(window_key);
  const int64_t window = none ? 0 : size_or(config, window_key, 512, "the window of local layers");
  if (window > 0) set_fact(part, "window", window);
  add_keys(reading);
  const auto own = inside.compared("sliding_window");
  if (own && *own != static_cast<double>(window))
    inside.conflict("sliding_window = " + text::write(*own) +
                    " is not read: local_attention_window_len is");
  return true;
}

}  // namespace

// Four transformers over bytes and patches.
void read_blt(const Reading& reading, const ModelRow&) {
  const Config& config = reading.config;
  bool any = read_inside(reading, {"patcher_config"}, "patcher", "blt_patcher");
  any |= read_bytes_side(reading, "encoder_config", "local encoder", "blt_local_encoder");
  any |= read_inside(reading, {"global_config"}, "global", "blt_global_transformer");
  any |= read_bytes_side(reading, "decoder_config", "local decoder", "blt_local_decoder");
  if (!any) config.fail("encoder_config, global_config or decoder_config, got none");
}

// Encoders and decoders that turn; that of T5Gemma 2 has its text inside once more.
void read_both_sides(const Reading& reading, const ModelRow& rule) {
  const std::string text(rule.joint.text);
  const auto encoder = reading.config.inside({"encoder", "encoder_config"});
  if (!encoder)
    fail(ErrorKind::data, "read", "expected encoder of a ", reading.type, " model, got none");
  const Reading side{*encoder, text, "encoder", reading.components};
  if (!read_inside(side, {"text_config"}, "encoder", text)) read_part(side);
  read_beside(side, {"vision_config"}, "vision", "siglip_vision_model");
  read_inside(reading, {"decoder", "decoder_config"}, "decoder",
              rule.joint.decoder.empty() ? text : rule.joint.decoder);
}

namespace {

// A table like BERT's where the type of position says so.
void read_table(const Reading& reading, const ModelRow& rule, int64_t offset) {
  const auto rows = length_of(reading.config, rule.rope.sizes);
  if (!rows) reading.config.fail("max_position_embeddings, got none");
  add_table(reading, *rows, width_of(reading.config, rule.rope.sizes), offset);
}

}  // namespace

void read_modernbert(const Reading& reading, const ModelRow& rule) {
  reading.config.ignore_unless({"position_embedding_type"}, "absolute",
                               "there is no table in this model");
  reading.config.pass({"sliding_window"});
  read_local(reading, rule);
}

namespace {

// Nomic's own names, of which transformers 5 knows none.
void tell_nomic_keys(const Reading& reading, double base) {
  const Config& config = reading.config;
  const auto tell = [&](std::string_view key) {
    config.note(NoteKind::conflict,
                std::string(key) + " = " + files::brief(*config.json().find(key)) +
                    " is read by the model's own code; transformers 5 does not read it",
                reading.where);
  };
  if (config.compared("rotary_emb_base").value_or(base) != base) tell("rotary_emb_base");
  if (config.compared("rotary_emb_fraction").value_or(1) != 1) tell("rotary_emb_fraction");
  if (config.compared("rotary_scaling_factor")) tell("rotary_scaling_factor");
  if (config.flag({"rotary_emb_interleaved"}) == true) tell("rotary_emb_interleaved");
}

}  // namespace

void read_nomic(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  tell_nomic_keys(reading, rule.rope.base);
  if (config.number({"rotary_emb_fraction"}) == 0.0) return read_table(reading, rule, 0);
  RopeRule rope = rule.rope;
  if (config.flag({"rotary_emb_interleaved"}) == true) rope.layout = Layout::interleaved;
  const auto factor = config.number({"rotary_scaling_factor"});
  Component out = rope_component(reading, rope);
  const auto trained = config.whole({"max_trained_positions"});
  if (rope_of(out) && factor && trained)
    set_scaling(out, "dynamic", DynamicNtk{.factor = *factor, .max_position_embeddings = *trained});
  if (config.number({"rotary_emb_scale_base"})) {
    reading.trap(
        "rotary_emb_scale_base asks for xPos around the middle of each text, which is not "
        "implemented here.");
    out.ready.reset();
  }
  reading.add(std::move(out));
}

void read_gte(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  if (config.text({"position_embedding_type"}).value_or("rope") == "absolute")
    return read_table(reading, rule, 0);
  Component out = rope_component(reading, rule.rope);
  if (config.flag({"logn_attention_scale"}) == true) {
    set_fact(out, "logn_attention", true);
    reading.trap(
        "Queries grow with the logarithm of the text's length, which rotating does not do.");
  }
  reading.add(std::move(out));
}

void read_roformer(const Reading& reading, const ModelRow& rule) {
  const bool values = reading.config.flag({"rotary_value"}).value_or(false);
  add_rope(reading, rule.rope);
  if (!values) return;
  set_fact(reading.components.back(), "applied_to", "queries, keys and values");
  reading.trap("Values are rotated as well as queries and keys.");
}

namespace {

void read_by_type(const Reading& reading, const ModelRow& rule, const char* otherwise) {
  const Config& config = reading.config;
  const std::string type = config.text({"position_embedding_type"}).value_or(otherwise);
  if (type == "rotary") return add_rope(reading, rule.rope);
  if (type != "absolute") return add_none(reading, "position_embedding_type is " + type);
  const int64_t padding = config.whole({"pad_token_id"}, 1, "as its tokenizer has it");
  if (padding < 0 || padding > max_size) config.fail("pad_token_id of at least 0, got ", padding);
  read_table(reading, rule, padding + 1);
}

}  // namespace

void read_esm(const Reading& reading, const ModelRow& rule) {
  read_by_type(reading, rule, "absolute");
}
void read_saprot(const Reading& reading, const ModelRow& rule) {
  read_by_type(reading, rule, "rotary");
}

}  // namespace posenc::model
