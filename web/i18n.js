// i18n.js: all text of the page, in both languages. Of what the tool says itself, schemes and properties are told in Chinese
// too (tool_zh.js); help, notes and errors are English.
import {keep, kept} from "./kept.js";
import {abouts, claims} from "./tool_zh.js";

const texts = {
  en: {
    language: "中文", loading: "Loading the library…", skip: "Skip to content", theme: "Theme", theme_system: "System", theme_light: "Light", theme_dark: "Dark",
    nav: "Views", encodings: "Encodings", positions: "Positions", models: "Models", course: "Course", mistakes: "Break it", console: "Console",
    footer: "posenc, compiled to WebAssembly: every number on this page comes from the library itself. Nothing leaves your machine.",
    // encodings
    stop: ".", scheme: "Scheme", preset: "Preset", none: "none", picture: "Picture", options: "Options", positions_of: "Positions",
    distances: "Distances", tokens: "Tokens", head: "Head", used_by: "Used by", learned: "Learned", start_values: "Weights have the values training starts from.",
    compare: "Over each other", compare_help: "between ';' what differs: 'none; linear factor=4; yarn factor=4'",
    more: "All options", at_q: "Query at", at_k: "Key at", length: "Text of", patch: "Patch (row, column)", grid: "Grid (height x width)",
    absolute: "added to the input", rotary: "turns queries and keys", relative: "added to the scores", content: "added to the scores, reads queries and keys", convolution: "a convolution of the input", graph: "nodes of a graph",
    heatmap: "Heat map", waves: "Waves", similarity: "Similarity", wavelengths: "Wavelengths", decay: "Decay", circles: "Circles",
    rules: "Length rules", curves: "Curves", square: "Square", buckets: "Buckets", patches: "Patches",
    position: "position", column: "column", value: "value", pair: "pair", distance: "distance", query: "query", key: "key", bucket: "bucket",
    wavelength: "positions per turn", of_unscaled: "of the unscaled frequency", score: "score", product: "cosine similarity", bias: "bias", row: "row",
    never_each: (length) => `Pairs that never complete a turn in ${length} tokens: `,
    never: (count, length) => `${count} pairs never complete a turn in ${length} tokens`,
    text_length: (length) => `text of ${length}`,
    link: "Copy link", copied: "copied", png: "PNG", svg: "SVG", csv: "CSV", txt: "Text file", copy_command: "Copy command", code: "Code", shell: "Command line", cpp: "C++", python: "Python", give: "Take it with you",
    numbers: "Numbers",
    made_up_values: "Queries, keys, gates and weights are made-up numbers, the same every time.",
    square_of_term: "Term", row_of_term: "One query", cells_of_term: "One patch", kernel: "Kernel", tokens_convolved: "What it adds", ends: "Tokens all alike",
    column_shown: "Column", network: "Graph", nodes: "Nodes", term: "term", masked: "after the query", words: "Words", words_help: "words of a text; equal words have equal queries and keys", "made up": "made up",
    causal: "Causal", causal_help: "whether keys after the query are masked", yes: "yes", no: "no",
    tokens_on: "tokens further on", rows_on: "rows further on", columns_on: "columns further on",
    ends_about: "All tokens are the same; only near the ends, where the kernel reaches beyond the text, does one differ from another.",
    graph_name: "Graph of", graph_help: "path:9, cycle:9, star:9, complete:9 or grid:4x6",
    // positions
    positions_about: "Where tokens stand. Packed texts, padding, caches, images and videos: each line is an axis, each cell a token.",
    part_text: "text", part_image: "image", part_video: "video", part_audio: "audio", part_padding: "padding", part_token: "token",
    part_new: "new", part_sequence: "sequence", part_chunk: "chunk", part_patch: "patch",
    kind: "Kind", command: "Command", run: "Run", axis: "axis", delta: (d) => `rope_delta ${String(d).replace("-", "−")}: while decoding, token i stands at i ${d < 0 ? "−" : "+"} ${Math.abs(d)}`,
    // models
    models_about: "Drop a config.json, a .safetensors or .gguf file, or an .npy table. It is read here, in the page; of large files only the header.",
    drop: "Drop a file here, or choose one", choose: "Choose files", sample: "Or look at", pasted: "Or paste a config.json", explain: "Explain",
    components: "What it has", notes: "Notes", no_notes: "Nothing to watch for.", trap: "trap", conflict: "conflict", ignored: "ignored", assumed: "assumed",
    differences: "Differences between the two", identified: "What made this table", layers: "layers", decided: "decided by",
    phase: "Phase error: the usual f32 and bf16 code beside the true value",
    phase_about: "Largest error of a cosine or sine at positions around 10³ … 10⁷. The usual code multiplies an f32 position by an f32 frequency; bf16 positions count exactly only to 256.",
    phase_f32: "f32 code", phase_bf16: "positions in bf16", phase_exact: "posenc, f32", error: "error", phase_true: "true value", phase_worst: "The number that f32 code gets most wrong, beside its true value",
    kept_elsewhere: "This link is of files that are kept in the browser in which they were dropped. Drop them here to see the same.", part: "part",
    layouts: "Half against interleaved, on the same weights",
    layouts_about: "The score of a query and a key by their distance, when the model was made for one layout and runs in the other. Nothing fails; the numbers are only wrong.",
    layout_right: "as trained", layout_wrong: "other layout",
    mrope: "M-RoPE positions of a text with an image", mrope_about: "By the model's own rule. Sizes of images are in patches, frames x height x width; after an image, counting goes on behind its largest side; the difference to the token's number is rope_delta, and decoding needs it.",
    mrope_chunk: "Chunked prefill that counts the second chunk from its token number instead",
    moved: "A cached key, moved",
    moved_about: (from, to, error) => `Turned at ${from}, then turned further by the difference: it is the key turned at ${to}, to within ${error}. No projection runs again.`,
    // console
    console_about: "The command line itself, without installing it. posenc list, posenc check rope --preset gpt-oss, posenc table alibi --heads 4 --positions -4:5",
    // mistakes
    mistakes_about: "Switch on classic mistakes, one or several at once, and see what they make of similarity and scores. posenc identify recognises those that are in a table.",
    mistake: "Mistake", which: "Mistakes", right: "Right", wrong: "With the mistakes", similarity_effect: "What a model was trained with, beside what it is given",
    score_effect: "Score of a query and a key by their distance", head_effect: "Score of a head that was trained to look three tokens back", bias_effect: "Bias by distance", attention_effect: "Attention by distance, where contents are alike",
    as_trained: "as trained, position", as_given: "as given, position", attention: "attention", no_mistake: "Nothing is wrong yet.", together: "Each was measured alone.",
    identify_says: "posenc identify says",
    m_raw: "columns counted instead of pairs (10000^(2i/d) with i the column)", m_percol: "own exponent for every column", m_degrees: "degrees for radians",
    m_base: "base 500000 instead of 10000", m_layout: "the other rotary layout", m_scaling: "length rule forgotten", m_offset: "cache forgotten: every step counts from 0",
    m_f32: "positions and frequencies in f32, far into the text", m_alibi: "ALiBi with its sign turned",
    without_positions: "without positions", with_positions: "with positions", word: "Word", embedding: "word vectors", input: "input",
    property: "Property", verdict: "Verdict", evidence: "Measured here", holds: "holds", fails: "fails", what: "What it is", model: "Model", node: "node",
    columns: "Columns", k: "k", solid: "solid", dashed: "dashed",
    figure_1: "A word's vector plus the row of its position is what the model reads", figure_2: "Attention of the words to each other, without and with positions",
    figure_3: "Sines of different speeds", figure_4: "The formula, column by column", figure_5: "Near positions are alike; only the distance counts",
    figure_6: "Pairs at position 5 and at 5 + k: each turns by k times its frequency", figure_7: "What length rules do to each pair", figure_8: "One patch of an image beside all others",
    figure_9: "Whisper's encoder: half sines, half cosines", figure_10: "Words and an image on three axes", figure_relative: "ALiBi: a slope for each head, and the square it adds",
    figure_learned: "A learned table before training: random numbers", figure_rotary: "Score by distance, for two bases", figure_wavelengths: "How many positions a pair needs for a turn", figure_network: "A grid, coloured by the first eigenvector of its Laplacian that tells nodes apart", figure_convolution: "What a convolution adds where all tokens are alike: the ends tell", figure_graph: "Distances between the nodes of a grid",
    table_1: "What the encoding is like", table_2: "How far a word's output differs between the two orders", table_3: "The formula in numbers, width 4", table_4: "What the parameters do, width 64",
    table_5: "Absolute encodings and who uses them", table_6: "M_k, the matrix that moves by k", table_7: "What it is good at", table_8: "What it is not good at",
    table_9: "Language models", table_10: "Encodings of images", table_11: "Encodings of sound", table_12: "Two words, an image of 2 x 2 tokens, two words",
    trained: "Trained on texts of", no_turn: (length) => `never complete a turn in ${length}`,
    directions: "Directions", lint: (findings, traps) => `posenc lint: ${findings} findings, ${traps} traps`,
    moved_to: "Moved to", segments: "Text and images", explained: (names) => `Explained: ${names}`, no_rule: (family) => `posenc knows no rule by which ${family} counts the tokens of images.`, chunk: "First chunk holds", decoded: "new",
    bits: (unit) => `What it costs a model, in ${unit}`, m_thousand: "base 1000 instead of 10000",
    m_swapped: "sines and cosines swapped", m_order: "sines then cosines, not side by side",
    m_first: "every position one too far", m_pad: "padding counted as tokens", m_sign: "rotated the other way",
    m_keys: "keys one position too early", m_twice: "length rule applied twice",
    m_bf16: "positions in bf16, far into the text", m_slopes: "ALiBi with slopes for twice the distance",
    m_unscaled: "ALiBi added before the division by √d", m_t5: "T5: buckets of an encoder in a decoder",
    m_none: "no positions at all",
    previous: "Back", next: "Next", figure: "Figure", table: "Table", step: (i, n) => `${i} of ${n}`, contents: "Contents",
  },
  zh: {
    language: "English", loading: "正在载入库……", skip: "跳到内容", theme: "外观", theme_system: "跟随系统", theme_light: "浅色", theme_dark: "深色",
    nav: "视图", encodings: "编码", positions: "位置", models: "模型", course: "课程", mistakes: "弄坏它", console: "命令行",
    footer: "posenc 编译为 WebAssembly：本页每个数字都由库本身算出，任何内容都不会离开你的电脑。",
    stop: "。", scheme: "方案", preset: "预设", none: "无", picture: "图", options: "选项", positions_of: "位置",
    distances: "距离", tokens: "词元", head: "头", used_by: "使用者", learned: "可学习", start_values: "权重取训练开始时的初值。",
    compare: "叠加比较", compare_help: "用 ';' 分隔不同之处：'none; linear factor=4; yarn factor=4'",
    more: "全部选项", at_q: "查询位置", at_k: "键位置", length: "文本长度", patch: "图块（行, 列）", grid: "网格（高 x 宽）",
    absolute: "加到输入上", rotary: "旋转查询与键", relative: "加到分数上", content: "加到分数上，依赖查询与键", convolution: "对输入做卷积", graph: "图的节点",
    heatmap: "热图", waves: "波形", similarity: "相似度", wavelengths: "波长", decay: "衰减", circles: "圆",
    rules: "长度规则", curves: "曲线", square: "方阵", buckets: "分桶", patches: "图块",
    position: "位置", column: "列", value: "值", pair: "对", distance: "距离", query: "查询", key: "键", bucket: "桶",
    wavelength: "转一圈所需位置数", of_unscaled: "与未缩放频率之比", score: "分数", product: "余弦相似度", bias: "偏置", row: "行",
    never_each: (length) => `在 ${length} 个词元内从未转满一圈的对数：`,
    never: (count, length) => `在 ${length} 个词元内有 ${count} 对从未转满一圈`,
    text_length: (length) => `文本长 ${length}`,
    link: "复制链接", copied: "已复制", png: "PNG", svg: "SVG", csv: "CSV", txt: "文本文件", copy_command: "复制命令", code: "代码", shell: "命令行", cpp: "C++", python: "Python", give: "带走",
    numbers: "数字",
    made_up_values: "查询、键、门与权重都是编造的数，每次相同。",
    square_of_term: "加项", row_of_term: "一个查询", cells_of_term: "一个图块", kernel: "卷积核", tokens_convolved: "它加上什么", ends: "词元全都相同",
    column_shown: "列", network: "图", nodes: "节点", term: "加项", masked: "在查询之后", words: "词", words_help: "一段文字的词，用空格分开；相同的词有相同的查询与键", "made up": "编造的",
    causal: "因果", causal_help: "是否屏蔽查询之后的键", yes: "是", no: "否",
    tokens_on: "往后几个词元", rows_on: "往下几行", columns_on: "往右几列",
    ends_about: "所有词元都相同；只有在两端，卷积核伸到文本之外的地方，词元之间才有差别。",
    graph_name: "图的种类", graph_help: "path:9、cycle:9、star:9、complete:9 或 grid:4x6",
    positions_about: "词元站在哪里。拼接的文本、填充、缓存、图像与视频：每行一个轴，每格一个词元。",
    part_text: "文字", part_image: "图像", part_video: "视频", part_audio: "声音", part_padding: "填充", part_token: "词元",
    part_new: "新", part_sequence: "序列", part_chunk: "块", part_patch: "图块",
    kind: "种类", command: "命令", run: "运行", axis: "轴", delta: (d) => `rope_delta ${String(d).replace("-", "−")}：解码时第 i 个词元的位置是 i ${d < 0 ? "−" : "+"} ${Math.abs(d)}`,
    models_about: "拖入 config.json、.safetensors 或 .gguf 文件，或一张 .npy 表。文件只在本页读取；大文件只读文件头。",
    drop: "把文件拖到这里，或选择文件", choose: "选择文件", sample: "或看一个例子", pasted: "或粘贴 config.json", explain: "解释",
    components: "它有什么", notes: "提示", no_notes: "没有需要注意的。", trap: "陷阱", conflict: "矛盾", ignored: "被忽略", assumed: "假定",
    differences: "两者的差别", identified: "这张表由什么生成", layers: "层", decided: "依据",
    phase: "相位误差：常见的 f32 与 bf16 代码与真值之差",
    phase_about: "位置 10³ … 10⁷ 附近余弦或正弦的最大误差。常见代码把 f32 位置乘以 f32 频率；bf16 的位置只能精确数到 256。",
    phase_f32: "f32 代码", phase_bf16: "bf16 位置", phase_exact: "posenc，f32", error: "误差", phase_true: "真值", phase_worst: "f32 代码错得最多的那个数，与真值并列",
    kept_elsewhere: "这个链接的文件保存在当时拖入它们的浏览器里。把文件拖到这里即可看到同样的内容。", part: "部分",
    layouts: "同一组权重：half 与 interleaved",
    layouts_about: "模型按一种排列训练、却按另一种排列运行时，查询与键的分数随距离的变化。不会报错，只是数字错了。",
    layout_right: "与训练一致", layout_wrong: "另一种排列",
    mrope: "图文混排时的 M-RoPE 位置", mrope_about: "按模型自己的规则。图像大小以图块计：帧 x 高 x 宽。图像之后，计数从它最长的边之后继续；与词元序号之差就是 rope_delta，解码时必须带上。",
    mrope_chunk: "分块预填充时，第二块若按词元序号计数则会变成",
    moved: "移动缓存里的键",
    moved_about: (from, to, error) => `先按位置 ${from} 旋转，再继续转过差值，就得到按位置 ${to} 旋转的键，误差不超过 ${error}，无需重新投影。`,
    console_about: "命令行本身，无需安装。posenc list，posenc check rope --preset gpt-oss，posenc table alibi --heads 4 --positions -4:5",
    mistakes_about: "打开一个或几个典型错误，看它们把相似度与分数变成什么样。错误若在表里，posenc identify 能认出来。",
    mistake: "错误", which: "错误", right: "正确", wrong: "带错误", similarity_effect: "训练时的编码与实际给出的编码有多相似",
    score_effect: "查询与键的分数随距离的变化", head_effect: "训练成往回看三个词元的头，分数随距离的变化", bias_effect: "偏置随距离的变化", attention_effect: "内容相同时，注意力随距离的变化",
    as_trained: "训练时的位置", as_given: "给出的位置", attention: "注意力", no_mistake: "还没有错误。", together: "每个错误都是单独测量的。",
    identify_says: "posenc identify 的判断",
    m_raw: "数列而不数对（10000^(2i/d) 中 i 取列号）", m_percol: "每列各用一个指数", m_degrees: "把弧度当成度",
    m_base: "底数用 500000 而不是 10000", m_layout: "旋转排列弄反", m_scaling: "忘了长度规则", m_offset: "忘了缓存：每一步都从 0 数起",
    m_f32: "在长文本深处用 f32 计算位置与频率", m_alibi: "ALiBi 符号弄反",
    without_positions: "无位置", with_positions: "有位置", word: "词", embedding: "词向量", input: "输入",
    property: "性质", verdict: "结论", evidence: "此处实测", holds: "成立", fails: "不成立", what: "是什么", model: "模型", node: "节点",
    columns: "列数", k: "k", solid: "实线", dashed: "虚线",
    figure_1: "词向量加上所在位置的一行，就是模型读到的输入", figure_2: "词与词之间的注意力：无位置与有位置",
    figure_3: "快慢不同的正弦", figure_4: "逐列写出公式", figure_5: "相近的位置相似，只看距离",
    figure_6: "位置 5 与 5 + k 的各对：每对转过 k 倍频率", figure_7: "长度规则对每一对做了什么", figure_8: "一个图块与其余图块",
    figure_9: "Whisper 的编码器：一半正弦，一半余弦", figure_10: "文字与图像在三个轴上", figure_relative: "ALiBi：每个头一个斜率，以及加上的方阵",
    figure_learned: "训练前的可学习表：随机数", figure_rotary: "两种底数下分数随距离的变化", figure_wavelengths: "一对转一圈需要多少位置", figure_network: "网格图，颜色是拉普拉斯矩阵第一个能区分节点的特征向量", figure_convolution: "词元全都相同时卷积加上的数：只有两端不同", figure_graph: "网格图上节点之间的距离",
    table_1: "位置编码的基本特点", table_2: "两种语序下同一个词的输出相差多少", table_3: "公式的数值，宽度 4", table_4: "参数的作用，宽度 64",
    table_5: "绝对位置编码与使用者", table_6: "M_k：移动 k 的矩阵", table_7: "优点", table_8: "缺点",
    table_9: "语言模型", table_10: "图像中的编码", table_11: "语音中的编码", table_12: "两个词、2 x 2 个词元的图像、两个词",
    trained: "训练文本长度", no_turn: (length) => `在 ${length} 内从未转满一圈`, directions: "方向",
    lint: (findings, traps) => `posenc lint：${findings} 个问题，${traps} 个陷阱`, moved_to: "移动到", segments: "文字与图像", explained: (names) => `已解释：${names}`, no_rule: (family) => `posenc 不知道 ${family} 如何给图像词元计数。`, chunk: "第一块的词元数",
    decoded: "新", bits: (unit) => `它让模型付出的代价（${unit === "bits per byte" ? "每字节比特数" : unit}）`,
    m_thousand: "底数用 1000 而不是 10000", m_swapped: "正弦与余弦对调", m_order: "先全部正弦再全部余弦，而不是交替", m_first: "每个位置都多数了一",
    m_pad: "把填充也当作词元计数", m_sign: "旋转方向弄反", m_keys: "键的位置早了一位", m_twice: "长度规则用了两次", m_bf16: "在长文本深处用 bf16 表示位置",
    m_slopes: "ALiBi 的斜率按两倍距离取", m_unscaled: "ALiBi 在除以 √d 之前加上", m_t5: "T5：解码器用了编码器的分桶", m_none: "完全没有位置",
    previous: "上一步", next: "下一步", figure: "图", table: "表", step: (i, n) => `第 ${i} 步，共 ${n} 步`, contents: "目录",
  },
};

