// sound_rows.cc: sounds that turn by the number of the frame, codecs, and what is made of them.
#include <algorithm>

#include "model/families/model_row.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view frames = "frames, from 0";
constexpr std::string_view by_head =
    "a pair's angle depends on the head, not on the frame: queries and keys of a head are rotated "
    "alike, so scores do not change and positions have no effect";

int64_t clvp_turning(const Config& config) {
  const int64_t width = size_of(config, "projection_dim");
  return std::max<int64_t>(width / (2 * size_of(config, "num_attention_heads")), 32);
}

}  // namespace

std::span<const ModelRow> sound_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "parakeet_ctc parakeet_rnnt parakeet_tdt",
       .sub_configs = {{"encoder_config", "audio", "parakeet_encoder", "encoder."}}},
      {.types = "bark",
       .sub_configs = {{"semantic_config", "semantic", "semantic", "semantic."},
                       {"coarse_acoustics_config", "coarse acoustics", "coarse_acoustics",
                        "coarse_acoustics."},
                       {"fine_acoustics_config", "fine acoustics", "fine_acoustics",
                        "fine_acoustics."},
                       {"codec_config", "codec", "encodec"}}},
      {.types = "canary",
       .sub_configs = {{"encoder_config", "encoder", "parakeet_encoder", "encoder."},
                       {"decoder_config", "decoder", "canary_decoder", "decoder."}}},
      {.types = "cohere_asr",
       .sub_configs = {{"encoder_config", "encoder", "parakeet_encoder", "encoder."}},
       .components = {{.where = "decoder",
                       .scheme = "learned",
                       .positions = "from 0",
                       .facts = {{{"rows", "max_position_embeddings"}, {"dim", "hidden_size"}}},
                       .note = "fixed sinusoids when it was trained, read from the weights",
                       .weights = "decoder.pos_emb.weight",
                       .own = true}}},
      {.types = "nemotron_asr_streaming nemotron3_5_asr",
       .sub_configs = {{"encoder_config", "audio", "nemotron_asr_streaming_encoder", "encoder."}}},
      {.types = "lasr_ctc",
       .sub_configs = {{"encoder_config", "audio", "lasr_encoder", "encoder."}}},
      {.types = "granite_speech5_ctc",
       .sub_configs = {{"encoder_config", "audio", "granite_speech5_encoder", "encoder."}}},
      {.types = "nemotron3_5_transcribe_audio",
       .sub_configs = {{"asr_config", "audio", "nemotron3_5_transcribe_asr_audio"},
                       {"diarization_config", "diarization", "nemotron3_diarization"}}},
      {.types = "nemotron3_diarization",
       .sub_configs = {{"audio_config", "audio", "nemotron3_diarization_audio"}}},
      {.types = "clvp",
       .sub_configs = {{"text_config", "text", "clvp_encoder"},
                       {"speech_config", "speech", "clvp_encoder"},
                       {"decoder_config", "decoder", "clvp_decoder",
                        "speech_decoder_model.model."}}},
      {.types = "fastspeech2_conformer_with_hifigan",
       .sub_configs = {{"model_config", "", "fastspeech2_conformer", "model."}}},
      {.types = "xcodec higgs_audio_v2_tokenizer",
       .sub_configs = {{"semantic_model_config", "semantic", "hubert", "semantic_model."},
                       {"acoustic_model_config", "acoustic", "dac"}}},
      {.types = "neucodec xcodec2",
       .sub_configs = {{"semantic_model_config", "semantic", "wav2vec2-bert", "semantic_model."}},
       .frame_rope = {"audio", "heads, from 0", by_head}},
      {.types = "qwen2_5_omni_token2wav",
       .sub_configs = {{"dit_config", "audio", "qwen2_5_omni_dit"}}},
      {.types = "pe_audio_video_encoder",
       .rope = {.layout = interleaved},
       .sub_configs = {{"audio_config", "audio", "pe_audio_encoder", "audio_encoder."},
                       {"video_config", "video", "pe_video_encoder", "video_encoder."}},
       .frame_rope = {"audio and video", frames}},
      {.types = "pe_video_encoder",
       .rope = {.layout = interleaved},
       .sub_configs = {{"vision_config", "vision", "timm_wrapper"}},
       .frame_rope = {"video", frames}},
      {.types = "moonshine_streaming",
       .rope = {.layout = interleaved},
       .sub_configs = {{"encoder_config", "encoder", "moonshine_streaming_encoder"}},
       .frame_rope = {"decoder", "from 0"},
       .components = {{.where = "adapter",
                       .scheme = "learned",
                       .positions = "frames, from 0",
                       .facts = {{{"rows", "max_position_embeddings"}}},
                       .note = "added to what the encoder gives, as wide as that",
                       .weights = "decoder.pos_emb.weight",
                       .own = true}}},
      {.types = "lasr_encoder", .frame_rope = {"audio", frames}},
      {.types = "glmasr_encoder", .frame_rope = {"audio", frames}},
      {.types =
           "voxtral_realtime_encoder mimi mimi_encoder mimi_decoder pocket_tts_audio_tokenizer "
           "pocket_tts_audio_tokenizer_encoder pocket_tts_audio_tokenizer_decoder",
       .window = {.everywhere = true},
       .frame_rope = {"audio", frames}},
      {.types = "pe_audio_encoder",
       .rope = {.layout = interleaved},
       .frame_rope = {"audio", frames}},
      {.types = "nemotron3_5_transcribe_asr_audio nemotron3_5_transcribe_word_timestamp",
       .frame_rope = {"audio", frames}},
      {.types = "dots3_note_audio_encoder", .frame_rope = {"audio", frames}},
      {.types = "nemotron3_diarization_audio", .frame_rope = {"audio", frames}},
      {.types = "qwen2_5_omni_dit",
       .rope = {.layout = interleaved},
       .frame_rope = {"audio", frames,
                      "only the first head is rotated, the others have no position"}},
      {.types = "code2wav",
       .rope = {.sizes = {1024, 16, 8, 8000}},
       .window = {.everywhere = true, .size = 72},
       .frame_rope = {"audio", frames}},
      {.types = "clvp_encoder",
       .rope = {.fixed = true},
       .frame_rope = {"text", "from 0", "values are rotated as well as queries and keys",
                      clvp_turning}},
      {.types = "semantic coarse_acoustics fine_acoustics",
       .components = {{.where = "decoder",
                       .scheme = "learned",
                       .positions = "from 0",
                       .facts = {{{"rows", "block_size", 1024}, {"dim", "hidden_size", 768}}},
                       .weights = "position_embeds_layer.weight"}}},
      {.types = "clvp_decoder",
       .components = {{.where = "decoder",
                       .scheme = "learned",
                       .positions = "from 0",
                       .facts = {{{"rows", "max_position_embeddings"},
                                  {"dim", "hidden_size n_embd"}}},
                       .weights = "decoder.position_embeds_layer.weight"},
                      {.where = "conditioning",
                       .scheme = "learned",
                       .positions = "from 0",
                       .facts = {{{"rows", "max_text_tokens"}, {"dim", "hidden_size n_embd"}}},
                       .weights = "conditioning_encoder.text_position_embedding.weight",
                       .own = true}}},
      {.types = "moss_transcribe_diarize_audio",
       .components = {{.where = "audio",
                       .scheme = "learned",
                       .positions = "frames, from 0",
                       .facts = {{{"rows", "max_source_positions"},
                                  {"dim", "hidden_size d_model"}}},
                       .note = "Whisper's sinusoids, read from the weights",
                       .weights = "embed_positions.weight"}}},
      {.types = "moonshine_streaming_encoder",
       .components = {{.where = "encoder",
                       .scheme = "none",
                       .note = "only windows and convolutions convey positions"}},
       .idle = "sliding_windows"},
      {.types = "phi4_multimodal_audio",
       .components =
           {{.where = "audio",
             .scheme = "clipped",
             .positions = "distances between frames",
             .facts = {{{"heads", "num_attention_heads"}, {"max_distance", "bias_max_distance"}}},
             .note =
                 "distances go from -max_distance to max_distance - 1, or count without their sign",
             .weights = "relative_attention_bias_layer.bias_values.weight",
             .computed = Computed::clipped}}},
      {.types = "vits",
       .components =
           {{.where = "text encoder",
             .scheme = "shaw",
             .positions = "distances between tokens",
             .facts = {{{"window", "window_size"},
                        {"heads", "num_attention_heads"},
                        {"dim", "hidden_size"}}},
             .note = "rows for keys and for values, 2 window + 1 each; nothing beyond the window",
             .weights = "text_encoder.encoder.layers.N.attention.{emb_rel_k,emb_rel_v}"}}},
      {.types = "dac encodec univnet speecht5_hifigan fastspeech2_conformer_hifigan "
                "qwen2_5_omni_bigvgan muse_spark_audio vibevoice_acoustic_tokenizer "
                "vibevoice_acoustic_tokenizer_encoder vibevoice_acoustic_tokenizer_decoder",
       .components = {{.where = "audio", .scheme = "none", .note = "convolutions carry position"}}},
      {.types = "inkling_audio gemma4_unified_audio",
       .components = {{.where = "audio",
                       .scheme = "none",
                       .note = "frames enter the text model, which has the positions"}}},
      {.types = "vibevoice_diffusion",
       .components =
           {{.where = "audio",
             .scheme = "none",
             .note = "frames are made one by one; sinusoids encode only the diffusion step"}}},
  };
  return rows;
}

}  // namespace posenc::model
