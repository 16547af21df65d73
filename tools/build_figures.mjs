// Build the modules of the live figures.
//
//     node tools/build_figures.mjs             posenc/figures/static: one file a figure, for kernels
//     node tools/build_figures.mjs --check     fail if those are not what the sources give
//     node tools/build_figures.mjs --site DIR  DIR: what the website loads
//
// A kernel sends a figure's module as text, so that it must be one file. The website loads a small
// host, which loads what the figures share once and each figure's own part when the reader comes near.
// Its parts are classic scripts, because a browser loads no module from a file on disk.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import esbuild from "esbuild";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const SOURCES = join(ROOT, "js/src");
const STATIC = join(ROOT, "posenc/figures/static");
const NOTICE = "/* posenc, BSD-3-Clause; d3-array, ISC */";

export const FIGURES = readdirSync(join(SOURCES, "figures"))
  .filter((name) => name.endsWith(".js"))
  .map((name) => basename(name, ".js"))
  .sort();

/** The modules that several figures use: the website loads them once. */
const SHARED = ["draw", "kit", "math"];

/** What figure modules and their tests may ask for is the same in both builds. */
const OPTIONS = {
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  target: ["es2022"],
  legalComments: "none",
  absWorkingDir: ROOT,
  logLevel: "error",
};

async function build(options) {
  const result = await esbuild.build({ ...OPTIONS, ...options });
  return `${NOTICE}\n${result.outputFiles[0].text}`;
}

/** The style sheet of all figures, or of one. */
async function styles() {
  const names = ["palette.css", "figures.css", ...FIGURES.map((name) => `figures/${name}.css`)];
  const contents = names.map((name) => readFileSync(join(SOURCES, name), "utf8")).join("\n");
  return build({ stdin: { contents, loader: "css", resolveDir: SOURCES } });
}

/** One self-contained module a figure, for anywidget. */
async function forKernels() {
  const files = new Map([["figures.css", await styles()]]);
  for (const name of FIGURES)
    files.set(`${name}.js`, await build({ entryPoints: [join(SOURCES, "figures", `${name}.js`)], format: "esm" }));
  return files;
}

/** Replace the shared modules by what the shared script has put on the page. */
const fromPage = {
  name: "shared modules from the page",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`/(${SHARED.join("|")})\\.js$`) }, ({ path }) => ({
      path: basename(path, ".js"), namespace: "page",
    }));
    onLoad({ filter: /.*/, namespace: "page" }, ({ path }) => ({ contents: `module.exports = posencFigures.${path};` }));
  },
};

/** Script and style sheet of the website's figures. */
async function forWebsite() {
  const shared = SHARED.map((name) => `export * as ${name} from "./${name}.js";`).join("\n");
  const files = new Map([
    ["host.js", await build({ entryPoints: [join(SOURCES, "host.js")], format: "iife" })],
    ["shared.js", await build({
      stdin: { contents: shared, resolveDir: SOURCES }, format: "iife", globalName: "posencFigures",
    })],
    ["figures.css", await styles()],
  ]);
  for (const name of FIGURES) {
    const contents = `import module from "./figures/${name}.js"; posencFigures.modules ??= {}; posencFigures.modules.${name} = module;`;
    files.set(`${name}.js`, await build({ stdin: { contents, resolveDir: SOURCES }, format: "iife", plugins: [fromPage] }));
  }
  return files;
}

function write(folder, files) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [task, folder] = process.argv.slice(2);
  if (task === "--site") write(folder, await forWebsite());
  else {
    const files = await forKernels();
    if (task !== "--check") write(STATIC, files);
    const stored = new Map(readdirSync(STATIC).map((name) => [name, readFileSync(join(STATIC, name), "utf8")]));
    const stale = [...new Set([...files.keys(), ...stored.keys()])].filter((name) => files.get(name) !== stored.get(name));
    if (stale.length) {
      console.error(`not up to date in posenc/figures/static: ${stale.join(", ")}; \`make figures\` builds them`);
      process.exit(1);
    }
  }
}

export { forWebsite };
