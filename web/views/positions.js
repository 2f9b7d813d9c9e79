// positions.js: where tokens stand, as strips.
import {choice, entry} from "../controls.js";
import {positions_code} from "../code_positions.js";
import {draw} from "../draw/draw.js";
import * as engine from "../engine.js";
import {give_bar} from "../give.js";
import {clear, h} from "../html.js";
import {t} from "../i18n.js";
import {strip_of} from "../pictures/strips.js";
import {keep_address} from "../state.js";
import {split} from "./console.js";

// The kinds of `posenc positions`, each with options to begin with.
const kinds = {
  range: "--start 5 --tokens 8",
  offsets: "--starts 0,5 --tokens 6",
  cache: "--past 3,7 --tokens 4",
  padding: "--mask 00111,11100 --pad_rule transformers",
  packed: "--lengths 3,2,4",
  shard: "--tokens 16 --ranks 2 --slices zigzag",
  grid: "--size 3x4",
  segments: "--segments text:3,image:1x4x6,text:4 --model qwen2-vl",
};

export function positions(root, state) {
  state.kind = kinds[state.kind] ? state.kind : "segments";
  state.words ??= kinds[state.kind];
  const picture = h("div", {class: "picture"}), bar = give_bar();
  const show = () => {
    keep_address(state);
    const words = [state.kind, ...split(state.words)];
    try {
      const spec = strip_of(words), box = h("div");
      clear(picture, box);
      const chart = draw(box, spec);
      if (spec.told.rope_delta !== undefined) picture.append(h("p", {class: "told"}, t("delta", spec.told.rope_delta)));
      bar.show({chart, spec, code: () => positions_code(words)});
    } catch (error) {
      clear(picture, h("p", {class: "error", role: "alert"}, error.message));
      bar.show(null);
    }
  };
  clear(root, h("h1", {}, t("positions")), h("p", {}, t("positions_about")),
    h("form", {class: "controls wide", onsubmit: (event) => event.preventDefault()},
      choice(t("kind"), Object.keys(kinds), state.kind, (kind) => positions(root, {...state, kind, words: kinds[kind]})),
      entry(t("options"), state.words, (words) => {
        state.words = words;
        show();
      }), all_options()), picture, bar.element);
  show();
}

// What the tool says of its options, once someone opens it.
function all_options() {
  const text = h("pre", {tabindex: 0, "aria-label": t("more")});
  return h("details", {ontoggle: () => { text.textContent ||= engine.text(["positions", "--help"]); }}, h("summary", {}, t("more")), text);
}
