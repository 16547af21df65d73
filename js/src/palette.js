// Written by tools/make_js_data.py: do not edit.
export const DIVERGING = {"light": ["#1f3f9c", "#8fa4e3", "#ffffff", "#f0a868", "#9c4a00"], "dark": ["#a0c0ff", "#465b9a", "#000000", "#8a4202", "#ef9d53"]};
export const SEQUENTIAL = {"light": ["#ffffff", "#a9b6ea", "#5561ce", "#1b2468"], "dark": ["#000000", "#3a477b", "#8793ff", "#ccd5ff"]};
export const SCHEMES = {
  "none": {
    "label": "none",
    "dash": [
      1,
      2
    ],
    "marker": "x"
  },
  "sinusoidal": {
    "label": "sinusoidal",
    "dash": [
      6,
      2
    ],
    "marker": "o"
  },
  "learned": {
    "label": "learned",
    "dash": [
      6,
      2,
      1,
      2
    ],
    "marker": "s"
  },
  "shaw": {
    "label": "Shaw",
    "dash": [
      2,
      1
    ],
    "marker": "v"
  },
  "t5": {
    "label": "T5",
    "dash": [
      3,
      2
    ],
    "marker": "D"
  },
  "alibi": {
    "label": "ALiBi",
    "dash": [
      9,
      3
    ],
    "marker": "^"
  },
  "rope": {
    "label": "RoPE",
    "dash": [],
    "marker": "P"
  }
};
