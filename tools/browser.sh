#!/bin/sh
# Print the path of a Chromium: one on the machine, else Debian's, else the test tool's own download.
set -u
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" && exit
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get update -qq && apt-get install -qq --yes chromium; } >&2
  command -v chromium && exit
fi
python="${VENV:-.venv}/bin/python"
"$python" -m playwright install chromium >&2 || {
  echo "no browser: install Chromium (Debian: apt-get install chromium)" >&2
  exit 1
}
"$python" -c 'from playwright.sync_api import sync_playwright as p
with p() as browsers: print(browsers.chromium.executable_path)'
