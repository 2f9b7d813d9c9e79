"""What the tables' words are in Chinese, and names that the page knows mistakes by."""

CHINESE = {
    "scheme": "编码", "mistake": "错误", "bits per byte": "每字节比特数", "added": "增加", "reciprocal rank": "倒数排名均值", "mean": "均值",
    "none": "无位置", "no rule": "无规则", "copy": "复制", "reverse": "反转", "addition": "加法", "sorting": "排序", "summation": "求和", "parity": "奇偶",
    "dyck": "括号", "flip-flop": "触发器", "selective copy": "选择性复制", "needle": "大海捞针", "learned": "可学习表", "sinusoidal": "正弦", "sinusoidal unscaled": "正弦（词向量未缩放）", "rope to the end, then half as many steps without": "始终用 rope，再加一半步数不用",
    "rope": "rope", "masked encoder": "掩码编码器", "causal decoder": "因果解码器", "ms per step": "毫秒/步", "peak MB": "显存峰值 MB",
    "never rope": "从不用 rope", "rope to the end": "始终用 rope", "rope until 50% of the steps": "前 50% 的步数用 rope",
    "rope until 87.5% of the steps": "前 87.5% 的步数用 rope", "angles exact": "精确角度", "angles in f32": "f32 角度", "angles in bf16": "bf16 角度",
    "rope 25%": "rope（25% 的频率）", "learned-grid": "可学习网格（重采样）", "grid-sinusoidal": "二维正弦", "grid-sinusoidal scaled": "二维正弦（位置缩放）",
    "rope axial": "轴向 rope", "rope axial scaled": "轴向 rope（位置缩放）", "window": "窗口偏置（重采样）", "continuous": "连续窗口偏置",
    "other layout: pairs side by side, not halves": "布局弄错：相邻成对，而非前后两半成对",
    "sines and cosines swapped, which turns the other way": "正弦余弦互换，等于反向旋转",
    "keys one position too early": "键的位置早一位", "base 500000 for 10000": "底数 10000 误作 500000", "every position one too far": "所有位置多一",
    "padding counted": "填充也计入位置", "sines and cosines swapped": "正弦余弦互换", "sines then cosines, not side by side": "先正弦后余弦，而非交错",
    "cache forgotten: queries counted from 0, keys 1000 ahead": "忘了缓存：查询从 0 数起，键在前方 1000 位",
    "columns counted, not pairs": "数列而不数对", "an exponent for each column": "每列各用一个指数", "degrees for radians": "把弧度当成度",
    "base 1000 for 10000": "底数 10000 误作 1000", "sign reversed": "符号弄反", "slopes for twice the distance": "斜率按两倍距离取",
    "bias scaled with the scores": "偏置也被缩放", "buckets of an encoder in a decoder": "解码器用了编码器的分桶",
    "scaling forgotten": "忘了长度缩放", "factor applied twice": "缩放因子用了两次", "rope, linear and tuned": "rope，linear，已微调",
    **{f"rope, {rule} and tuned": f"rope，{rule}，已微调" for rule in ("ntk", "vllm-ntk", "dynamic", "by-parts", "llama3", "yarn")},
    **{f"rope under {rule}": f"rope（{rule}）" for rule in ("ntk", "by-parts", "yarn")},
}  # fmt: skip

RULE_OF = {"scaling forgotten": "yarn", "factor applied twice": "linear"}  # the rule of rope that the page shows

KEYS = {
    "other layout: pairs side by side, not halves": "m_layout",
    "sines and cosines swapped, which turns the other way": "m_sign",
    "keys one position too early": "m_keys",
    "base 500000 for 10000": "m_base",
    "every position one too far": "m_first",
    "padding counted": "m_pad",
    "sines and cosines swapped": "m_swapped",
    "sines then cosines, not side by side": "m_order",
    "cache forgotten: queries counted from 0, keys 1000 ahead": "m_offset",
    "columns counted, not pairs": "m_raw",
    "an exponent for each column": "m_percol",
    "degrees for radians": "m_degrees",
    "base 1000 for 10000": "m_thousand",
    "bias scaled with the scores": "m_unscaled",
    "sign reversed": "m_alibi",
    "slopes for twice the distance": "m_slopes",
    "buckets of an encoder in a decoder": "m_t5",
    "scaling forgotten": "m_scaling",
    "factor applied twice": "m_twice",
}

ABOUT = {
    "en": "Decoders of 4.9 million parameters, trained on Python's own source code with texts of 256 bytes, three seeds; each mistake is made only when "
    "the trained model is evaluated. f32 angles at position 10,000,000, bf16 angles at 100,000; length rules at 4 times the trained length.",
    "zh": "490 万参数的解码器，用 Python 自带源码训练，文本长 256 字节，三个随机种子；训练好之后读取时才犯错。f32 角度在位置 10,000,000，bf16 角度在 100,000；长度规则取训练长度的 4 倍。",
}
