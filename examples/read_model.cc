// read_model.cc: rotates queries as a model's own files require.
#include <posenc/posenc.h>

#include <cstdio>
#include <vector>

// A config.json of Llama 3.1; posenc::model::read(path) reads files and folders.
constexpr const char* config = R"({
  "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
  "max_position_embeddings": 131072, "rope_theta": 500000.0,
  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                   "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";

int main() {
  const posenc::model::Model model = posenc::model::read_config(config);
  for (const auto& part : model.components) {
    std::printf("%s: %s\n", part.where.c_str(), part.scheme.c_str());
    if (!part.ready) continue;  // described, but not computed here
    const auto plan = posenc::prepare(std::get<posenc::Rope>(*part.ready));
    std::vector<float> q(4 * 32 * 128, 1.0f);  // [tokens, heads, dim]
    posenc::rotate(plan, {posenc::tensor(q.data(), {4, 32, 128})}, posenc::range(1000));
    std::printf("feature 0 of the first query at position 1000: %.6f\n", q[0]);
  }
  for (const auto& note : model.notes) std::printf("note: %s\n", note.text.c_str());
}
