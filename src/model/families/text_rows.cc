// text_rows.cc: text models that turn, bias or have no position, by the names of their types.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

// Keys that say what is so in any case.
void pass_idle(const Reading& reading) {
  const Config& config = reading.config;
  for (const std::string_view key : {"use_mrope", "rope_interleaved", "flash_rotary"}) {
    const Json* value = config.json().find(key);
    const bool* flag = value ? std::get_if<bool>(&value->value) : nullptr;
    if (flag && !*flag) config.pass({key});
  }
  config.pass({"rotary", "sliding_window_size", "original_max_position_embeddings"});
}

}  // namespace

const RowGroup& text_rows() {
  static const RowGroup all{{plain_rows(), layered_rows(), coordinate_rows(), latent_rows(),
                             special_rows(), remote_rows()},
                            read_alike,
                            pass_idle};
  return all;
}

}  // namespace posenc::model
