"use strict";

// What is too wide for the column scrolls in its own box, and the box can be reached by keyboard. A box
// is measured when it has been laid out: near the window, or when a folded part opens.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = document.querySelectorAll(
    "article pre, .cell_output > .output, .pst-scrollable-table-container, .katex-display",
  );
  const settle = (box) => {
    box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
  };
  const seen = new Set();
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      seen.add(target);
      settle(target);
    }
  });
  boxes.forEach((box) => watcher.observe(box));
  document.fonts.addEventListener("loadingdone", () => seen.forEach(settle)); // formulas grow
});

// What stands before the place that a link leads to is laid out once it is near, and pushes the place away. For
// some frames it is brought back.
function hold(frames = 10) {
  const place = document.querySelector(":target");
  place?.scrollIntoView({ behavior: "instant" });
  if (place && frames) requestAnimationFrame(() => hold(frames - 1));
}
addEventListener("load", () => {
  if (performance.getEntriesByType("navigation")[0].type === "navigate") hold();
});
document.addEventListener("click", ({ target }) => {
  const link = target.closest("a[href*='#']");
  if (link) requestAnimationFrame(() => link.href === location.href && hold());
});

// The page's button and the usual keys print once there are letters for what has not been in view.
const print = window.print.bind(window);
window.print = async () => {
  await Promise.allSettled(Array.from(document.fonts, (face) => face.load()));
  print();
};
addEventListener("keydown", (event) => {
  if (event.key !== "p" || event.ctrlKey === event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  window.print();
});

// Paper is white.
const page = document.documentElement.dataset;
let theme;
addEventListener("beforeprint", () => {
  theme = page.theme;
  page.theme = "light";
});
addEventListener("afterprint", () => {
  page.theme = theme;
});
