// text_encoders.cc: encoders of text that turn.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

// A table like BERT's where the type of position says so.
void read_table(const Reading& reading, const ModelRow& rule, int64_t offset) {
  const auto rows = length_of(reading.config, rule.rope.sizes);
  if (!rows) fail(ErrorKind::data, "read", "expected max_position_embeddings, got none");
  add_table(reading, *rows, width_of(reading.config, rule.rope.sizes), offset);
}

}  // namespace

void read_modernbert(const Reading& reading, const ModelRow& rule) {
  reading.config.ignore({"position_embedding_type"}, "there is no table in this model");
  reading.config.pass({"sliding_window"});
  read_local(reading, rule);
}

namespace {

// Nomic's own names, of which transformers 5 knows none.
void tell_nomic_keys(const Reading& reading, double base) {
  const Config& config = reading.config;
  const auto tell = [&](std::string_view key) {
    config.journal().note(NoteKind::conflict, reading.where,
                          config.path() + std::string(key) + " = " +
                              files::brief(*config.json().find(key)) +
                              " is read by the model's own code; transformers 5 does not read it");
  };
  if (config.number({"rotary_emb_base"}).value_or(base) != base) tell("rotary_emb_base");
  if (config.number({"rotary_emb_fraction"}).value_or(1) != 1) tell("rotary_emb_fraction");
  if (config.number({"rotary_scaling_factor"})) tell("rotary_scaling_factor");
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
  Rope* ready = rope_of(out);
  if (const auto trained = config.whole({"max_trained_positions"}); ready && factor && trained) {
    ready->scaling = DynamicNtk{.factor = *factor, .max_position_embeddings = *trained};
    set_fact(out, "scaling.type", "dynamic");
    set_fact(out, "scaling.factor", *factor);
    set_fact(out, "scaling.trained_length", *trained);
    checked(*ready);
  }
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
  reading.trap("Values turn as well as queries and keys.");
}

void read_esm(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const std::string type = config.text({"position_embedding_type"}).value_or("absolute");
  if (type == "rotary") return add_rope(reading, rule.rope);
  if (type != "absolute") return add_none(reading, "position_embedding_type is " + type);
  const int64_t padding = config.whole({"pad_token_id"}, 1, "as its tokenizer has it");
  if (padding < 0 || padding > max_size)
    fail(ErrorKind::data, "read", "expected pad_token_id of 0 and more, got ", padding);
  read_table(reading, rule, padding + 1);
}

}  // namespace posenc::model
