"""Made by make_stubs.py from the library's fields; not to be edited."""

from typing import Any, Literal, Mapping, Optional, Sequence, TypedDict, Union, overload

from typing_extensions import Unpack

from posenc._classes import *
from posenc._scheme import Scheme

from ._encoding import Encoding, InputEncoding

class SinusoidalOptions(TypedDict, total=False):
    preset: Optional[Literal['paper', 'tensor2tensor', 'fairseq', 'marian', 'whisper', 'musicgen', 'ddpm', 'diffusers', 'mlx', 'pyg', 'patchtst', 'kimi-frames', 'per-column', 'raw-index', 'degrees']]
    dim: int
    base: float
    rule: Union[Literal['paper', 'timescales', 'per-column', 'raw-index', 'explicit'], ExplicitRule, TimescalesRule, Mapping[str, Any]]
    order: Literal['interleaved', 'halves']
    first: Literal['sine', 'cosine']
    odd: Literal['keep', 'zero']
    offset: int
    padding: Optional[int]
    position_scale: float
    scale: float
    norm: Literal['none', 'sqrt-2-over-dim', 'rsqrt-dim']
    learned_scale: bool
    normalize_rows: Optional[int]
    numerics: Literal['exact', 'f32-frequencies', 'torch-f32']
    exponent: Literal['slope-first', 'product-first']

class GridSinusoidalOptions(TypedDict, total=False):
    preset: Optional[Literal['mae', 'moco-v3', 'timm', 'tensor2tensor-nd', 'detr', 'v-jepa', 'v-jepa-uniform', 'cogvideox']]
    dim: int
    coordinates: int
    base: float
    rule: Union[Literal['paper', 'timescales'], TimescalesRule, Mapping[str, Any]]
    order: Literal['halves', 'interleaved', 'kinds']
    block_axes: Sequence[float]
    shares: Sequence[float]
    uneven: Literal['zero', 'cut']
    padding: Optional[int]

class LearnedOptions(TypedDict, total=False):
    preset: Optional[Literal['bert', 'gpt2', 'roberta', 'bart', 'opt', 'mllama-tiles', 'mllama-tile-patches', 'mllama-patches', 'abacus']]
    dim: int
    rows: int
    offset: int
    padding: Optional[int]
    scale: float
    learned_scale: bool
    gate: Literal['linear', 'tanh', 'rest']

class LearnedGridOptions(TypedDict, total=False):
    preset: Optional[Literal['vit', 'dinov2', 'siglip', 'qwen3-vl', 'kimi']]
    dim: int
    height: int
    width: int
    prefix: int
    between: Literal['linear', 'cubic']
    border: Literal['clamp', 'zeros']

class AxialOptions(TypedDict, total=False):
    preset: Optional[Literal['reformer', 'florence2', 'detr-learned', 'naflex', 'layoutlm', 'layoutlmv3']]
    dim: int
    rows: Sequence[float]
    combine: Literal['concat', 'sum']
    shares: Sequence[float]
    block_axes: Sequence[float]
    block_tables: Sequence[float]

class NerfOptions(TypedDict, total=False):
    preset: Optional[Literal['position', 'direction']]
    coordinates: int
    bands: int
    spacing: Literal['octaves', 'linear']
    include_input: bool

class PerceiverOptions(TypedDict, total=False):
    preset: Optional[Literal['image', 'fourier-embed']]
    max_resolution: Sequence[float]
    bands: int
    concat_pos: bool
    sine_only: bool
    spacing: Literal['octaves', 'linear']
    order: Literal['axes', 'bands']

class GaussianOptions(TypedDict, total=False):
    preset: Optional[Literal['sam', 'learnable-fourier', 'esmfold2']]
    coordinates: int
    features: int
    deviation: float
    range: Literal['unit', 'as-given']
    form: Literal['sine-cosine', 'cosine-sine', 'phases']
    unit: Literal['radians', 'degrees', 'turns']
    norm: Literal['none', 'sqrt-2-over-dim', 'rsqrt-dim']

class Time2VecOptions(TypedDict, total=False):
    preset: Optional[Literal['paper']]
    dim: int
    activation: Literal['sine', 'cosine']
    linear: Literal['first', 'last']

class TemporalOptions(TypedDict, total=False):
    preset: Optional[Literal['pyg']]
    dim: int

