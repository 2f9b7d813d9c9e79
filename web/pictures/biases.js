// biases.js: pictures of what is added to scores.
import * as engine from "../engine.js";
import {digits} from "../html.js";
import {t} from "../i18n.js";
import {evenly, listed, most, range, scheme_words, table, title} from "./rows.js";

export function curves(asked) {
  const positions = asked.positions || "-64:65";
  const {shape: [rows, heads], data} = table(asked, positions), x = listed(positions) ?? range(rows);
  const shown = [...new Set(heads <= 6 ? range(heads) : [0, 1, 2, 3, 4, 5].map((i) => Math.round((i * (heads - 1)) / 5)))];
  return {type: "lines", title: title(asked, t("curves")), x: {label: t("distance")}, y: {label: t("bias")},
    curves: shown.map((head) => ({name: `${t("head")} ${head}`, x, y: x.map((_, i) => data[i * heads + head])}))};
}

// Of windows, whose tokens are counted, all; otherwise as many as were asked for.
export function square(asked) {
  const words = ["table", ...scheme_words(asked)];
  const of = (run) => ({run, ...engine.array(run ? [...words, "--queries", run, "--keys", run] : words)});
  let made;
  try {
    made = of(asked.tokens || "0:64");
  } catch (error) {
    if (asked.tokens) throw error;
    made = of("");
  }
  const {run, shape: [heads, rows, cols], data} = made;
  const head = Math.min(Number(asked.head ?? 0), heads - 1), values = data.slice(head * rows * cols, (head + 1) * rows * cols);
  const high = most(values) || 1, at = run ? listed(run) : null, place = evenly(at) ?? ((i) => i);
  return {type: "heat", square: true, title: title(asked, t("square")), rows, cols, values, low: -high, high,
    x: {label: t("key"), at: evenly(at)}, y: {label: t("query"), at: evenly(at)}, heads,
    tell: (r, c, text) => `${t("query")} ${digits(place(r))}, ${t("key")} ${digits(place(c))}: ${t("bias")} ${text}`};
}

// Which row of its learned table a distance reads: the tool is given a table whose rows are their own numbers.
export function buckets(asked, info) {
  const positions = asked.positions || "-160:161", x = listed(positions);
  const [rows, heads] = info.learned[0].shape;
  engine.write_file("/rows.npy", engine.to_npy([rows, heads], range(rows * heads).map((i) => Math.floor(i / heads))));
  const {data, shape} = engine.array(["table", ...scheme_words(asked), "--positions", positions, "--weights", "/rows.npy"]);
  return {type: "lines", dots: x.length <= 400, title: title(asked, t("buckets")), x: {label: t("distance")},
    y: {label: t("bucket"), low: 0}, curves: [{name: "", x, y: x.map((_, i) => data[i * shape[1]])}]};
}
