// applications.js: tasks, and models for them, as the course lists them. A task is the name of its text in i18n.js.
import {samples} from "./samples.js";

// Language: [task, model, what its config.json says].
export const language = [
  ["translation", "Marian", {model_type: "marian", d_model: 512, encoder_attention_heads: 8, max_position_embeddings: 512}],
  ["translation", "T5 small", samples["T5 small"]],
  ["summarisation", "BART base", {model_type: "bart", d_model: 768, encoder_attention_heads: 12, max_position_embeddings: 1024}],
  ["answering", "BERT base", {model_type: "bert", hidden_size: 768, num_attention_heads: 12, max_position_embeddings: 512}],
  ["answering", "DeBERTa v3 base", {model_type: "deberta-v2", hidden_size: 768, num_attention_heads: 12, max_position_embeddings: 512,
    max_relative_positions: -1, position_buckets: 256, relative_attention: true, pos_att_type: "p2c|c2p", position_biased_input: false}],
  ...["GPT-2", "Bloom 7b1", "Llama 3.1 8B", "gpt-oss 20b"].map((name) => ["generation", name, samples[name]]),
];

// Images, sound: [task, scheme, preset].
export const vision = [
  ["classification", "learned-grid", "vit"], ["classification", "window", "swin"], ["classification", "continuous", "swin-v2"], ["classification", "rope", "eva"],
  ["classification", "convolution", "cpvt"], ["detection", "grid-sinusoidal", "detr"], ["detection", "decomposed", "mvitv2"],
  ["segmentation", "decomposed", "sam-global"], ["segmentation", "rope", "sam2"], ["pretraining", "grid-sinusoidal", "mae"],
  ["pretraining", "learned-grid", "dinov2"], ["pretraining", "rope", "dinov3"], ["matching", "rope", "efficientloftr"],
  ["video", "rope", "v-jepa2"], ["image_text", "learned-grid", "siglip"], ["image_text", "rope", "pixtral"], ["image_text", "rope", "qwen-vision"],
];
export const speech = [
  ["recognition", "sinusoidal", "whisper"], ["recognition", "transformer-xl", "conformer"], ["recognition", "shaw", "wav2vec2-bert"],
  ["pretraining", "convolution", "wav2vec2"], ["pretraining", "convolution", "data2vec-audio"], ["pretraining", "gated-t5", "wavlm-base"],
  ["synthesis", "shaw", "vits"], ["synthesis", "shaw", "speecht5"], ["speech_dialogue", "clipped", "phi4-audio"],
  ["music", "sinusoidal", "musicgen"], ["music", "rope", "musicflamingo"],
];

// Several modalities: [task, whose rule, what it reads as `posenc positions segments` takes it, what positions are for].
const image = "text:2,image:1x4x4,text:2", video = "text:2,video:2x4x4@2,text:2";
export const mixed = [
  ["image_answers", "qwen2-vl", image, "role_image"], ["captions", "glm-4v", image, "role_image"],
  ["video", "qwen2.5-vl", video, "role_seconds"], ["video", "qwen3-vl", video, "role_stamps"],
  ["speech_dialogue", "qwen2.5-omni", "text:2,audio:4,text:2", "role_sound"],
];
