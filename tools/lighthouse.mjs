// Page weights and Lighthouse scores of the built website.
//
//     node tools/lighthouse.mjs [PAGE ...]
//
// Serves _build/html compressed on a free local port and measures each page (default: the front page
// and the chapters) as a mid-range telephone on a slow network. Fails below the bars. The machine is
// noisy and the score of speed with it: that one is the median of five runs, and a page that is too slow
// is measured once more after the others, since what disturbs a machine lasts longer than a page.

import { createServer } from "node:http";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const SITE = "_build/html";
const BARS = { performance: 0.97, accessibility: 1, "best-practices": 1, seo: 1 };
const RUNS = 5; // of each page, for its speed
const HEAVIEST = 160_000; // bytes on the wire when a page is first opened
const CHROMIUM_FLAGS = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const TYPES = {
  ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
  ".png": "image/png", ".woff2": "font/woff2", ".json": "application/json",
};
const COMPRESSED = new Set([".html", ".css", ".js", ".svg", ".json"]);

/** Serve the site as a host does: text compressed, with a time to live. */
function serve() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(SITE, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const headers = { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "max-age=600" };
    const content = readFileSync(file);
    if (!COMPRESSED.has(extname(file))) return response.writeHead(200, headers).end(content);
    response.writeHead(200, { ...headers, "content-encoding": "gzip" }).end(gzipSync(content, { level: 9 }));
  });
  return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(server)));
}

/** Bytes on the wire by kind of resource, of one run. */
function weights(report) {
  const sums = { total: 0 };
  for (const { url, resourceType, transferSize } of report.audits["network-requests"].details.items) {
    if (url.startsWith("data:")) continue; // part of what names it
    sums[resourceType] = (sums[resourceType] ?? 0) + transferSize;
    sums.total += transferSize;
  }
  return sums;
}

const score = (report, category) => report.categories[category].score;

/** The middle one of some scores; of an even number the lower of the two in the middle. */
const median = (scores) => scores.toSorted()[Math.ceil(scores.length / 2) - 1];

/** Measure a page; returns its scores, its weights and what falls short, in words. */
async function measure(url, port) {
  const run = async (onlyCategories) => (await lighthouse(url, { port, logLevel: "error", onlyCategories })).lhr;
  const report = await run(Object.keys(BARS));
  const scores = Object.fromEntries(Object.keys(BARS).map((name) => [name, score(report, name)]));
  // Three that agree about the bar have decided on which side the median of five lies.
  const speeds = [scores.performance];
  const decided = () => [true, false].some((above) => speeds.filter((speed) => speed >= BARS.performance === above).length > RUNS / 2);
  while (!decided()) speeds.push(score(await run(["performance"]), "performance"));
  scores.performance = median(speeds);

  const weight = weights(report);
  const short = [];
  if (weight.total > HEAVIEST) short.push(`${weight.total} bytes on first load, more than ${HEAVIEST}`);
  for (const [name, bar] of Object.entries(BARS)) {
    if (scores[name] >= bar) continue;
    const failed = report.categories[name].auditRefs
      .map(({ id, weight }) => ({ ...report.audits[id], weight }))
      .filter((audit) => audit.weight && audit.score !== null && audit.score < 0.9)
      .map((audit) => `${audit.id} (${audit.displayValue ?? audit.title})`);
    short.push(`${name} ${scores[name]} is below ${bar}: ${failed.join(", ")}`);
  }
  return { scores, weight, short };
}

function defaultPages() {
  const lessons = readdirSync(join(SITE, "notebooks")).filter((name) => name.endsWith(".html")).sort();
  return ["book/intro.html", ...lessons.map((name) => `notebooks/${name}`)];
}

const kB = (bytes = 0) => (bytes / 1000).toFixed(1).padStart(6);

const pages = process.argv.length > 2 ? process.argv.slice(2) : defaultPages();
for (const page of pages)
  if (!existsSync(join(SITE, page))) {
    console.error(`no page ${join(SITE, page)}; \`make book\` builds it`);
    process.exit(2);
  }
const profile = mkdtempSync(join(tmpdir(), "lighthouse-"));
const server = await serve();
const chromium = await launch({ chromePath: process.env.CHROMIUM || undefined, chromeFlags: CHROMIUM_FLAGS, userDataDir: profile });

/** Measure pages and print what was found; returns what falls short, as `{page, short}`. */
async function report(pages) {
  const found = [];
  for (const page of pages) {
    const { scores, weight, short } = await measure(`http://127.0.0.1:${server.address().port}/${page}`, chromium.port);
    console.log(
      `${Object.values(scores).map((score) => score.toFixed(2)).join("  ")}  |${kB(weight.Document)} ${kB(weight.Stylesheet)} ${kB(weight.Script)} ${kB(weight.Font)} ${kB(weight.Image)} ${kB(weight.total)}  ${basename(page)}`);
    for (const line of short) console.log(`      ${line}`);
    if (short.length) found.push({ page, short });
  }
  return found;
}

let failures;
try {
  console.log("perf  a11y  best  seo  |  html    css     js  fonts images  total, kB compressed");
  const found = await report(pages);
  const slow = found.filter(({ short }) => short.every((line) => line.startsWith("performance")));
  if (slow.length) console.log("too slow, once more:");
  failures = found.length - slow.length + (await report(slow.map(({ page }) => page))).length;
} finally {
  chromium.kill();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(failures ? `${failures} below the bars` : "every page is above the bars");
process.exit(failures ? 1 : 0);