class RopeOptions(TypedDict, total=False):
    preset: Optional[Literal['llama', 'llama-meta', 'llama3.1', 'gpt-neox', 'gptj', 'gpt-oss', 'deepseek-v3', 'gemma4', 'nanochat', 'xpos', 'llama4-nope', 'qwen2-vl', 'qwen3-vl', 'ernie4.5-vl', 'openpangu', 'qwen-vision', 'pixtral', 'llama4-vision', 'sam2', 'kimi-vision', 'efficientloftr', 'esmfold2', 'musicflamingo', 'eva', 'dinov3', 'v-jepa2', 'v-jepa2-second', 'gemma4-vision', 'rope-vit']]
    dim: int
    layout: Optional[Literal['half', 'interleaved', 'interleaved-in-half-out']]
    base: float
    rotary_dim: Optional[int]
    rotary_offset: int
    rotary_heads: Optional[int]
    first_head: int
    blocks: int
    sign: Literal['positive', 'negative']
    offset: int
    frequencies: Union[Literal['powers', 'axis-powers', 'pixels', 'periods', 'list', 'learned', 'fourier'], AxisPowers, Fourier, LearnedFrequencies, ListedFrequencies, Periods, Pixels, Powers, Mapping[str, Any]]
    scaling: Union[Literal['none', 'linear', 'dynamic-linear', 'ntk', 'vllm-ntk', 'dynamic', 'yarn', 'by-parts', 'longrope', 'llama3', 'proportional'], ByParts, DynamicNtk, DynamicLinear, Linear, Llama3, LongRope, Ntk, Proportional, VllmNtk, Yarn, Mapping[str, Any]]
    axes: Union[Literal['one', 'chunked', 'alternating', 'ernie', 'balanced', 'restart', 'dealt', 'in-turn', 'listed'], AlternatingAxes, BalancedAxes, ChunkedAxes, DealtAxes, ErnieAxes, InTurnAxes, ListedAxes, RestartAxes, Mapping[str, Any]]
    phases: Union[Literal['none', 'learned'], LearnedPhases, Mapping[str, Any]]
    decay: Union[Literal['none', 'xpos'], XPos, Mapping[str, Any]]
    temperature: Union[Literal['none', 'log'], LogTemperature, Mapping[str, Any]]
    numerics: Literal['exact', 'f32-frequencies', 'torch-f32']
    rope_theta: float
    rope_scaling: Optional[Mapping[str, Any]]
    rope_parameters: Mapping[str, Any]
    partial_rotary_factor: float
    mrope_section: Sequence[int]
    mrope_interleaved: bool

class AlibiOptions(TypedDict, total=False):
    preset: Optional[Literal['paper', 'bloom', 'bloom-bf16', 'falcon', 'mpt', 'step1']]
    heads: int
    bias_max: float
    form: Literal['symmetric', 'keys']
    square_root: bool
    alibi_heads: Optional[int]
    slopes: Sequence[float]
    learned_slopes: bool
    rounding: Literal['none', 'bf16-product', 'f16-product', 'bf16']

class T5BiasOptions(TypedDict, total=False):
    preset: Optional[Literal['t5-encoder', 't5-decoder', 'wavlm', 'mpnet']]
    heads: int
    buckets: int
    max_distance: int
    bidirectional: bool
    scale: float

class ClippedOptions(TypedDict, total=False):
    preset: Optional[Literal['phi4-audio']]
    heads: int
    max_distance: int
    form: Literal['full', 'half-open', 'symmetric']

class KerpleOptions(TypedDict, total=False):
    preset: Optional[Literal['log', 'power', 'nemo']]
    heads: int
    form: Literal['log', 'power', 'log-power']
    clamp: bool

class ProximalOptions(TypedDict, total=False):
    preset: Optional[Literal['t2t-proximal']]
    heads: int

class SandwichOptions(TypedDict, total=False):
    preset: Optional[Literal['nemo']]
    heads: int
    dim: int

class DynamicBiasOptions(TypedDict, total=False):
    preset: Optional[Literal['x-transformers']]
    heads: int
    hidden: int
    depth: int
    log_distance: bool
    layer_norm: bool

class FireOptions(TypedDict, total=False):
    preset: Optional[Literal['paper']]
    heads: int
    hidden: int
    length: float
    eps: float

class WindowBiasOptions(TypedDict, total=False):
    preset: Optional[Literal['swin', 'beit', 'levit', 'maxvit']]
    heads: int
    height: int
    width: int
    table: Literal['swin', 'beit', 'levit', 'maxvit']

