// type.cc: which family a configuration belongs to.
//
// model_type says it, except where it is missing, is someone's own name for a known model, or names
// several that differ in position. Then the class in architectures tells, or keys that one family
// alone has.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "model/families/families.h"

namespace posenc::model {
namespace {

// A type that is too coarse: with this key and value it is another.
constexpr struct {
  std::string_view type, key, value, really;
} finer[] = {{"bert", "position_embedding_type", "alibi", "jina_bert"},
             {"xlm-roberta", "position_embedding_type", "rotary", "jina_embeddings_v3"},
             {"bert", "position_embedding_type", "rotary", "nomic_bert"}};

// Classes whose names say less than, or something else than, the type.
constexpr std::pair<std::string_view, std::string_view> classes[] = {
    {"Gemma3ForCausalLM", "gemma3_text"},
    {"Gemma3nForCausalLM", "gemma3n_text"},
    {"Gemma4ForCausalLM", "gemma4_text"},
    {"Llama4ForCausalLM", "llama4_text"},
    {"MllamaForCausalLM", "mllama_text_model"},
    {"Qwen3_5ForCausalLM", "qwen3_5_text"},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text"},
    {"QWenLMHeadModel", "qwen"},
    {"RWForCausalLM", "falcon"},
    {"JinaBertModel", "jina_bert"},
    {"JinaBertForMaskedLM", "jina_bert"},
    {"NewModel", "new"},
    {"OpenAIGPTLMHeadModel", "openai-gpt"},
    {"PhiForCausalLM", "phi"},
    {"YiForCausalLM", "yi"},
    {"T5ForConditionalGeneration", "t5"},
    {"T5EncoderModel", "t5"}};

// Keys that one family alone has, for files of before there was a model_type.
constexpr struct {
  std::string_view type, keys;  // all of them, with blanks between
} signs[] = {{"volta", "image_embeddings num_locs"},
             {"deberta-v2", "relative_attention position_buckets"},
             {"deberta", "relative_attention pos_att_type"},
             {"xlnet", "untie_r attn_type"},
             {"transfo-xl", "mem_len clamp_len div_val"},
             {"distilbert", "sinusoidal_pos_embds"},
             {"xlm", "sinusoidal_embeddings emb_dim"},
             {"albert", "embedding_size num_hidden_groups"},
             {"t5", "relative_attention_num_buckets d_kv"},
             {"whisper", "num_mel_bins max_source_positions"},
             {"bart", "encoder_layers decoder_layers max_position_embeddings"},
             {"openai-gpt", "afn n_positions n_embd"},
             {"gptj", "rotary_dim n_embd"},
             {"gpt2", "n_positions n_embd n_head"},
             {"gpt_neox", "rotary_pct rotary_emb_base"},
             {"timm_wrapper", "architecture num_features"},
             {"timm_wrapper", "architecture pretrained_cfg"},
             {"chatglm", "kv_channels multi_query_group_num"},
             {"llama", "rms_norm_eps hidden_act num_key_value_heads"}};

bool has_all(const Config& config, std::string_view keys) {
  const auto words = words_of(keys);
  return std::all_of(words.begin(), words.end(),
                     [&](std::string_view key) { return config.has(key); });
}

// "DebertaV2" and "deberta-v2" alike.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_' && c != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// A class without what it is used for: "DebertaV2ForMaskedLM" is of "DebertaV2".
std::string_view stem(std::string_view name) {
  for (const std::string_view ending :
       {"For", "LMHead", "Model", "DoubleHeads", "PreTrained", "Encoder", "Decoder"})
    if (const size_t at = name.find(ending); at != name.npos && at > 0) name = name.substr(0, at);
  return name;
}

std::string type_of_stem(std::string_view name) {
  const std::string wanted = plain(name);
  for (const std::string_view type : known_types())
    if (plain(type) == wanted) return std::string(type);
  return "";
}

std::string type_of_class(const Config& config) {
  const Json* list = config.json().find("architectures");
  if (!list || !list->list() || list->list()->empty()) return "";
  const auto* name = std::get_if<std::string>(&list->list()->front().value);
  if (!name) return "";
  for (const auto& [known, type] : classes)
    if (*name == known) return std::string(type);
  return type_of_stem(stem(*name));
}

// BERT and RoBERTa have the same keys; RoBERTa counts from padding on, so its table has two rows
// more, and it has one kind of token.
std::string type_of_keys(const Config& config) {
  for (const auto& sign : signs)
    if (has_all(config, sign.keys)) return std::string(sign.type);
  if (!has_all(config, "max_position_embeddings type_vocab_size vocab_size")) return "";
  const bool padded = config.whole({"max_position_embeddings"}) == 514;
  return padded && config.whole({"type_vocab_size"}) == 1 ? "roberta" : "bert";
}

std::string refined(const Config& config, const std::string& type) {
  for (const auto& row : finer) {
    const Json* value = type == row.type ? config.json().find(row.key) : nullptr;
    const auto* text = value ? std::get_if<std::string>(&value->value) : nullptr;
    if (!text || *text != row.value) continue;
    config.pass({row.key});
    return std::string(row.really);
  }
  return type;
}

std::string guessed(const Config& config, std::string type, std::string_view why) {
  if (!type.empty()) config.note(NoteKind::assumed, std::string(why) + ": read as " + type);
  return type;
}

}  // namespace

std::string type_of_config(const Config& config) {
  std::string said = refined(config, config.text({"model_type"}).value_or(""));
  if (is_known(said)) return said;
  const std::string by_class = type_of_class(config);
  if (!said.empty()) {
    if (by_class.empty()) return said;
    return guessed(config, by_class,
                   "model_type " + files::in_quotes(said) + " is not known, its class is");
  }
  if (!by_class.empty()) return guessed(config, by_class, "model_type is absent, its class is not");
  return guessed(config, type_of_keys(config), "model_type and architectures are absent");
}

}  // namespace posenc::model
