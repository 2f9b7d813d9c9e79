// models.h: two small models in the folder of a test: a Llama with a length rule, and one without.
#pragma once

#include "tests/cli/tool.h"

namespace posenc {

inline const std::string llama =
    R"("model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2)";
inline const std::string scaled =
    R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,)"
    R"( "high_freq_factor": 4.0, "original_max_position_embeddings": 8192})";
inline const std::string llama3 =
    "{" + llama + R"(, "rope_theta": 500000, "max_position_embeddings": 131072, )" + scaled + "}";
inline const std::string plain =
    "{" + llama + R"(, "rope_theta": 10000, "max_position_embeddings": 2048})";

class Models : public Tool {
 protected:
  void SetUp() override {
    Tool::SetUp();
    write("llama3.json", llama3), write("plain.json", plain);
  }
};

}  // namespace posenc