class ContinuousBiasOptions(TypedDict, total=False):
    preset: Optional[Literal['swin-v2', 'swin-v2-12-to-16', 'timm-cr']]
    heads: int
    height: int
    width: int
    pretrained_height: Optional[int]
    pretrained_width: Optional[int]
    hidden: int
    form: Literal['swin-v2', 'plain']

class TupeOptions(TypedDict, total=False):
    preset: Optional[Literal['tupe-r', 'tupe-a']]
    heads: int
    dim: int
    rows: int
    buckets: int
    max_distance: int
    class_token: bool

class LayoutBiasOptions(TypedDict, total=False):
    preset: Optional[Literal['layoutlmv3-bias', 'udop']]
    heads: int
    buckets: int
    max_distance: int
    box_buckets: int
    box_max_distance: int
    box_scale: float
    scale: float

class SegmentBucketsOptions(TypedDict, total=False):
    preset: Optional[Literal['cpm-ant']]
    heads: int
    buckets: int
    max_distance: int
    segments: int

class BoxRelationOptions(TypedDict, total=False):
    preset: Optional[Literal['pp-doclayout-v2']]
    heads: int
    dim: int
    base: float
    scale: float
    eps: float

class ShawOptions(TypedDict, total=False):
    preset: Optional[Literal['paper', 'wav2vec2-bert', 'vits', 'speecht5', 'inkling']]
    dim: int
    heads: int
    left: int
    right: int
    beyond: Literal['clip', 'zero']
    order: Literal['key-minus-query', 'query-minus-key']

class MusicTransformerOptions(TypedDict, total=False):
    preset: Optional[Literal['paper']]
    dim: int
    heads: int
    length: int

class TransformerXlOptions(TypedDict, total=False):
    preset: Optional[Literal['paper', 'xlnet', 'funnel', 'conformer', 'espnet-legacy', 'gemma-audio']]
    dim: int
    heads: int
    sinusoids: Union[Scheme, Mapping[str, Any]]
    clamp_len: int
    biases: bool
    legacy: bool

class SegmentsOptions(TypedDict, total=False):
    preset: Optional[Literal['xlnet-segments', 'funnel-segments']]
    dim: int
    heads: int
    rows: Literal['same-first', 'other-first']
    joined: int

class DebertaOptions(TypedDict, total=False):
    preset: Optional[Literal['v3-base', 'v2-xlarge', 'v1-base']]
    dim: int
    heads: int
    buckets: int
    max_distance: int
    c2p: bool
    p2c: bool

class CopeOptions(TypedDict, total=False):
    preset: Optional[Literal['paper', 'authors', 'x-transformers', 'x-transformers-soft']]
    dim: int
    positions: int
    scaled_gates: bool
    soft: float

class ForgettingOptions(TypedDict, total=False):
    preset: Optional[Literal['fox', 'x-transformers-reversed']]
    side: Literal['before', 'after']
    gates: Literal['log', 'logits']
    gate_scale: float

class DecomposedOptions(TypedDict, total=False):
    preset: Optional[Literal['sam-global', 'sam-window', 'mvitv2']]
    dim: int
    height: int
    width: int
    key_height: int
    key_width: int
    table_height: int
    table_width: int

class GatedT5Options(TypedDict, total=False):
    preset: Optional[Literal['wavlm-base', 'wavlm-large']]
    dim: int
    heads: int
    buckets: int
    max_distance: int

class ForgettingRowsOptions(TypedDict, total=False):
    preset: Optional[Literal['x-transformers-rows']]
    dim: int
    gate_scale: float

class KerpleWeightOptions(TypedDict, total=False):
    preset: Optional[Literal['authors']]
    heads: int
    clamp: bool

class ConvolutionOptions(TypedDict, total=False):
    preset: Optional[Literal['wav2vec2', 'data2vec-audio', 'peg', 'cpvt']]
    dim: int
    coordinates: int
    kernel: int
    groups: int
    layers: int
    weight_norm: bool
    layer_norm: bool
    activation: Literal['gelu', 'none']
    prefix: int

