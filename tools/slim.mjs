// Make the built website small and self-contained.
//
//     node tools/slim.mjs FROM TO THEME KATEX_VERSION
//
// FROM is what Sphinx wrote and stays as it is; TO is written anew; THEME holds the theme's sources.
// Each page gets one style sheet, purged of what no page and no script uses, and one deferred script;
// icons become inline SVG, maths fonts hold only the characters that occur, pictures load late and at
// a known size, and nothing comes from another host. KATEX_VERSION is the version that rendered the
// maths.
//
// The lists below name everything the theme loads. When an update of the theme loads something else
// or stops loading something, the step fails and says what, because a page would break silently.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { load } from "cheerio";
import esbuild from "esbuild";
import { PurgeCSS } from "purgecss";
import subsetFont from "subset-font";

// In the order in which every page loads them.
const STYLES = [
  "styles/theme.css", "styles/pydata-sphinx-theme.css", "pygments.css", "styles/sphinx-book-theme.css",
  "togglebutton.css", "copybutton.css", "mystnb.*.css", "sphinx-thebe.css", "sphinx-design.min.css",
  "katex.min.css", "katex-math.css", "book.css",
];

// What becomes of each script. "join": into the one script of all pages, in the order of the pages.
// "search": kept as a file, on the search page alone. "drop": nothing here needs it, unless a page
// has what the selector describes.
const SCRIPTS = {
  "documentation_options.js": "join",
  "doctools.js": "join",
  "sphinx_highlight.js": "join",
  "clipboard.min.js": "join",
  "copybutton.js": "join",
  "scripts/sphinx-book-theme.js": "join",
  "togglebutton.js": "join",
  "book.js": "join",
  "scripts/bootstrap.js": "join",
  "scripts/pydata-sphinx-theme.js": "join",
  "searchtools.js": "search",
  "language_data.js": "search",
  "searchindex.js": "search",
  "scripts/fontawesome.js": { drop: null },
  "design-tabs.js": { drop: ".sd-tab-set" },
  "sphinx-thebe.js": { drop: ".thebe, .thebe-launch-button, [onclick*=Thebe]" },
};

// The same for scripts inside the pages, known by how they begin. "keep": runs where it
// stands. "theme": the same, and it is completed (EARLY_THEME).
const INLINE_SCRIPTS = [
  ["document.documentElement.dataset.mode =", "theme"],
  ["// Activate the search field on page load", "keep"],
  ["let toggleHint", "join"],
  ["let toggleOpenOnPrint", "join"],
  ["var togglebuttonSelector", "join"],
  ["DOCUMENTATION_OPTIONS.search_as_you_type = false", "join"],
  ["DOCUMENTATION_OPTIONS.pagename =", { drop: ".version-switcher__button" }],
  ["const THEBE_JS_URL", { drop: null }],
  ["kernelName =", { drop: null }],
];

// The fonts of nearly every formula come inside the style sheet, and are made ready before the text is
// laid out: one that came later would move lines.
const INLINE_FONTS = ["KaTeX_Main-Regular.woff2", "KaTeX_Math-Italic.woff2"];
const EARLY_FONTS = `for (const font of ["1em KaTeX_Main", "italic 1em KaTeX_Math"]) document.fonts.load(font);`;

const ICON_STYLES = {
  fa: "solid", fas: "solid", "fa-solid": "solid", far: "regular", "fa-regular": "regular",
  fab: "brands", "fa-brands": "brands",
};
const ICON_MODIFIERS = /^fa-(lg|sm|xs|\dx|fw|spin)$/;

const require = createRequire(import.meta.url);
const packageFolder = (name) => dirname(require.resolve(`${name}/package.json`));
const packageVersion = (name) => require(`${name}/package.json`).version;

class SlimError extends Error {}

function fail(message) {
  throw new SlimError(message);
}

