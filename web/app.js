// app.js: which view is shown, in which language.
import * as engine from "./engine.js";
import {clear, h} from "./html.js";
import {choose_language, language, t} from "./i18n.js";
import {read_address} from "./state.js";
import {choose_theme, theme, themes} from "./theme.js";
import {console_view} from "./views/console.js";
import {course} from "./views/course.js";
import {encodings} from "./views/encodings.js";
import {mistakes} from "./views/mistakes.js";
import {models} from "./views/models.js";
import {positions} from "./views/positions.js";

const views = {encodings, positions, models, course, mistakes, console: console_view};
const by_id = (id) => document.getElementById(id);
let ready = false;

function show_frame(state) {
  document.title = `${t(state.view)} · posenc`;
  clear(by_id("nav"), Object.keys(views).map((name) =>
    h("a", {href: "#/" + name, "aria-current": name === state.view ? "page" : undefined}, t(name))));
  by_id("nav").setAttribute("aria-label", t("nav"));
  by_id("language").textContent = t("language");
  by_id("theme").ariaLabel = t("theme");
  clear(by_id("theme"), themes.map((name) => h("option", {value: name, selected: name === theme()}, t("theme_" + name))));
  by_id("skip").textContent = t("skip");
  by_id("footer").textContent = t("footer");
}

function show() {
  const state = read_address();
  if (!views[state.view]) state.view = "encodings";
  show_frame(state);
  if (!ready) by_id("loading").textContent = t("loading");
  else
    try {
      views[state.view](by_id("main"), state);
    } catch (error) {
      tell(error);
    }
}

const tell = (error) => clear(by_id("main"), h("p", {class: "error", role: "alert"}, String(error.message ?? error)));

by_id("language").addEventListener("click", () => {
  choose_language(language() === "en" ? "zh" : "en");
  show();
});
by_id("theme").addEventListener("change", () => {
  choose_theme(by_id("theme").value);
  show();
});
by_id("skip").addEventListener("click", (event) => {
  event.preventDefault();
  by_id("main").focus();
});
addEventListener("hashchange", show);
let width = innerWidth, waiting = 0;
addEventListener("resize", () => {  // phones resize when their bars hide: the width alone counts
  if (innerWidth === width) return;
  width = innerWidth;
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(show);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);

// What is there already is shown before the library is unpacked; a tab in the background does not wait.
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 200);
  });
}

choose_theme(theme());
choose_language(language());
show();
const new_enough = () => "DecompressionStream" in self && CSS.supports("color", "light-dark(black, white)");
addEventListener("DOMContentLoaded", async () => {
  if (!new_enough()) return tell(t("old_browser"));
  try {
    await painted();
    await engine.start();
    ready = true;
    show();
    performance.mark("ready");
  } catch (error) {
    tell(error);
    throw error;
  }
});
