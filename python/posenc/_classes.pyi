"""Made by make_stubs.py from the library's fields; not to be edited."""

from typing import Any, Literal, Mapping, Optional, Sequence, Union

from posenc._absolute import Absolute
from posenc._choice import Choice as Choice
from posenc._convolution import Convolving
from posenc._rotary import Rotary
from posenc._scheme import Scheme as Scheme
from posenc._scores import Bias, Content

ALIASES: dict[str, str]
CLASSES: dict[str, Any]
INFO: dict[str, dict[str, Any]]
__all__ = ['ALIASES', 'CLASSES', 'INFO', 'Choice', 'Scheme', 'Sinusoidal', 'GridSinusoidal', 'Learned', 'LearnedGrid', 'Axial', 'Nerf', 'Perceiver', 'Gaussian', 'Time2Vec', 'Temporal', 'Rope', 'Alibi', 'T5Bias', 'Clipped', 'Kerple', 'Proximal', 'Sandwich', 'DynamicBias', 'Fire', 'WindowBias', 'ContinuousBias', 'Tupe', 'LayoutBias', 'SegmentBuckets', 'BoxRelation', 'Shaw', 'MusicTransformer', 'TransformerXl', 'Segments', 'Deberta', 'Cope', 'Forgetting', 'Decomposed', 'GatedT5', 'ForgettingRows', 'KerpleWeight', 'Convolution', 'TimescalesRule', 'AlternatingAxes', 'BalancedAxes', 'ChunkedAxes', 'DealtAxes', 'ErnieAxes', 'InTurnAxes', 'ListedAxes', 'RestartAxes', 'XPos', 'AxisPowers', 'Fourier', 'LearnedFrequencies', 'ListedFrequencies', 'Periods', 'Pixels', 'Powers', 'LearnedPhases', 'ByParts', 'DynamicNtk', 'DynamicLinear', 'Linear', 'Llama3', 'LongRope', 'Ntk', 'Proportional', 'VllmNtk', 'Yarn', 'LogTemperature', 'ExplicitRule']

class TimescalesRule(Choice):
    """timescales, for the option rule of grid-sinusoidal and rule of sinusoidal."""

    min_timescale: float
    max_timescale: Optional[float]
    def __init__(
        self,
        *,
        min_timescale: float = ...,
        max_timescale: Optional[float] = ...,
    ) -> None: ...

class AlternatingAxes(Choice):
    """alternating, for the option axes of rope."""

    sections: Sequence[float]
    def __init__(
        self,
        *,
        sections: Sequence[float] = ...,
    ) -> None: ...

class BalancedAxes(Choice):
    """balanced, for the option axes of rope."""

    sections: Sequence[float]
    def __init__(
        self,
        *,
        sections: Sequence[float] = ...,
    ) -> None: ...

class ChunkedAxes(Choice):
    """chunked, for the option axes of rope."""

    sections: Sequence[float]
    def __init__(
        self,
        *,
        sections: Sequence[float] = ...,
    ) -> None: ...

class DealtAxes(Choice):
    """dealt, for the option axes of rope."""

    sections: Sequence[float]
    def __init__(
        self,
        *,
        sections: Sequence[float] = ...,
    ) -> None: ...

class ErnieAxes(Choice):
    """ernie, for the option axes of rope."""

    sections: Sequence[float]
    def __init__(
        self,
        *,
        sections: Sequence[float] = ...,
    ) -> None: ...

class InTurnAxes(Choice):
    """in-turn, for the option axes of rope."""

    sections: Sequence[float]
    def __init__(
        self,
        *,
        sections: Sequence[float] = ...,
    ) -> None: ...

class ListedAxes(Choice):
    """listed, for the option axes of rope."""

    of_pair: Sequence[float]
    def __init__(
        self,
        *,
        of_pair: Sequence[float] = ...,
    ) -> None: ...

class RestartAxes(Choice):
    """restart, for the option axes of rope."""

    sections: Sequence[float]
    def __init__(
        self,
        *,
        sections: Sequence[float] = ...,
    ) -> None: ...