/** Every file below a folder, as paths relative to it with forward slashes. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split("\\").join("/"))
    .sort();
}

/** A path in the site for a link on a page; null for another host. */
function resolveLink(page, link) {
  if (/^([a-z]+:)?\/\//i.test(link)) return null;
  return posix.join(posix.dirname(page), link.replace(/[?#].*$/, ""));
}

/** The name by which the lists above know a file: below _static, or at the root. */
const listName = (path) => path.replace(/^_static\//, "");

const versioned = (path, content) =>
  `${path}?v=${createHash("sha256").update(content).digest("hex").slice(0, 8)}`;

/** Take the style sheets out of a page; returns their paths. */
function takeStyles($, page) {
  const links = $('link[rel="stylesheet"]');
  const paths = links.toArray().map((link) => {
    const href = $(link).attr("href");
    return resolveLink(page, href) ?? fail(`${page}: a style sheet from another host: ${href}`);
  });
  links.remove();
  return paths;
}

/** Check that the style sheets are those of the list, in its order. */
function checkStyles(paths, page) {
  const matches = (pattern, name) =>
    new RegExp(`^${pattern.split("*").map(RegExp.escape ?? escapeRegExp).join(".*")}$`).test(name);
  const names = paths.map(listName);
  for (const name of names)
    if (!STYLES.some((pattern) => matches(pattern, name)))
      fail(`${page}: unknown style sheet ${name}; if pages need it, add it to STYLES in tools/slim.mjs`);
  for (const pattern of STYLES)
    if (!names.some((name) => matches(pattern, name)))
      fail(`${page}: no style sheet ${pattern}; if the theme has dropped it, drop it from STYLES in tools/slim.mjs`);
  names.forEach((name, place) => {
    if (!matches(STYLES[place], name))
      fail(`${page}: style sheet ${name} comes where ${STYLES[place]} was; their order decides which rule wins`);
  });
}

const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// The theme learns the reader's colour scheme in its deferred script, after the first paint; with
// this it is known before, and nothing is coloured twice.
const EARLY_THEME = `
{
  const { dataset } = document.documentElement;
  if (dataset.mode !== "light" && dataset.mode !== "dark")
    dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
`;

/** Take the scripts out of a page, but for those that stay where they are. Returns, in order, what
 * is to be joined (`{path}` or `{code}`) and the paths that the search page loads. */
function takeScripts($, page) {
  const join = [];
  const search = [];
  $('link[rel="preload"][as="script"]').remove();
  $("script").each((_, element) => {
    const script = $(element);
    const type = script.attr("type") ?? "";
    const source = script.attr("src");
    let name, action;
    if (type === "text/x-thebe-config") action = { drop: null };
    else if (type === "module" || type.endsWith("json")) action = "keep";
    else if (source !== undefined) {
      const path = resolveLink(page, source) ?? fail(`${page}: a script from another host: ${source}`);
      name = listName(path);
      action = SCRIPTS[name] ?? fail(`${page}: unknown script ${name}; say in SCRIPTS of tools/slim.mjs what becomes of it`);
      if (action === "join") join.push({ path });
      if (action === "search") search.push(path);
    } else {
      const code = script.text().trim();
      name = code.split("\n")[0].slice(0, 60);
      action =
        INLINE_SCRIPTS.find(([start]) => code.startsWith(start))?.[1] ??
        fail(`${page}: unknown script in the page: ${name}; say in INLINE_SCRIPTS of tools/slim.mjs what becomes of it`);
      if (action === "join") join.push({ code });
      if (action === "theme") script.text(code + EARLY_THEME);
    }
    if (action.drop && $(action.drop).length)
      fail(`${page}: ${name} is left out, but the page has ${action.drop} that needs it (SCRIPTS in tools/slim.mjs)`);
    if (action !== "keep" && action !== "theme") script.remove();
  });
  return { join, search };
}

/** Every script of the lists must still be loaded: one that is gone has been renamed or replaced. */
function checkScripts(scripts, page) {
  const names = scripts.filter((script) => script.path).map((script) => listName(script.path));
  for (const [name, action] of Object.entries(SCRIPTS))
    if (action === "join" && !names.includes(name))
      fail(`${page}: no script ${name}; if the theme has dropped it, drop it from SCRIPTS in tools/slim.mjs`);
}

const iconCache = new Map();

/** The name of an icon today; the theme calls some by names of earlier versions. */
function iconName(name) {
  const icons = require("@fortawesome/fontawesome-free/metadata/icon-families.json");
  return Object.keys(icons).find((icon) => icons[icon].aliases?.names?.includes(name)) ?? name;
}

/** The picture of an icon as `{viewBox, path}`, from Font Awesome's package. */
function readIcon(style, name) {
  const key = `${style}/${name}`;
  if (!iconCache.has(key)) {
    const pictures = join(packageFolder("@fortawesome/fontawesome-free"), "svgs", style);
    let file = join(pictures, `${name}.svg`);
    if (!existsSync(file)) file = join(pictures, `${iconName(name)}.svg`);
    if (!existsSync(file)) fail(`no icon ${key} in Font Awesome ${packageVersion("@fortawesome/fontawesome-free")}`);
    const [, viewBox, path] = readFileSync(file, "utf8").match(/viewBox="([^"]+)".*?<path d="([^"]+)"/s);
    iconCache.set(key, { viewBox, path });
  }
  return iconCache.get(key);
}

/** Replace icons drawn by a font with inline SVG, in the form that Font Awesome's own script makes. */
function inlineIcons($, page) {
  $('[class*="fa-"]').each((_, element) => {
    const classes = $(element).attr("class").split(/\s+/);
    const style = classes.map((name) => ICON_STYLES[name]).find(Boolean);
    const names = classes.filter((name) => /^fa-/.test(name) && !ICON_STYLES[name] && !ICON_MODIFIERS.test(name));
    if (!style || names.length !== 1) fail(`${page}: cannot tell the icon of class="${classes.join(" ")}"`);
    const { viewBox, path } = readIcon(style, names[0].slice("fa-".length));
    const svg = $(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}" aria-hidden="true"></svg>`);
    for (const [name, value] of Object.entries(element.attribs)) if (name !== "title") svg.attr(name, value);
    svg.attr("class", ["svg-inline--fa", ...classes.filter((name) => !ICON_STYLES[name] && name !== names[0])].join(" "));
    svg.append($("<path/>").attr({ fill: "currentColor", d: path }));
    $(element).replaceWith(svg);
  });
}

/** KaTeX marks in red what it cannot read, and goes on. */
function checkFormulas($, page) {
  const faulty = $(".katex-error").first();
  if (faulty.length) fail(`${page}: ${faulty.attr("title")} in the formula ${faulty.text().trim()}`);
}

/** Keep a comma or a full stop on the line of the formula before it. A browser asks the last part of the formula,
 * not only the whole, whether a line may end behind it. */
function holdPunctuation($) {
  const end = '<span class="math-end"></span>';
  $("span.math").each((_, formula) => {
    const after = formula.next;
    const mark = after?.type === "text" && after.data.match(/^[,.;:!?)\]’”]+/)?.[0];
    if (!mark) return;
    after.data = after.data.slice(mark.length);
    $(formula).wrap(end).after(mark);
    $(formula).find(".base").last().wrap(end);
  });
}

/** Let an expression in a table end its line behind a bracket, a comma or a dot rather than within a name. */
function breakExpressions($) {
  $("td code *").contents().each((_, node) => {
    if (node.type !== "text") return;
    $(node).replaceWith($("<i>").text(node.data).html().replace(/[([{,]|\.(?=[a-z_])/gi, "$&<wbr>"));
  });
}

/** Describe a page by its first sentences that have no formulas. */
function describe($) {
  const description = [];
  const room = () => 200 - description.join(" ").length;
  for (const paragraph of $("article > section > p, article > section > blockquote p").toArray()) {
    if ($(paragraph).has(".math").length) continue;
    for (const sentence of $(paragraph).text().trim().split(/(?<=[.?!])\s+/)) {
      if (sentence.length > room()) break;
      description.push(sentence.replace(/\s+/g, " "));
    }
    if (room() < 100) break;
  }
  if (!description.length) return;
  if (!$('meta[name="description"]').length) $("head").append('<meta name="description">\n');
  $('meta[name="description"], meta[property="og:description"]').attr("content", description.join(" "));
}

/** Mend what the theme makes hard to use without eyes. */
function mendNames($) {
  // A name that is read aloud must hold the words that are seen.
  $(".search-button-field, details.hide > summary").removeAttr("aria-label");
  // Each part of a page belongs to a region with a name.
  $("#pst-primary-sidebar").attr({ role: "complementary", "aria-label": "The book" });
}

/** Remove the empty lines that templates leave; white space that shows stays. */
function squeeze($) {
  $("*").not("pre, pre *, textarea, script, style").contents().each((_, node) => {
    if (node.type === "text") node.data = node.data.replace(/\s*\n\s*/g, "\n");
    if (node.type === "comment") $(node).remove();
  });
}

/** Width and height of a picture in CSS pixels. */
function pictureSize(file) {
  const content = readFileSync(file);
  if (extname(file) === ".png") return [content.readUInt32BE(16), content.readUInt32BE(20)];
  if (extname(file) === ".svg") {
    const root = content.toString().match(/<svg\b[^>]*>/)?.[0] ?? "";
    const size = ["width", "height"].map((name) => {
      const [, number, unit] = root.match(new RegExp(`\\s${name}="([\\d.]+)(pt|px)?"`)) ?? [];
      return number === undefined ? NaN : number * (unit === "pt" ? 4 / 3 : 1);
    });
    if (size.every(Number.isFinite)) return size;
    const box = root.match(/viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"/);
    if (box) return [Number(box[1]), Number(box[2])];
  }
  return fail(`${file}: cannot tell the size of this picture (PNG and SVG are known)`);
}

/** Pictures load when they come near, into room that is kept for them. */
function settlePictures($, page, from) {
  $("img").each((_, element) => {
    const source = $(element).attr("src");
    if (source.startsWith("data:")) return;
    const path = resolveLink(page, source) ?? fail(`${page}: a picture from another host: ${source}`);
    if (!existsSync(join(from, path))) fail(`${page}: no picture ${path}`);
    const [width, height] = pictureSize(join(from, path)).map(Math.round);
    $(element).attr({ loading: "lazy", decoding: "async" });
    // A width that the author has chosen stays; the browser then works out the height.
    if (!$(element).attr("width") && !/width/.test($(element).attr("style") ?? ""))
      $(element).attr({ width, height });
  });
}

// The theme measures every box of code and every table at once, to let the keyboard reach those that
// scroll; for that the browser must lay out the whole page. book.js does it box by box, near the window.
const MEASURES_ALL = /,"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)/;

function dropMeasuring(code) {
  if (!MEASURES_ALL.test(code))
    fail("pydata-sphinx-theme.js: the call that measures all boxes is not where it was; see MEASURES_ALL in tools/slim.mjs");
  return code.replace(MEASURES_ALL, "");
}

// The theme brings all twelve components of Bootstrap, most of which search the whole page at every
// click. These are the ones that pages use, by the value of data-bs-toggle that asks for each.
const COMPONENTS = { dropdown: "Dropdown", tooltip: "Tooltip" };

// At each click and key it also searches the whole page, where the element around the target will do, or the
// page's menus, found once.
const SEARCHES = {
  "event-handler.js": ["element.querySelectorAll(selector)", "[event.target.closest?.(selector)]"],
  "dropdown.js": [
    "SelectorEngine.find(SELECTOR_DATA_TOGGLE_SHOWN)",
    "(Dropdown.all ??= SelectorEngine.find(SELECTOR_DATA_TOGGLE)).filter((element) => element.matches(SELECTOR_DATA_TOGGLE_SHOWN))",
  ],
};

/** Check that a page asks for no other component of Bootstrap. */
function checkComponents($, page) {
  $("[data-bs-toggle]").each((_, element) => {
    const asked = $(element).attr("data-bs-toggle");
    if (!COMPONENTS[asked]) fail(`${page}: data-bs-toggle="${asked}" needs a component of Bootstrap that is left out; add it to COMPONENTS in tools/slim.mjs`);
  });
}

/** The theme's script for Bootstrap, built from its source with the components that pages use. */
async function buildBootstrap(theme) {
  const resolveDir = packageFolder("bootstrap");
  const exports = Object.entries(COMPONENTS).map(([file, name]) => `export { default as ${name} } from "bootstrap/js/src/${file}.js";`);
  const components = {
    name: "components",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^bootstrap$/ }, ({ path }) => ({ path, namespace: "components" }));
      onLoad({ filter: /./, namespace: "components" }, () => ({ contents: exports.join("\n"), resolveDir }));
      for (const [file, [search, shorter]] of Object.entries(SEARCHES))
        onLoad({ filter: new RegExp(`/${file}$`) }, ({ path }) => {
          const source = readFileSync(path, "utf8");
          return source.includes(search)
            ? { contents: source.replace(search, shorter) }
            : { errors: [{ text: `${search} is no longer in ${path}: see SEARCHES in tools/slim.mjs` }] };
        });
    },
  };
  const { outputFiles: [file], warnings } = await esbuild.build({
    entryPoints: [join(theme, "scripts/bootstrap.js")], nodePaths: [dirname(resolveDir)], plugins: [components],
    bundle: true, format: "iife", write: false, logLevel: "silent",
    logOverride: { "ignored-bare-import": "silent" }, // Popper, of which Bootstrap imports what it needs
  });
  if (warnings.length) fail(`the theme's script for Bootstrap: ${warnings[0].text} (COMPONENTS in tools/slim.mjs)`);
  return file.text;
}

// Each script waits until the page is parsed. A deferred script runs when it is, and all that they do then
// would be one long task, in which a reader's touch waits: each has a turn of its own.
const IN_TURNS = { "document.readyState": '"loading"', "document.addEventListener": "listen" };
const LISTEN = `function listen(type, act, ...options) {
  if (type === "DOMContentLoaded") setTimeout(act);
  else document.addEventListener(type, act, ...options);
}
`;

/** One script from many. Classic scripts share their top-level names, so those stay as they are. */
async function joinScripts(scripts, from, theme) {
  const code = scripts.map(({ code, path }) => {
    if (code) return code;
    if (listName(path) === "scripts/bootstrap.js") return buildBootstrap(theme);
    const content = readFileSync(join(from, path), "utf8");
    return listName(path) === "scripts/pydata-sphinx-theme.js" ? dropMeasuring(content) : content;
  });
  const joined = (await Promise.all(code)).join("\n;\n");
  for (const [, name] of joined.matchAll(/\bbootstrap\.([A-Z]\w*)/g))
    if (!Object.values(COMPONENTS).includes(name)) fail(`the theme uses Bootstrap's ${name}, which is left out; add it to COMPONENTS in tools/slim.mjs`);
  return LISTEN + esbuild.transformSync(joined, { minify: true, charset: "utf8", define: IN_TURNS }).code;
}

/** The text of a style sheet with imports resolved and paths in url() made absolute. */
function readStyle(file) {
  if (!existsSync(file)) fail(`no style sheet ${file}`);
  return readFileSync(file, "utf8")
    .replace(/@import\s*(?:url\()?"([^"]+)"\)?;/g, (_, path) => readStyle(join(dirname(file), path)))
    .replace(/url\(\s*(["']?)([^"')]+)\1\s*\)/g, (all, _, path) =>
      path.startsWith("data:") || path.startsWith("/") ? all : `url("${join(dirname(file), path)}")`);
}

/** Remove from a style sheet what neither the pages nor the scripts can ask for. */
async function purge(css, pages, script) {
  const tags = new Set();
  const classes = new Set();
  const ids = new Set();
  for (const $ of pages)
    $("*").each((_, element) => {
      tags.add(element.tagName);
      for (const name of (element.attribs.class ?? "").split(/\s+/)) classes.add(name);
      ids.add(element.attribs.id);
    });
  const words = new Set(script.match(/[\w-]+/g));
  // Attribute selectors all stay: scripts set attributes under composed names.
  const attributes = [...css.matchAll(/\[([\w-]+)(?:[~|^$*]?=["']?([^"'\]]*))?/g)];
  const found = {
    tags: [...tags, ...words],
    classes: [...classes, ...words],
    ids: [...ids, ...words],
    attributes: { names: attributes.map((match) => match[1]), values: attributes.map((match) => match[2] ?? "") },
    undetermined: [],
  };
  const [result] = await new PurgeCSS().purge({
    content: [{ raw: " ", extension: "site" }],
    css: [{ raw: css }],
    extractors: [{ extensions: ["site"], extractor: () => found }],
    safelist: [/^bs-tooltip-/], // composed by Bootstrap
    keyframes: true,
    variables: true,
  });
  return result.css;
}

/** Characters that a style sheet draws itself, such as the icons of admonitions. */
function drawnCharacters(css) {
  return [...css.matchAll(/\\([0-9a-f]{3,6})/gi)].map((match) => String.fromCodePoint(parseInt(match[1], 16))).join("");
}

const FONT_FACE = /@font-face\{[^}]*\}/g;

/** Write each font that a style sheet uses, with only the characters that occur; returns the style
 * sheet. A face whose family no rule names goes. */
async function subsetFonts(css, pages, to) {
  const maths = pages.map(($) => $(".katex-html").text()).join("");
  const icons = drawnCharacters(css);
  const rules = css.replace(FONT_FACE, "");
  for (const face of css.match(FONT_FACE) ?? []) {
    const family = face.match(/font-family:"?([^;"}]+)/)[1].replaceAll("\\", "");
    if (!rules.replaceAll("\\", "").includes(family)) {
      css = css.replace(face, "");
      continue;
    }
    const file = face.match(/url\(["']?([^"')]+\.woff2)["']?\)/)?.[1] ?? fail(`a font without woff2: ${face}`);
    const characters = basename(file).startsWith("KaTeX_") ? maths : icons;
    const font = await subsetFont(readFileSync(file), characters, { targetFormat: "woff2" });
    let path = `data:font/woff2;base64,${Buffer.from(font).toString("base64")}`;
    if (!INLINE_FONTS.includes(basename(file))) {
      path = versioned(`fonts/${basename(file)}`, font);
      writeFileSync(join(to, "_static", "fonts", basename(file)), font);
    }
    css = css.replace(face, face.replace(/src:[^;}]*/, `src:url(${path}) format("woff2")`));
  }
  return css;
}

/** Copy the pictures that a style sheet names; returns the style sheet with paths beside it. */
function copyNamedFiles(css, to) {
  return css.replace(/url\(["']?(\/[^"')]+)["']?\)/g, (_, file) => {
    if (!existsSync(file)) fail(`a style sheet names ${file}, which is not there`);
    cpSync(file, join(to, "_static", basename(file)));
    return `url(${basename(file)})`;
  });
}

const NOTICE = `/*!
 * Sphinx, sphinx-book-theme, pydata-sphinx-theme, MyST-NB, Sphinx Design and their scripts: BSD and MIT licences.
 * Bootstrap: MIT. KaTeX and its fonts: MIT and SIL OFL 1.1. Icons: Font Awesome Free, CC BY 4.0.
 */
`;

/** The front page that Jupyter Book writes only forwards; give it what a page must have. */
function redirectPage($) {
  const target = $('meta[http-equiv="Refresh" i]').attr("content").replace(/^.*url=/i, "");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Start page</title>
<meta http-equiv="refresh" content="0; url=${target}">
<link rel="canonical" href="${target}">
<p><a href="${target}">Start reading</a></p>
</html>
`;
}

/** Check that the theme's copy of a package, which says its version after some words, is package.json's. */
function checkVersion(from, script, words, name) {
  const banner = readFileSync(join(from, `_static/scripts/${script}.js.LICENSE.txt`), "utf8").trim();
  const version = packageVersion(name);
  if (!banner.includes(`${words}${version} `)) fail(`the theme has another version of ${script} than package.json's ${name} ${version}: ${banner}`);
}

async function slim(from, to, theme, katexVersion) {
  if (packageVersion("katex") !== katexVersion)
    fail(`KaTeX ${katexVersion} rendered the maths, but package.json has the style sheet and fonts of katex ${packageVersion("katex")}: pin "katex": "${katexVersion}"`);
  const files = filesBelow(from);
  const paths = files.filter((path) => path.endsWith(".html") && !path.startsWith("_static/"));
  if (!paths.length) fail(`${from}: no pages`);
  checkVersion(from, "fontawesome", "Free ", "@fortawesome/fontawesome-free");
  checkVersion(from, "bootstrap", "Bootstrap v", "bootstrap");

  rmSync(to, { recursive: true, force: true });
  mkdirSync(join(to, "_static", "fonts"), { recursive: true });

  const pages = new Map();
  let styles, scripts;
  for (const path of paths) {
    const $ = load(readFileSync(join(from, path), "utf8"));
    if ($('meta[http-equiv="Refresh" i]').length) {
      writeFileSync(join(to, path), redirectPage($));
      continue;
    }
    const pageStyles = takeStyles($, path);
    checkStyles(pageStyles, path);
    styles ??= pageStyles;
    const pageScripts = takeScripts($, path);
    checkScripts(pageScripts.join, path);
    scripts ??= pageScripts.join;
    if (JSON.stringify(pageScripts.join) !== JSON.stringify(scripts))
      fail(`${path}: other scripts than on ${pages.keys().next().value}: one script for all pages cannot stand for both`);
    inlineIcons($, path);
    settlePictures($, path, from);
    $('meta[name="viewport"]').slice(1).remove();
    checkFormulas($, path);
    checkComponents($, path);
    holdPunctuation($);
    breakExpressions($);
    describe($);
    mendNames($);
    squeeze($);
    pages.set(path, { $, search: path === "search.html" ? pageScripts.search : [] });
  }
  const documents = [...pages.values()].map((page) => page.$);

  const script = NOTICE + (await joinScripts(scripts, from, theme));
  writeFileSync(join(to, "_static/site.js"), script);

  const sheets = styles.map((path) =>
    readStyle(listName(path) === "katex.min.css" ? join(packageFolder("katex"), "dist", "katex.min.css") : join(from, path)));
  const searchScript = readFileSync(join(from, "_static/searchtools.js"), "utf8");
  const used = await purge(sheets.join("\n"), documents, script + searchScript);
  let css = esbuild.transformSync(used, { loader: "css", minify: true, legalComments: "none" }).code;
  css = NOTICE + copyNamedFiles(await subsetFonts(css, documents, to), to);
  writeFileSync(join(to, "_static/site.css"), css);

  for (const [path, { $, search }] of pages) {
    const up = posix.relative(posix.dirname(path), "_static") || "_static";
    const root = posix.relative(posix.dirname(path), ".") || ".";
    $("head").append(`<link rel="stylesheet" href="${versioned(`${up}/site.css`, css)}">\n`);
    if ($(".katex").length) $("head").append(`<script>${EARLY_FONTS}</script>\n`);
    $("head").append(`<script defer src="${versioned(`${up}/site.js`, script)}"></script>\n`);
    for (const file of search) $("head").append(`<script defer src="${posix.join(root, file)}"></script>\n`);
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), $.html());
  }

  // What is not below _static goes along; of what is, the files that a page, a style or a script
  // mentions, but for those that are joined or drawn already.
  const texts = filesBelow(to).filter((path) => /\.(html|css|js)$/.test(path)).map((path) => readFileSync(join(to, path), "utf8")).join("\n");
  const joined = [...styles, ...scripts.map((item) => item.path)];
  for (const path of files) {
    if (existsSync(join(to, path)) || joined.includes(path) || /^\.buildinfo|\.(map|ttf|woff2)$/.test(path)) continue;
    if (!path.startsWith("_static/") || texts.includes(basename(path))) cpSync(join(from, path), join(to, path));
  }
  console.log(`${pages.size} pages; style sheet ${css.length} bytes, script ${script.length} bytes`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from, to, theme, katexVersion] = process.argv.slice(2);
  try {
    if (!katexVersion) fail("usage: node tools/slim.mjs FROM TO THEME KATEX_VERSION");
    await slim(from, to, theme, katexVersion);
  } catch (error) {
    if (!(error instanceof SlimError)) throw error;
    console.error(`slim: ${error.message}`);
    process.exit(1);
  }
}
