"use strict";

// A formula too wide for its column scrolls in its own box, and the box can be reached by keyboard.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = document.querySelectorAll(".katex-display");
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  boxes.forEach((box) => watcher.observe(box));
});
