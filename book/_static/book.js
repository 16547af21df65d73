"use strict";

// What is too wide for the column scrolls in its own box, and the box can be reached by keyboard. The
// theme sees to it for code and tables when the window changes; this also when a folded part opens or a
// font arrives, and for formulas.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = document.querySelectorAll(
    "article pre, .cell_output > .output, .pst-scrollable-table-container, .katex-display",
  );
  const settle = (box) => {
    box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
  };
  const watcher = new ResizeObserver((entries) => entries.forEach(({ target }) => settle(target)));
  boxes.forEach((box) => watcher.observe(box));
  document.fonts.addEventListener("loadingdone", () => boxes.forEach(settle));
});