class AbsoluteInit(InputEncoding):
    @overload
    def __init__(self, scheme: Literal['sinusoidal', 'ddpm', 'diffusers', 'fairseq', 'kimi-frames', 'marian', 'mlx', 'musicgen', 'patchtst', 'per-column', 'raw-index', 'sincos', 't2t', 'tensor2tensor', 'timestep', 'whisper'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[SinusoidalOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['grid-sinusoidal', 'cogvideox', 'detr', 'dit', 'mae', 'moco', 'moco-v3', 'pixart', 'sincos-2d', 'tensor2tensor-nd', 'timm', 'v-jepa', 'v-jepa-uniform'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[GridSinusoidalOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['learned', 'abacus', 'absolute', 'bart', 'bert', 'gpt2', 'learnable', 'mllama', 'mllama-patches', 'mllama-tile-patches', 'mllama-tiles', 'opt', 'roberta', 'segment-embeddings', 'token-types', 'wpe', 'xlm-r'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[LearnedOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['learned-grid', 'deit', 'dinov2', 'kimi', 'moonvit', 'siglip', 'vit'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[LearnedGridOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['axial', 'detr-learned', 'factorized', 'florence2', 'layoutlm', 'layoutlmv2', 'layoutlmv3', 'naflex', 'reformer'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[AxialOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['nerf', 'direction', 'position'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[NerfOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['perceiver', 'fourier-embed', 'fourierembed', 'image'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[PerceiverOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['gaussian', 'fourier', 'fourier-features', 'learnable-fourier', 'lff', 'rff', 'sam'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[GaussianOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['time2vec', 't2v'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[Time2VecOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['temporal'], *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Unpack[TemporalOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Scheme, *, batch_first: bool, device: Any = ..., dtype: Any = ..., **options: Any) -> None: ...

class BiasInit(Encoding):
    @overload
    def __init__(self, scheme: Literal['alibi', 'alibi-sqrt', 'bloom', 'bloom-bf16', 'falcon', 'mpt', 'step1'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[AlibiOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['t5', 'mpnet', 't5-decoder', 't5-encoder'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[T5BiasOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['clipped', 'phi4-audio'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[ClippedOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['kerple', 'kerple-log', 'kerple-power', 'log', 'power'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[KerpleOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['proximal', 't2t-proximal'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[ProximalOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['sandwich'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[SandwichOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['dynamic', 'dynamic-position-bias'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[DynamicBiasOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['fire'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[FireOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['window', 'beit', 'efficientformer', 'levit', 'maxvit', 'swin'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[WindowBiasOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['continuous', 'cpb', 'swin-v2', 'swin-v2-12-to-16', 'timm-cr'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[ContinuousBiasOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['tupe', 'tupe-a', 'tupe-r', 'untied'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[TupeOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['layout', 'layoutlmv3-bias', 'udop'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[LayoutBiasOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['segment-buckets', 'cpm-ant'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[SegmentBucketsOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['box-relation', 'pp-doclayout-v2'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[BoxRelationOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Scheme, *, device: Any = ..., dtype: Any = ..., **options: Any) -> None: ...

class ContentInit(Encoding):
    @overload
    def __init__(self, scheme: Literal['shaw', 'distance-bank', 'inkling', 'rpe', 'speecht5', 'vits', 'wav2vec2-bert'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[ShawOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['music-transformer'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[MusicTransformerOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['transformer-xl', 'conformer', 'espnet-legacy', 'funnel', 'gemma-audio', 'txl', 'xlnet'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[TransformerXlOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['segments', 'funnel-segments', 'xlnet-segments'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[SegmentsOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['deberta', 'disentangled', 'v1-base', 'v2-xlarge', 'v3-base'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[DebertaOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['cope', 'x-transformers-soft'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[CopeOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['forgetting', 'data-dependent-alibi', 'forgetting-transformer', 'fox', 'x-transformers-reversed'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[ForgettingOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['decomposed', 'mvit', 'mvitv2', 'sam-global', 'sam-window', 'vitdet'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[DecomposedOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['gated-t5', 'gated-relative', 'wavlm', 'wavlm-base', 'wavlm-large'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[GatedT5Options]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['forgetting-rows', 'data-dependent-alibi-rows', 'x-transformers-rows'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[ForgettingRowsOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Literal['kerple-weight'], *, device: Any = ..., dtype: Any = ..., **options: Unpack[KerpleWeightOptions]) -> None: ...
    @overload
    def __init__(self, scheme: Scheme, *, device: Any = ..., dtype: Any = ..., **options: Any) -> None: ...
