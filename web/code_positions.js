// code_positions.js: the positions of a strip outside of the page: a command line, Python and C++.
import {shell} from "./code.js";

const list = (text) => `[${text.split(",").join(", ")}]`;
const braces = (text) => `{${text.split(",").join(", ")}}`;
const sums = (lengths) => lengths.split(",").reduce((all, n) => [...all, all.at(-1) + Number(n)], [0]).join(",");
const mask_rows = (mask) => mask.split(",").map((row) => [...row].join(","));

// "text:3,image:1x4x6" as Python's text(3), image(4, 6), and as C++ has it.
function parts(text, one) {
  return text.split(",").map((part) => {
    const [kind, size] = part.split(":"), sides = size.split("x").map(Number);
    return one(kind, kind === "image" ? sides.slice(-2) : sides);
  }).join(", ");
}

const vector = (name, text) => `const std::vector<int64_t> ${name}${braces(text)};\n`;
const tensor = (name, ...shape) => `posenc::tensor(${name}.data(), {${shape.join(", ")}})`;

// Of each kind: [Python, C++, what C++ needs before that].
const makers = {
  range: (o) => [`per_row([${o.start ?? 0}], ${o.tokens})`, `range(${o.start ?? 0}, ${o.tokens})`],
  offsets: (o) => [`per_row(${list(o.starts)}, ${o.tokens})`, `per_row(${tensor("starts", o.starts.split(",").length)}, ${o.tokens})`, vector("starts", o.starts)],
  cache: (o) => [`after_cache(${list(o.past)}, ${o.tokens})`, `after_cache(${tensor("past", o.past.split(",").length)}, ${o.tokens})`, vector("past", o.past)],
  padding: (o) => {
    const rows = mask_rows(o.mask), rule = o.pad_rule ?? "transformers";
    return [`padded([${rows.map(list).join(", ")}], "${rule}")`,
      `padded(${tensor("mask", rows.length, rows[0].split(",").length)})`, vector("mask", rows.join(","))];
  },
  packed: (o) => [`packed(${list(sums(o.lengths))})`, `packed(${tensor("cu_seqlens", o.lengths.split(",").length + 1)})`, vector("cu_seqlens", sums(o.lengths))],
  shard: (o) => [`shard(${o.tokens}, ranks=${o.ranks ?? 2}, rank=${o.rank ?? 0}, order="${o.slices ?? "zigzag"}")`,
    `take(posenc::range(0, ${o.tokens}), posenc::shard_tokens(${o.tokens}, {.ranks = ${o.ranks ?? 2}, .rank = ${o.rank ?? 0}}))`],
  grid: (o) => [`grid(${o.size.split("x").join(", ")})`, `grid({.height = ${o.size.split("x")[0]}, .width = ${o.size.split("x")[1]}})`],
  segments: (o) => [`segments([${parts(o.segments, (kind, sides) => `${kind}(${sides.join(", ")})`)}], "${o.model ?? "tokens"}")`,
    "segments(list, rule)", `const std::vector<posenc::Segment> list{${parts(o.segments, (kind, sides) => `posenc::Segment::${kind}(${sides.join(", ")})`)}};\n` +
      "const posenc::SegmentRule rule{.spatial_merge = 2};  // SegmentRule::presets() has those of models\n"],
};

// words: those behind `posenc positions`. Options that only the command line knows leave the command line alone.
export function positions_code(words) {
  const command = {shell: shell(["positions", ...words])}, given = {};
  for (let i = 1; i < words.length; i += 2) given[words[i].replace(/^--/, "")] = words[i + 1];
  try {
    const [python, cpp, before = ""] = makers[words[0]](given);
    const names = words[0] === "segments" ? "from posenc.positions import audio, image, text, video\n" : "";
    return {...command, cpp: `#include <posenc/posenc.h>\n\n${before}const auto at = posenc::${cpp};\n`,
      python: `import posenc\n${names}\nat = posenc.positions.${python}\n`};
  } catch {
    return command;
  }
}
