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
    {.types = "lasr_encoder", .where = "audio", .positions = frames},
    {.types = "glmasr_encoder", .where = "audio", .positions = frames, .rope = {.fraction = 0.5}},
    {.types = "voxtral_realtime_encoder",
     .where = "audio",
     .positions = frames,
     .window = {.everywhere = true}},
    {.types = "pe_audio_encoder",
     .where = "audio",
     .positions = frames,
     .rope = {.base = 20000, .layout = interleaved}},
    {.types = "pe_video_encoder",
     .where = "video",
     .positions = frames,
     .rope = {.base = 20000, .layout = interleaved}},
    {.types = "pe_audio_video_encoder",
     .where = "audio and video",
     .positions = frames,
     .rope = {.base = 20000, .layout = interleaved}},
    {.types = "nemotron3_5_transcribe_asr_audio",
     .where = "audio",
     .positions = frames,
     .rope = {.fraction = 1, .scaling = half_of_head}},
    {.types = "nemotron3_5_transcribe_word_timestamp",
     .where = "audio",
     .positions = frames,
     .rope = {.fraction = 1, .scaling = half_of_head}},
    {.types = "dots3_note_audio_encoder",
     .where = "audio",
     .positions = frames,
     .rope = {.sizes = {1280, 20, 32, 6000}, .fraction = 0.5}},
    {.types = "nemotron3_diarization_audio",
     .where = "audio",
     .positions = frames,
     .rope = {.fraction = 1}},
    {.types = "mimi mimi_encoder mimi_decoder",
     .where = "audio",
     .positions = frames,
     .window = {.everywhere = true}},
    {.types = "pocket_tts_audio_tokenizer pocket_tts_audio_tokenizer_encoder "
              "pocket_tts_audio_tokenizer_decoder",
     .where = "audio",
     .positions = frames,
     .window = {.everywhere = true}},
    {.types = "neucodec xcodec2", .where = "audio", .positions = "heads, from 0", .trap = by_head},
    {.types = "qwen2_5_omni_dit",
     .where = "audio",
     .positions = frames,
     .rope = {.layout = interleaved},
     .trap = "only the first head turns, the others have no position"},
    {.types = "code2wav",
     .where = "audio",
     .positions = frames,
     .rope = {.sizes = {1024, 16, 8, 8000}},
     .window = {.everywhere = true, .size = 72}},
    {.types = "clvp_encoder",
     .where = "text",
     .positions = "from 0",
     .rope = {.fixed = true},
     .trap = "values turn as well as queries and keys",
     .turning = clvp_turning},
    {.types = "evolla_protein",
     .where = "protein",
     .positions = "from 0",
     .rope = {.sizes = {1280, 20, 33, 1026}, .fixed = true}},
    {.types = "moonshine_streaming",
     .where = "decoder",
     .positions = "from 0",
     .rope = {.layout = interleaved, .fraction = 0.8}},
};

}  // namespace

std::span<const Frames> frame_rows() { return frame_list; }

}  // namespace posenc::model
