// frame_rows.cc: encoders of sound and of films that turn by the number of the frame.
#include <algorithm>

#include "model/families/described.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view frames = "frames, from 0";
constexpr std::string_view by_head =
    "the number that turns a pair is that of the head, not of the frame: queries and keys of a "
    "head turn alike, so scores do not change and nothing tells positions";
constexpr std::string_view half_of_head =
    R"({"rope_type": "default", "rope_theta": 10000, "partial_rotary_factor": 0.5})";

int64_t clvp_turning(const Config& config) {
  const int64_t width = size_of(config, "projection_dim", 768);
  return std::max<int64_t>(width / (2 * size_of(config, "num_attention_heads", 12)), 32);
}

constexpr Frames frame_list[] = {
    {"lasr_encoder", "audio", frames},
    {"glmasr_encoder", "audio", frames, {.fraction = 0.5}},
    {"voxtral_realtime_encoder", "audio", frames},
    {"pe_audio_encoder", "audio", frames, {.base = 20000, .layout = interleaved}},
    {"pe_video_encoder", "video", frames, {.base = 20000, .layout = interleaved}},
    {"pe_audio_video_encoder", "audio and video", frames, {.base = 20000, .layout = interleaved}},
    {"nemotron3_5_transcribe_asr_audio", "audio", frames, {.fraction = 1, .scaling = half_of_head}},
    {"nemotron3_5_transcribe_word_timestamp",
     "audio",
     frames,
     {.fraction = 1, .scaling = half_of_head}},
    {"dots3_note_audio_encoder", "audio", frames, {.sizes = {1280, 20, 32, 6000}, .fraction = 0.5}},
    {"nemotron3_diarization_audio", "audio", frames, {.fraction = 1}},
    {"mimi mimi_encoder mimi_decoder", "audio", frames},
    {"pocket_tts_audio_tokenizer pocket_tts_audio_tokenizer_encoder "
     "pocket_tts_audio_tokenizer_decoder",
     "audio", frames},
    {"neucodec xcodec2", "audio", "heads, from 0", {}, by_head},
    {"qwen2_5_omni_dit",
     "audio",
     frames,
     {.layout = interleaved},
     "only the first head turns, the others have no position"},
    {"code2wav", "audio", frames, {.sizes = {1024, 16, 8, 8000}}},
    {"clvp_encoder",
     "text",
     "from 0",
     {.fixed = true},
     "values turn as well as queries and keys",
     clvp_turning},
    {"evolla_protein", "protein", "from 0", {.sizes = {1280, 20, 33, 1026}, .fixed = true}},
    {"moonshine_streaming", "decoder", "from 0", {.layout = interleaved, .fraction = 0.8}},
};

}  // namespace

std::span<const Frames> frame_rows() { return frame_list; }

}  // namespace posenc::model
