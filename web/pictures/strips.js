// strips.js: what `posenc positions ... --json` says, as a picture.
import * as engine from "../engine.js";
import {t} from "../i18n.js";

// What a run of tokens is called, "text" or "chunk 2", and an axis.
const word = (name, text) => (t(text) === text ? name : t(text));
const kind_name = (kind) => kind.split(" ").map((name) => word(name, "part_" + name)).join(" ");
const axis_name = (name) => (["position", "row", "column"].includes(name) ? t(name) : name);

export function strip_of(words) {
  const told = engine.json(["positions", ...words]);
  const parts = (row) => told.parts?.[row]?.flatMap(({name, tokens}) => Array(tokens).fill(name));
  return {type: "strip", title: `${t("positions")}: ${words.join(" ")}`, axis_names: told.axes.map(axis_name), kind_name, told,
    rows: told.positions[0].map((_, r) => ({name: told.positions[0].length > 1 ? `${t("row")} ${r}` : "", kinds: parts(r),
      axes: told.positions.map((axis) => axis[r])}))};
}