class XPos(Choice):
    """xpos, for the option decay of rope."""

    scale_base: float
    center: float
    def __init__(
        self,
        *,
        scale_base: float = ...,
        center: float = ...,
    ) -> None: ...

class AxisPowers(Choice):
    """axis-powers, for the option frequencies of rope."""

    bases: Sequence[float]
    def __init__(
        self,
        *,
        bases: Sequence[float] = ...,
    ) -> None: ...

class Fourier(Choice):
    """fourier, for the option frequencies of rope."""

    heads: int
    max_position_embeddings: int
    num_inv_freq: Optional[int]
    rest: Literal['still', 'ones']
    def __init__(
        self,
        *,
        heads: int = ...,
        max_position_embeddings: int = ...,
        num_inv_freq: Optional[int] = ...,
        rest: Literal['still', 'ones'] = ...,
    ) -> None: ...

class LearnedFrequencies(Choice):
    """learned, for the option frequencies of rope."""

    heads: int
    axes: int
    def __init__(
        self,
        *,
        heads: int = ...,
        axes: int = ...,
    ) -> None: ...

class ListedFrequencies(Choice):
    """list, for the option frequencies of rope."""

    values: Sequence[float]
    def __init__(
        self,
        *,
        values: Sequence[float] = ...,
    ) -> None: ...

class Periods(Choice):
    """periods, for the option frequencies of rope."""

    min_period: float
    max_period: float
    def __init__(
        self,
        *,
        min_period: float = ...,
        max_period: float = ...,
    ) -> None: ...

class Pixels(Choice):
    """pixels, for the option frequencies of rope."""

    max_res: float
    linear: bool
    def __init__(
        self,
        *,
        max_res: float = ...,
        linear: bool = ...,
    ) -> None: ...

class Powers(Choice):
    """powers, for the option frequencies of rope."""

    unit: Literal['radians', 'degrees', 'turns']
    def __init__(
        self,
        *,
        unit: Literal['radians', 'degrees', 'turns'] = ...,
    ) -> None: ...

class LearnedPhases(Choice):
    """learned, for the option phases of rope."""

    heads: int
    def __init__(
        self,
        *,
        heads: int = ...,
    ) -> None: ...

class ByParts(Choice):
    """by-parts, for the option scaling of rope."""

    factor: float
    original_max_position_embeddings: int
    beta_0: float
    beta_1: float
    gamma_0: float
    gamma_1: float
    def __init__(
        self,
        *,
        factor: float = ...,
        original_max_position_embeddings: int = ...,
        beta_0: float = ...,
        beta_1: float = ...,
        gamma_0: float = ...,
        gamma_1: float = ...,
    ) -> None: ...

class DynamicNtk(Choice):
    """dynamic, for the option scaling of rope."""

    factor: float
    max_position_embeddings: int
    def __init__(
        self,
        *,
        factor: float = ...,
        max_position_embeddings: int = ...,
    ) -> None: ...

class DynamicLinear(Choice):
    """dynamic-linear, for the option scaling of rope."""

    factor: float
    pretrained_max_position_embeddings: int
    def __init__(
        self,
        *,
        factor: float = ...,
        pretrained_max_position_embeddings: int = ...,
    ) -> None: ...

class Linear(Choice):
    """linear, for the option scaling of rope."""

    factor: float
    def __init__(
        self,
        *,
        factor: float = ...,
    ) -> None: ...

