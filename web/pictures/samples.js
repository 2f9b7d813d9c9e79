// samples.js: small configurations to look at, as models publish them.
export const samples = {
  "Llama 3.1 8B": {model_type: "llama", hidden_size: 4096, num_attention_heads: 32, num_key_value_heads: 8, num_hidden_layers: 32,
    max_position_embeddings: 131072, rope_theta: 500000, rope_scaling: {factor: 8, low_freq_factor: 1, high_freq_factor: 4,
      original_max_position_embeddings: 8192, rope_type: "llama3"}},
  "Qwen2-VL 7B": {model_type: "qwen2_vl", hidden_size: 3584, num_attention_heads: 28, num_key_value_heads: 4, num_hidden_layers: 28,
    max_position_embeddings: 32768, rope_theta: 1000000, rope_scaling: {type: "mrope", mrope_section: [16, 24, 24]},
    vision_config: {depth: 32, embed_dim: 1280, num_heads: 16, patch_size: 14, spatial_merge_size: 2, temporal_patch_size: 2}},
  "gpt-oss 20b": {model_type: "gpt_oss", hidden_size: 2880, head_dim: 64, num_attention_heads: 64, num_key_value_heads: 8,
    num_hidden_layers: 24, sliding_window: 128, max_position_embeddings: 131072, initial_context_length: 4096, rope_theta: 150000,
    rope_scaling: {rope_type: "yarn", factor: 32, beta_fast: 32, beta_slow: 1, truncate: false, original_max_position_embeddings: 4096}},
  "Bloom 7b1": {model_type: "bloom", hidden_size: 4096, n_head: 32, n_layer: 30},
  "T5 small": {model_type: "t5", d_model: 512, d_kv: 64, num_heads: 8, num_layers: 6, relative_attention_num_buckets: 32},
  "GPT-2": {model_type: "gpt2", n_embd: 768, n_head: 12, n_layer: 12, n_positions: 1024},
};
