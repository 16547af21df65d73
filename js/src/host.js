// The website's host: brings the figures of a page to life when the reader comes near.
//
// A page carries the state of its figures as a notebook does (widget-state+json, one for the page, and
// widget-view+json, one for each figure), and where each figure stands a still picture for browsers
// without scripts. The host loads the scripts beside it, gives each figure a model that lives in the
// page alone, and puts the figure in the picture's place.

const VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]';
const STATE = 'script[type="application/vnd.jupyter.widget-state+json"]';
const NEAR = "600px 0px"; // how far from the window a figure is brought to life

const here = new URL(document.currentScript.src);

/** What a figure expects of a model, without a kernel behind it. */
class Model {
  #state;
  #handlers = new Map();

  constructor(state) {
    this.#state = state;
  }

  get(name) {
    return this.#state[name];
  }

  set(name, value) {
    if (Object.is(this.#state[name], value)) return;
    this.#state[name] = value;
    for (const handler of [...(this.#handlers.get(`change:${name}`) ?? [])]) handler();
  }

  on(event, handler) {
    if (!this.#handlers.has(event)) this.#handlers.set(event, new Set());
    this.#handlers.get(event).add(handler);
  }

  off(event, handler) {
    this.#handlers.get(event)?.delete(handler);
  }

  save_changes() {}

  send() {}
}

const loading = new Map();

/** Load a script or a style sheet that lies beside this script, once. */
function load(file) {
  if (!loading.has(file)) {
    const address = new URL(file, here);
    address.search = here.search; // the version of all of them
    const element = file.endsWith(".css")
      ? Object.assign(document.createElement("link"), { rel: "stylesheet", href: address })
      : Object.assign(document.createElement("script"), { src: address });
    loading.set(file, new Promise((resolve, reject) => {
      element.onload = resolve;
      element.onerror = () => reject(new Error(`The file ${file} could not be loaded.`));
    }));
    document.head.append(element);
  }
  return loading.get(file);
}

/** Show the still picture of a figure that is not alive. */
function showStill(figure) {
  for (const still of figure.querySelectorAll("noscript")) still.outerHTML = still.textContent;
}

/** Bring the figure in a place to life. */
async function mount(figure) {
  const name = figure.dataset.figure;
  const place = figure.querySelector(".live-room");
  try {
    const { model_id: id } = JSON.parse(figure.querySelector(VIEW).textContent);
    const models = JSON.parse(document.querySelector(STATE).textContent).state;
    if (!models[id]) throw new Error("The page does not hold its state.");
    await Promise.all([load("figures.css"), load("shared.js")]);
    await load(`${name}.js`);
    const room = document.createElement("div");
    const model = new Model(structuredClone(models[id].state));
    place.replaceChildren(room);
    posencFigures.modules[name].render({ model, el: room });
  } catch (error) {
    console.warn(`${name}: ${error.message}`);
    const words = document.createElement("p");
    words.setAttribute("role", "alert");
    words.textContent = `The figure ${name} cannot be brought to life. ${error.message}`;
    showStill(figure);
    place.append(words);
  }
}

const alive = new Map();

/** Bring a figure to life, once. */
function awaken(figure) {
  if (!alive.has(figure)) alive.set(figure, mount(figure));
  return alive.get(figure);
}

const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    awaken(target);
  }
}, { rootMargin: NEAR });

const figures = document.querySelectorAll(".live-figure");
for (const figure of figures) watcher.observe(figure);

// What the page prints, it prints once all figures are alive. A browser's menu does not wait: on its
// paper, what is not alive yet stands still.
const print = window.print.bind(window);
window.print = async () => {
  await Promise.all(Array.from(figures, awaken));
  print();
};
addEventListener("beforeprint", () => figures.forEach(showStill));