class Llama3(Choice):
    """llama3, for the option scaling of rope."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_position_embeddings: int
    def __init__(
        self,
        *,
        factor: float = ...,
        low_freq_factor: float = ...,
        high_freq_factor: float = ...,
        original_max_position_embeddings: int = ...,
    ) -> None: ...

class LongRope(Choice):
    """longrope, for the option scaling of rope."""

    short_factor: Sequence[float]
    long_factor: Sequence[float]
    original_max_position_embeddings: int
    factor: float
    attention_factor: Optional[float]
    short_mscale: Optional[float]
    long_mscale: Optional[float]
    def __init__(
        self,
        *,
        short_factor: Sequence[float] = ...,
        long_factor: Sequence[float] = ...,
        original_max_position_embeddings: int = ...,
        factor: float = ...,
        attention_factor: Optional[float] = ...,
        short_mscale: Optional[float] = ...,
        long_mscale: Optional[float] = ...,
    ) -> None: ...

class Ntk(Choice):
    """ntk, for the option scaling of rope."""

    factor: float
    def __init__(
        self,
        *,
        factor: float = ...,
    ) -> None: ...

class Proportional(Choice):
    """proportional, for the option scaling of rope."""

    partial_rotary_factor: float
    factor: float
    def __init__(
        self,
        *,
        partial_rotary_factor: float = ...,
        factor: float = ...,
    ) -> None: ...

class VllmNtk(Choice):
    """vllm-ntk, for the option scaling of rope."""

    factor: float
    mixed_b: Optional[float]
    def __init__(
        self,
        *,
        factor: float = ...,
        mixed_b: Optional[float] = ...,
    ) -> None: ...

class Yarn(Choice):
    """yarn, for the option scaling of rope."""

    factor: float
    original_max_position_embeddings: int
    beta_fast: float
    beta_slow: float
    truncate: bool
    attention_factor: Optional[float]
    mscale: Optional[float]
    mscale_all_dim: Optional[float]
    extrapolation_factor: float
    log_coefficient: float
    def __init__(
        self,
        *,
        factor: float = ...,
        original_max_position_embeddings: int = ...,
        beta_fast: float = ...,
        beta_slow: float = ...,
        truncate: bool = ...,
        attention_factor: Optional[float] = ...,
        mscale: Optional[float] = ...,
        mscale_all_dim: Optional[float] = ...,
        extrapolation_factor: float = ...,
        log_coefficient: float = ...,
    ) -> None: ...

class LogTemperature(Choice):
    """log, for the option temperature of rope."""

    scale: float
    floor: float
    offset: float
    def __init__(
        self,
        *,
        scale: float = ...,
        floor: float = ...,
        offset: float = ...,
    ) -> None: ...

class ExplicitRule(Choice):
    """explicit, for the option rule of sinusoidal."""

    frequencies: Sequence[float]
    unit: Literal['radians', 'degrees', 'turns']
    def __init__(
        self,
        *,
        frequencies: Sequence[float] = ...,
        unit: Literal['radians', 'degrees', 'turns'] = ...,
    ) -> None: ...

class Sinusoidal(Absolute):
    """fixed sines and cosines of the position."""

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
    def __init__(
        self,
        preset: Optional[Literal['paper', 'tensor2tensor', 'fairseq', 'marian', 'whisper', 'musicgen', 'ddpm', 'diffusers', 'mlx', 'pyg', 'patchtst', 'kimi-frames', 'per-column', 'raw-index', 'degrees']] = ...,
        *,
        dim: int = ...,
        base: float = ...,
        rule: Union[Literal['paper', 'timescales', 'per-column', 'raw-index', 'explicit'], ExplicitRule, TimescalesRule, Mapping[str, Any]] = ...,
        order: Literal['interleaved', 'halves'] = ...,
        first: Literal['sine', 'cosine'] = ...,
        odd: Literal['keep', 'zero'] = ...,
        offset: int = ...,
        padding: Optional[int] = ...,
        position_scale: float = ...,
        scale: float = ...,
        norm: Literal['none', 'sqrt-2-over-dim', 'rsqrt-dim'] = ...,
        learned_scale: bool = ...,
        normalize_rows: Optional[int] = ...,
        numerics: Literal['exact', 'f32-frequencies', 'torch-f32'] = ...,
        exponent: Literal['slope-first', 'product-first'] = ...,
    ) -> None: ...

class GridSinusoidal(Absolute):
    """fixed sines and cosines of each axis of a grid."""

    dim: int
    coordinates: int
    base: float
    rule: Union[Literal['paper', 'timescales'], TimescalesRule, Mapping[str, Any]]
    order: Literal['halves', 'interleaved', 'kinds']
    block_axes: Sequence[float]
    shares: Sequence[float]
    uneven: Literal['zero', 'cut']
    padding: Optional[int]
    def __init__(
        self,
        preset: Optional[Literal['mae', 'moco-v3', 'timm', 'tensor2tensor-nd', 'detr', 'v-jepa', 'v-jepa-uniform', 'cogvideox']] = ...,
        *,
        dim: int = ...,
        coordinates: int = ...,
        base: float = ...,
        rule: Union[Literal['paper', 'timescales'], TimescalesRule, Mapping[str, Any]] = ...,
        order: Literal['halves', 'interleaved', 'kinds'] = ...,
        block_axes: Sequence[float] = ...,
        shares: Sequence[float] = ...,
        uneven: Literal['zero', 'cut'] = ...,
        padding: Optional[int] = ...,
    ) -> None: ...

class Learned(Absolute):
    """a trained table of rows, one per position."""

    dim: int
    rows: int
    offset: int
    padding: Optional[int]
    scale: float
    learned_scale: bool
    gate: Literal['linear', 'tanh', 'rest']
    def __init__(
        self,
        preset: Optional[Literal['bert', 'gpt2', 'roberta', 'bart', 'opt', 'mllama-tiles', 'mllama-tile-patches', 'mllama-patches', 'abacus']] = ...,
        *,
        dim: int = ...,
        rows: int = ...,
        offset: int = ...,
        padding: Optional[int] = ...,
        scale: float = ...,
        learned_scale: bool = ...,
        gate: Literal['linear', 'tanh', 'rest'] = ...,
    ) -> None: ...

class LearnedGrid(Absolute):
    """a trained table of a grid, read between its rows."""

    dim: int
    height: int
    width: int
    prefix: int
    between: Literal['linear', 'cubic']
    border: Literal['clamp', 'zeros']
    def __init__(
        self,
        preset: Optional[Literal['vit', 'dinov2', 'siglip', 'qwen3-vl', 'kimi']] = ...,
        *,
        dim: int = ...,
        height: int = ...,
        width: int = ...,
        prefix: int = ...,
        between: Literal['linear', 'cubic'] = ...,
        border: Literal['clamp', 'zeros'] = ...,
    ) -> None: ...

class Axial(Absolute):
    """trained tables of the axes, side by side or summed."""

    dim: int
    rows: Sequence[float]
    combine: Literal['concat', 'sum']
    shares: Sequence[float]
    block_axes: Sequence[float]
    block_tables: Sequence[float]
    def __init__(
        self,
        preset: Optional[Literal['reformer', 'florence2', 'detr-learned', 'naflex', 'layoutlm', 'layoutlmv3']] = ...,
        *,
        dim: int = ...,
        rows: Sequence[float] = ...,
        combine: Literal['concat', 'sum'] = ...,
        shares: Sequence[float] = ...,
        block_axes: Sequence[float] = ...,
        block_tables: Sequence[float] = ...,
    ) -> None: ...

class Nerf(Absolute):
    """Fourier features of coordinates, frequencies doubling."""

    coordinates: int
    bands: int
    spacing: Literal['octaves', 'linear']
    include_input: bool
    def __init__(
        self,
        preset: Optional[Literal['position', 'direction']] = ...,
        *,
        coordinates: int = ...,
        bands: int = ...,
        spacing: Literal['octaves', 'linear'] = ...,
        include_input: bool = ...,
    ) -> None: ...

class Perceiver(Absolute):
    """Fourier features up to the Nyquist rate of a grid."""

    max_resolution: Sequence[float]
    bands: int
    concat_pos: bool
    sine_only: bool
    spacing: Literal['octaves', 'linear']
    order: Literal['axes', 'bands']
    def __init__(
        self,
        preset: Optional[Literal['image', 'fourier-embed']] = ...,
        *,
        max_resolution: Sequence[float] = ...,
        bands: int = ...,
        concat_pos: bool = ...,
        sine_only: bool = ...,
        spacing: Literal['octaves', 'linear'] = ...,
        order: Literal['axes', 'bands'] = ...,
    ) -> None: ...

class Gaussian(Absolute):
    """Fourier features with random (or trained) frequencies."""

    coordinates: int
    features: int
    deviation: float
    range: Literal['unit', 'as-given']
    form: Literal['sine-cosine', 'cosine-sine', 'phases']
    unit: Literal['radians', 'degrees', 'turns']
    norm: Literal['none', 'sqrt-2-over-dim', 'rsqrt-dim']
    def __init__(
        self,
        preset: Optional[Literal['sam', 'learnable-fourier', 'esmfold2']] = ...,
        *,
        coordinates: int = ...,
        features: int = ...,
        deviation: float = ...,
        range: Literal['unit', 'as-given'] = ...,
        form: Literal['sine-cosine', 'cosine-sine', 'phases'] = ...,
        unit: Literal['radians', 'degrees', 'turns'] = ...,
        norm: Literal['none', 'sqrt-2-over-dim', 'rsqrt-dim'] = ...,
    ) -> None: ...

class Time2Vec(Absolute):
    """learned frequencies and phases of time, and a trend."""

    dim: int
    activation: Literal['sine', 'cosine']
    linear: Literal['first', 'last']
    def __init__(
        self,
        preset: Optional[Literal['paper']] = ...,
        *,
        dim: int = ...,
        activation: Literal['sine', 'cosine'] = ...,
        linear: Literal['first', 'last'] = ...,
    ) -> None: ...

class Temporal(Absolute):
    """fixed cosines of a time stamp."""

    dim: int
    def __init__(
        self,
        preset: Optional[Literal['pyg']] = ...,
        *,
        dim: int = ...,
    ) -> None: ...

class Rope(Rotary):
    """queries and keys rotated by angles of the position."""

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
    def __init__(
        self,
        preset: Optional[Literal['llama', 'llama-meta', 'llama3.1', 'gpt-neox', 'gptj', 'gpt-oss', 'deepseek-v3', 'gemma4', 'nanochat', 'xpos', 'llama4-nope', 'qwen2-vl', 'qwen3-vl', 'ernie4.5-vl', 'openpangu', 'qwen-vision', 'pixtral', 'llama4-vision', 'sam2', 'kimi-vision', 'efficientloftr', 'esmfold2', 'musicflamingo', 'eva', 'dinov3', 'v-jepa2', 'v-jepa2-second', 'gemma4-vision', 'rope-vit']] = ...,
        *,
        dim: int = ...,
        layout: Optional[Literal['half', 'interleaved', 'interleaved-in-half-out']] = ...,
        base: float = ...,
        rotary_dim: Optional[int] = ...,
        rotary_offset: int = ...,
        rotary_heads: Optional[int] = ...,
        first_head: int = ...,
        blocks: int = ...,
        sign: Literal['positive', 'negative'] = ...,
        offset: int = ...,
        frequencies: Union[Literal['powers', 'axis-powers', 'pixels', 'periods', 'list', 'learned', 'fourier'], AxisPowers, Fourier, LearnedFrequencies, ListedFrequencies, Periods, Pixels, Powers, Mapping[str, Any]] = ...,
        scaling: Union[Literal['none', 'linear', 'dynamic-linear', 'ntk', 'vllm-ntk', 'dynamic', 'yarn', 'by-parts', 'longrope', 'llama3', 'proportional'], ByParts, DynamicNtk, DynamicLinear, Linear, Llama3, LongRope, Ntk, Proportional, VllmNtk, Yarn, Mapping[str, Any]] = ...,
        axes: Union[Literal['one', 'chunked', 'alternating', 'ernie', 'balanced', 'restart', 'dealt', 'in-turn', 'listed'], AlternatingAxes, BalancedAxes, ChunkedAxes, DealtAxes, ErnieAxes, InTurnAxes, ListedAxes, RestartAxes, Mapping[str, Any]] = ...,
        phases: Union[Literal['none', 'learned'], LearnedPhases, Mapping[str, Any]] = ...,
        decay: Union[Literal['none', 'xpos'], XPos, Mapping[str, Any]] = ...,
        temperature: Union[Literal['none', 'log'], LogTemperature, Mapping[str, Any]] = ...,
        numerics: Literal['exact', 'f32-frequencies', 'torch-f32'] = ...,
        rope_theta: float = ...,
        rope_scaling: Optional[Mapping[str, Any]] = ...,
        rope_parameters: Mapping[str, Any] = ...,
        partial_rotary_factor: float = ...,
        mrope_section: Sequence[int] = ...,
        mrope_interleaved: bool = ...,
    ) -> None: ...

class Alibi(Bias):
    """scores fall with the distance, each head at its slope."""

    heads: int
    bias_max: float
    form: Literal['symmetric', 'keys']
    square_root: bool
    alibi_heads: Optional[int]
    slopes: Sequence[float]
    learned_slopes: bool
    rounding: Literal['none', 'bf16-product', 'f16-product', 'bf16']
    def __init__(
        self,
        preset: Optional[Literal['paper', 'bloom', 'bloom-bf16', 'falcon', 'mpt', 'step1']] = ...,
        *,
        heads: int = ...,
        bias_max: float = ...,
        form: Literal['symmetric', 'keys'] = ...,
        square_root: bool = ...,
        alibi_heads: Optional[int] = ...,
        slopes: Sequence[float] = ...,
        learned_slopes: bool = ...,
        rounding: Literal['none', 'bf16-product', 'f16-product', 'bf16'] = ...,
    ) -> None: ...

class T5Bias(Bias):
    """a learned bias for each bucket of distances."""

    heads: int
    buckets: int
    max_distance: int
    bidirectional: bool
    scale: float
    def __init__(
        self,
        preset: Optional[Literal['t5-encoder', 't5-decoder', 'wavlm', 'mpnet']] = ...,
        *,
        heads: int = ...,
        buckets: int = ...,
        max_distance: int = ...,
        bidirectional: bool = ...,
        scale: float = ...,
    ) -> None: ...

class Clipped(Bias):
    """a learned bias for each distance up to a farthest one."""

    heads: int
    max_distance: int
    form: Literal['full', 'half-open', 'symmetric']
    def __init__(
        self,
        preset: Optional[Literal['phi4-audio']] = ...,
        *,
        heads: int = ...,
        max_distance: int = ...,
        form: Literal['full', 'half-open', 'symmetric'] = ...,
    ) -> None: ...

class Kerple(Bias):
    """scores fall with a learned kernel of the distance."""

    heads: int
    form: Literal['log', 'power', 'log-power']
    clamp: bool
    def __init__(
        self,
        preset: Optional[Literal['log', 'power', 'nemo']] = ...,
        *,
        heads: int = ...,
        form: Literal['log', 'power', 'log-power'] = ...,
        clamp: bool = ...,
    ) -> None: ...

class Proximal(Bias):
    """scores fall with the logarithm of the distance."""

    heads: int
    def __init__(
        self,
        preset: Optional[Literal['t2t-proximal']] = ...,
        *,
        heads: int = ...,
    ) -> None: ...

class Sandwich(Bias):
    """scores fall as products of sinusoids do."""

    heads: int
    dim: int
    def __init__(
        self,
        preset: Optional[Literal['nemo']] = ...,
        *,
        heads: int = ...,
        dim: int = ...,
    ) -> None: ...

class DynamicBias(Bias):
    """a learned network of the distance."""

    heads: int
    hidden: int
    depth: int
    log_distance: bool
    layer_norm: bool
    def __init__(
        self,
        preset: Optional[Literal['x-transformers']] = ...,
        *,
        heads: int = ...,
        hidden: int = ...,
        depth: int = ...,
        log_distance: bool = ...,
        layer_norm: bool = ...,
    ) -> None: ...

class Fire(Bias):
    """a learned network of the distance over the position."""

    heads: int
    hidden: int
    length: float
    eps: float
    def __init__(
        self,
        preset: Optional[Literal['paper']] = ...,
        *,
        heads: int = ...,
        hidden: int = ...,
        length: float = ...,
        eps: float = ...,
    ) -> None: ...

class WindowBias(Bias):
    """a learned bias for each offset inside a window."""

    heads: int
    height: int
    width: int
    table: Literal['swin', 'beit', 'levit', 'maxvit']
    def __init__(
        self,
        preset: Optional[Literal['swin', 'beit', 'levit', 'maxvit']] = ...,
        *,
        heads: int = ...,
        height: int = ...,
        width: int = ...,
        table: Literal['swin', 'beit', 'levit', 'maxvit'] = ...,
    ) -> None: ...

class ContinuousBias(Bias):
    """a learned network of the offset inside a window."""

    heads: int
    height: int
    width: int
    pretrained_height: Optional[int]
    pretrained_width: Optional[int]
    hidden: int
    form: Literal['swin-v2', 'plain']
    def __init__(
        self,
        preset: Optional[Literal['swin-v2', 'swin-v2-12-to-16', 'timm-cr']] = ...,
        *,
        heads: int = ...,
        height: int = ...,
        width: int = ...,
        pretrained_height: Optional[int] = ...,
        pretrained_width: Optional[int] = ...,
        hidden: int = ...,
        form: Literal['swin-v2', 'plain'] = ...,
    ) -> None: ...

class Tupe(Bias):
    """products of projected positions, apart from contents."""

    heads: int
    dim: int
    rows: int
    buckets: int
    max_distance: int
    class_token: bool
    def __init__(
        self,
        preset: Optional[Literal['tupe-r', 'tupe-a']] = ...,
        *,
        heads: int = ...,
        dim: int = ...,
        rows: int = ...,
        buckets: int = ...,
        max_distance: int = ...,
        class_token: bool = ...,
    ) -> None: ...

class LayoutBias(Bias):
    """learned biases for buckets of distances in the text and on the page."""

    heads: int
    buckets: int
    max_distance: int
    box_buckets: int
    box_max_distance: int
    box_scale: float
    scale: float
    def __init__(
        self,
        preset: Optional[Literal['layoutlmv3-bias', 'udop']] = ...,
        *,
        heads: int = ...,
        buckets: int = ...,
        max_distance: int = ...,
        box_buckets: int = ...,
        box_max_distance: int = ...,
        box_scale: float = ...,
        scale: float = ...,
    ) -> None: ...

class SegmentBuckets(Bias):
    """a learned bias for each bucket of distances and pair of segments."""

    heads: int
    buckets: int
    max_distance: int
    segments: int
    def __init__(
        self,
        preset: Optional[Literal['cpm-ant']] = ...,
        *,
        heads: int = ...,
        buckets: int = ...,
        max_distance: int = ...,
        segments: int = ...,
    ) -> None: ...

class BoxRelation(Bias):
    """a learned map of the relation between two boxes."""

    heads: int
    dim: int
    base: float
    scale: float
    eps: float
    def __init__(
        self,
        preset: Optional[Literal['pp-doclayout-v2']] = ...,
        *,
        heads: int = ...,
        dim: int = ...,
        base: float = ...,
        scale: float = ...,
        eps: float = ...,
    ) -> None: ...

class Shaw(Content):
    """a learned vector for each distance, times the query."""

    dim: int
    heads: int
    left: int
    right: int
    beyond: Literal['clip', 'zero']
    order: Literal['key-minus-query', 'query-minus-key']
    def __init__(
        self,
        preset: Optional[Literal['paper', 'wav2vec2-bert', 'vits', 'speecht5', 'inkling']] = ...,
        *,
        dim: int = ...,
        heads: int = ...,
        left: int = ...,
        right: int = ...,
        beyond: Literal['clip', 'zero'] = ...,
        order: Literal['key-minus-query', 'query-minus-key'] = ...,
    ) -> None: ...

class MusicTransformer(Content):
    """a learned vector for each distance back."""

    dim: int
    heads: int
    length: int
    def __init__(
        self,
        preset: Optional[Literal['paper']] = ...,
        *,
        dim: int = ...,
        heads: int = ...,
        length: int = ...,
    ) -> None: ...

class TransformerXl(Content):
    """projected sinusoids of the distance, times the query."""

    dim: int
    heads: int
    sinusoids: Union[Scheme, Mapping[str, Any]]
    clamp_len: int
    biases: bool
    legacy: bool
    def __init__(
        self,
        preset: Optional[Literal['paper', 'xlnet', 'funnel', 'conformer', 'espnet-legacy', 'gemma-audio']] = ...,
        *,
        dim: int = ...,
        heads: int = ...,
        sinusoids: Union[Scheme, Mapping[str, Any]] = ...,
        clamp_len: int = ...,
        biases: bool = ...,
        legacy: bool = ...,
    ) -> None: ...

class Segments(Content):
    """a learned vector for the same segment or another."""

    dim: int
    heads: int
    rows: Literal['same-first', 'other-first']
    joined: int
    def __init__(
        self,
        preset: Optional[Literal['xlnet-segments', 'funnel-segments']] = ...,
        *,
        dim: int = ...,
        heads: int = ...,
        rows: Literal['same-first', 'other-first'] = ...,
        joined: int = ...,
    ) -> None: ...

class Deberta(Content):
    """projected embeddings of the distance, times q and k."""

    dim: int
    heads: int
    buckets: int
    max_distance: int
    c2p: bool
    p2c: bool
    def __init__(
        self,
        preset: Optional[Literal['v3-base', 'v2-xlarge', 'v1-base']] = ...,
        *,
        dim: int = ...,
        heads: int = ...,
        buckets: int = ...,
        max_distance: int = ...,
        c2p: bool = ...,
        p2c: bool = ...,
    ) -> None: ...

class Cope(Content):
    """positions count the keys that gates let pass."""

    dim: int
    positions: int
    scaled_gates: bool
    soft: float
    def __init__(
        self,
        preset: Optional[Literal['paper', 'authors', 'x-transformers', 'x-transformers-soft']] = ...,
        *,
        dim: int = ...,
        positions: int = ...,
        scaled_gates: bool = ...,
        soft: float = ...,
    ) -> None: ...

class Forgetting(Content):
    """scores fall by the forget gates between key and query."""

    side: Literal['before', 'after']
    gates: Literal['log', 'logits']
    gate_scale: float
    def __init__(
        self,
        preset: Optional[Literal['fox', 'x-transformers-reversed']] = ...,
        *,
        side: Literal['before', 'after'] = ...,
        gates: Literal['log', 'logits'] = ...,
        gate_scale: float = ...,
    ) -> None: ...

class Decomposed(Content):
    """learned vectors of row and column offsets, times q."""

    dim: int
    height: int
    width: int
    key_height: int
    key_width: int
    table_height: int
    table_width: int
    def __init__(
        self,
        preset: Optional[Literal['sam-global', 'sam-window', 'mvitv2']] = ...,
        *,
        dim: int = ...,
        height: int = ...,
        width: int = ...,
        key_height: int = ...,
        key_width: int = ...,
        table_height: int = ...,
        table_width: int = ...,
    ) -> None: ...

class GatedT5(Content):
    """a bias for each bucket, times a gate of each query."""

    dim: int
    heads: int
    buckets: int
    max_distance: int
    def __init__(
        self,
        preset: Optional[Literal['wavlm-base', 'wavlm-large']] = ...,
        *,
        dim: int = ...,
        heads: int = ...,
        buckets: int = ...,
        max_distance: int = ...,
    ) -> None: ...

class ForgettingRows(Content):
    """scores fall by gates that each query sets for itself."""

    dim: int
    gate_scale: float
    def __init__(
        self,
        preset: Optional[Literal['x-transformers-rows']] = ...,
        *,
        dim: int = ...,
        gate_scale: float = ...,
    ) -> None: ...

class KerpleWeight(Content):
    """scores times a learned kernel of the distance."""

    heads: int
    clamp: bool
    def __init__(
        self,
        preset: Optional[Literal['authors']] = ...,
        *,
        heads: int = ...,
        clamp: bool = ...,
    ) -> None: ...

class Convolution(Convolving):
    """a convolution of the input over its neighbours."""

    dim: int
    coordinates: int
    kernel: int
    groups: int
    layers: int
    weight_norm: bool
    layer_norm: bool
    activation: Literal['gelu', 'none']
    prefix: int
    def __init__(
        self,
        preset: Optional[Literal['wav2vec2', 'data2vec-audio', 'peg', 'cpvt']] = ...,
        *,
        dim: int = ...,
        coordinates: int = ...,
        kernel: int = ...,
        groups: int = ...,
        layers: int = ...,
        weight_norm: bool = ...,
        layer_norm: bool = ...,
        activation: Literal['gelu', 'none'] = ...,
        prefix: int = ...,
    ) -> None: ...
