// tool_zh.js: what the tool says of schemes and of their properties, in Chinese.

export const abouts = {
  sinusoidal: "位置的固定正弦与余弦", "grid-sinusoidal": "网格每个轴的固定正弦与余弦", learned: "训练得到的表，每个位置一行",
  "learned-grid": "训练得到的网格表，可在行间插值", axial: "每个轴一张训练得到的表，拼接或相加", nerf: "坐标的傅里叶特征，频率逐个加倍",
  perceiver: "傅里叶特征，频率直到网格的奈奎斯特频率", gaussian: "随机（或训练得到的）频率的傅里叶特征", time2vec: "时间的可学习频率与相位，外加一个趋势项",
  temporal: "时间戳的固定余弦", rope: "按位置的角度旋转查询与键", alibi: "分数随距离下降，每个头有自己的斜率", t5: "每个距离桶一个可学习偏置",
  clipped: "每个距离一个可学习偏置，直到最远距离", kerple: "分数按可学习的距离核下降", proximal: "分数随距离的对数下降", sandwich: "分数像正弦编码的内积那样下降",
  dynamic: "以距离为输入的可学习网络", fire: "以距离与位置之比为输入的可学习网络", window: "窗口内每个偏移一个可学习偏置", continuous: "以窗口内偏移为输入的可学习网络",
  tupe: "投影后位置的内积，与内容分开", layout: "按文本距离与版面距离分桶的可学习偏置", "segment-buckets": "每个距离桶与每对片段一个可学习偏置",
  "box-relation": "两个方框之间关系的可学习映射", shaw: "每个距离一个可学习向量，与查询相乘", "music-transformer": "每个向后的距离一个可学习向量",
  "transformer-xl": "距离的正弦编码经投影后与查询相乘", segments: "同一片段与不同片段各一个可学习向量", deberta: "距离的嵌入经投影后与查询和键相乘",
  cope: "位置是门控放行的键的个数", forgetting: "分数按查询与键之间的遗忘门下降", decomposed: "行偏移与列偏移的可学习向量，与查询相乘",
  "gated-t5": "每个桶一个偏置，再乘以每个查询的门", "forgetting-rows": "分数按每个查询自己的门下降", "kerple-weight": "分数乘以可学习的距离核",
  convolution: "输入与其邻居的卷积", laplacian: "图拉普拉斯矩阵的特征向量", "random-walk": "随机游走 t 步后回到原点的概率",
  "shortest-paths": "到所有节点或若干锚点的距离", degrees: "节点的边数，用来查可学习的一行",
};

export const claims = {
  "unique-rows": "任何两个位置的行都不相同", "bounded-values": "没有值超出 [-scale, scale]", "periodic-pairs": "每一列过一个波长就重复",
  "aperiodic-rows": "整行不会重复", "fastest-first": "第 0 列转得最快，最后一列最慢", "product-by-offset": "PE(p) · PE(q) 只取决于 q − p",
  "offset-readable": "两行相差多少，可以从它们的内积读出", "shift-matrix": "一个矩阵 M_k 把每一行移动 k：PE(p + k) = M_k PE(p)",
  "constant-norm": "所有行的长度相等", "full-turns": "每一对都在文本内转满一圈", "all-factors-applied": "没有留给调用者去乘的因子",
  "layouts-agree": "特征换成另一种排列后，分数不变",
};
