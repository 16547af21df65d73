// Put what brings the live figures to life into the built website.
//
//     node tools/site_figures.mjs SITE
//
// Each page that holds figures gets the host's script, the settings of its figures and nothing else of
// a notebook's widget state (which carries whole modules), and room for each figure at the height that
// it will have (js/src/rooms.json), so that nothing moves when it comes to life. Its still picture is
// for readers without scripts, for print, and for the case that something fails.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix, relative } from "node:path";

import { load } from "cheerio";
import esbuild from "esbuild";

import { forWebsite } from "./build_figures.mjs";

const VIEW = "application/vnd.jupyter.widget-view+json";
const STATE = "application/vnd.jupyter.widget-state+json";
const ROOMS = JSON.parse(readFileSync(new URL("../js/src/rooms.json", import.meta.url), "utf8"));
/** What JSON in a page must not hold: the end of its element. */
const embedded = (data) => JSON.stringify(data).replaceAll("<", "\\u003c");

/** The settings of a model: no module, no style sheet, none of the names that Jupyter needs. */
const settings = (state) =>
  Object.fromEntries(Object.entries(state).filter(([name]) => name === "_initial" || !/^_|^(layout|tabbable|tooltip)$/.test(name)));

/** Bring the figures of a page into the form that the host reads; says whether there are any. */
function prepare($, page) {
  const places = $(".live-figure");
  const carrier = $(`script[type="${STATE}"]`);
  if (!places.length) {
    carrier.remove();
    return false;
  }
  const models = JSON.parse(carrier.text()).state;
  const kept = {};
  places.each((_, element) => {
    const place = $(element);
    const { model_id: id } = JSON.parse(place.find(`script[type="${VIEW}"]`).text());
    const state = models[id]?.state;
    if (!state) throw new Error(`${page}: no state of the live figure ${id}`);
    const name = state._anywidget_id.split(".").pop();
    const room = ROOMS[name];
    if (!room) throw new Error(`${page}: no room for ${name}: say in js/src/rooms.json how high it is`);
    kept[id] = { state: settings(state) };
    place.attr("data-figure", name);
    const heights = Object.entries(room).map(([width, height]) => `--${width}:${height}px`);
    if (heights.length) place.attr("style", heights.join(";"));
    place.find("img").wrap("<noscript></noscript>"); // who sees the figure need not load its picture
    place.wrapInner('<div class="live-room"></div>');
  });
  carrier.text(embedded({ state: kept }));
  return true;
}

const place = esbuild.transformSync(readFileSync(new URL("../js/src/place.css", import.meta.url), "utf8"), { loader: "css", minify: true });

const site = process.argv[2];
const files = await forWebsite();
const folder = join(site, "_static/figures");
const version = createHash("sha256").update([...files.values()].join()).digest("hex").slice(0, 8);
const pages = readdirSync(site, { recursive: true })
  .filter((name) => name.endsWith(".html"))
  .map((name) => relative(".", name).split("\\").join("/"));
let count = 0;
for (const page of pages) {
  const source = readFileSync(join(site, page), "utf8");
  if (!source.includes(STATE)) continue;
  const $ = load(source);
  if (prepare($, page)) {
    const host = posix.join(posix.relative(posix.dirname(page), "."), "_static/figures/host.js");
    $("head").append(`<style>${place.code.trim()}</style>\n<script defer src="${host}?v=${version}"></script>\n`);
    count += $(".live-figure").length;
  }
  writeFileSync(join(site, page), $.html());
}
if (count) {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
}
console.log(`${count} live figures`);