// The steps of the course.
const course_steps = {
  en: [
    {title: "Why order is lost", text: ["“我喜欢吃苹果” (I like eating apples) and “苹果喜欢吃我” (apples like eating me) have the same words. Attention compares every word with every other and adds up: nothing in that depends on where a word stands.",
      "So without positions each word becomes exactly the same in both sentences. Add a row of numbers for each place and the difference appears."]},
    {title: "The formula, built up", text: ["Column 2i holds sin(p / 10000^(2i/d)), column 2i + 1 the cosine of the same angle. The first columns turn fast, the last hardly at all.",
      "Drag to add columns one by one: fast stripes first, then slower and slower ones, like the digits of a number."]},
    {title: "What it is like", text: ["The claims people make of this encoding can be checked on numbers. The library does so here, in your browser."]},
    {title: "M_k: moving is turning", text: ["A pair (sin, cos) is the hand of a clock. Moving by k positions turns it by k times its frequency, whatever the position was: PE(p + k) = M_k PE(p). That is why a model can learn to look k words back.",
      "Because of this the product of two rows depends on their distance alone."]},
    {title: "Absolute and learned", text: ["Sinusoids are fixed. A learned table has a row for each position that training adjusts; before training it is noise, and beyond its last row there is nothing."]},
    {title: "Relative: a bias by distance", text: ["Instead of marking the input, add a number to each score that depends on how far apart query and key are. ALiBi subtracts a slope times the distance, each head with a slope of its own."]},
    {title: "Rotary: queries and keys turn", text: ["RoPE turns pairs of features of queries and keys by their positions. Their product then depends on the distance alone, and falls with it."]},
    {title: "Long texts", text: ["A pair whose wavelength is longer than the texts of training never made a full turn. In a longer text it reaches angles the model has not seen. Length rules slow such pairs down."]},
    {title: "Language", text: ["What models say in their config.json, explained."]},
    {title: "Vision", text: ["Patches of an image have a row and a column. Half of the features encode one, half the other, so likeness spreads along both directions, also where height and width differ."]},
    {title: "Speech", text: ["Frames of sound are counted like words; encoders of speech use sinusoids, convolutions and relative terms."]},
    {title: "Across modalities", text: ["A text with an image: words stand at one number on all axes, the image spreads over two. After it counting goes on behind its largest side, so a token's number and its position differ: rope_delta."]},
    {title: "Graphs", text: ["Nodes of a graph have no order at all. Distances, random walks and eigenvectors take the place of positions."]},
  ],
  zh: [
    {title: "为什么会丢失顺序", text: ["“我喜欢吃苹果”与“苹果喜欢吃我”用词完全相同。注意力让每个词与其他词比较再求和，其中没有任何东西取决于词的位置。",
      "所以没有位置信息时，每个词在两句话里的结果完全一样。给每个位置加上一行数字，差别就出现了。"]},
    {title: "一步步写出公式", text: ["第 2i 列是 sin(p / 10000^(2i/d))，第 2i + 1 列是同一角度的余弦。前面的列转得快，后面的几乎不动。",
      "拖动滑块逐列添加：先是快的条纹，然后越来越慢，就像数字的各个位。"]},
    {title: "它有什么性质", text: ["人们对这种编码的说法都可以用数字检验。库就在你的浏览器里检验。"]},
    {title: "M_k：移动就是旋转", text: ["一对 (sin, cos) 像钟表的指针。移动 k 个位置，就转过 k 倍频率，与原来的位置无关：PE(p + k) = M_k PE(p)。所以模型能学会“往前看 k 个词”。",
      "也因此，两行的内积只取决于它们的距离。"]},
    {title: "绝对与可学习", text: ["正弦编码是固定的。可学习的表每个位置一行，由训练调整；训练前只是噪声，最后一行之后什么也没有。"]},
    {title: "相对：按距离加偏置", text: ["不给输入做标记，而是给每个分数加上一个只取决于查询与键距离的数。ALiBi 减去斜率乘距离，每个头有自己的斜率。"]},
    {title: "旋转：查询与键一起转", text: ["RoPE 按位置旋转查询与键的特征对。它们的内积只取决于距离，并随距离下降。"]},
    {title: "长文本", text: ["波长比训练文本还长的对，从未转满一圈。在更长的文本里它会到达模型没见过的角度。长度规则让这些对慢下来。"]},
    {title: "语言", text: ["模型的 config.json 里写了什么，这里解释出来。"]},
    {title: "视觉", text: ["图块有行有列。一半特征编码行，一半编码列，所以相似度沿两个方向延伸，高宽不等时也一样。"]},
    {title: "语音", text: ["声音的帧像词一样计数；语音编码器使用正弦、卷积与相对项。"]},
    {title: "跨模态", text: ["文字中夹着图像：文字在所有轴上是同一个数，图像铺开在两个轴上。之后从它最长的边之后继续数，所以词元的序号与位置不同：rope_delta。"]},
    {title: "图", text: ["图的节点没有顺序。距离、随机游走与特征向量代替了位置。"]},
  ],
};

export const steps = () => course_steps[chosen];

let chosen = kept("language") ?? (navigator.language?.startsWith("zh") ? "zh" : "en");

export const language = () => chosen;

export function choose_language(name) {
  chosen = texts[name] ? name : "en";
  document.documentElement.lang = chosen === "zh" ? "zh-Hans" : "en";
  keep("language", chosen);
}

// A text given in several languages, {en, zh}, or a plain one.
export function in_language(text) {
  return typeof text === "object" ? text?.[chosen] ?? text?.en ?? "" : text ?? "";
}

// What the tool says of a scheme, and of a property that it checks.
export const about_of = (scheme) => (chosen === "zh" && abouts[scheme.name]) || scheme.about;
export const claim_of = (property) => (chosen === "zh" && claims[property.name]) || property.claim;

// The text of that name; with arguments where it takes some.
export function t(name, ...values) {
  const text = texts[chosen][name] ?? texts.en[name] ?? name;
  return typeof text === "function" ? text(...values) : text;
}
