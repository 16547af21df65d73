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
