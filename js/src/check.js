// The settings of a figure, checked as Python checks them (posenc/figures/base.py).

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

const isText = (value) => typeof value === "string" && value !== "";

const isComplete = ({ question, options, right, explanations }) =>
  isText(question) && Array.isArray(options) && options.length >= 2 && options.every(isText) &&
  Array.isArray(explanations) && explanations.length === options.length && explanations.every(isText) &&
  Number.isInteger(right) && right >= 0 && right < options.length;

const areNumbers = (value, count) => Array.isArray(value) && value.length === count && value.every(isNumber);

const isCurve = (curve, places) =>
  ["name", "label", "group", "scheme", "marker"].every((key) => isText(curve[key])) && Array.isArray(curve.dash) &&
  [curve.mean, curve.tail].every((rows) => Array.isArray(rows) && rows.length && rows.every((row) => areNumbers(row, 4))) &&
  Array.isArray(curve.position) && [0, places].includes(curve.position.length) && curve.position.every((row) => areNumbers(row, 3));

const KINDS = {
  whole: {
    holds: (value, { low, high, even }) =>
      Number.isInteger(value) && value >= low && value <= high && !(even && value % 2),
    allowed: ({ low, high, even }) => `${even ? "an even" : "a whole"} number from ${low} to ${high}`,
  },
  number: {
    holds: (value, { low, high }) => isNumber(value) && value >= low && value <= high,
    allowed: ({ low, high }) => `a number from ${low} to ${high}`,
  },
  flag: { holds: (value) => typeof value === "boolean", allowed: () => "true or false" },
  choice: {
    holds: (value, { names }) => names.includes(value),
    allowed: ({ names }) => `one of ${names.map((name) => `'${name}'`).join(", ")}`,
  },
  questions: {
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isComplete),
    allowed: () => "a list of questions, each with question, options, right and explanations",
  },
  answers: {
    holds: (value) => Array.isArray(value) && value.every((answer) => Number.isInteger(answer) && answer >= -1),
    allowed: () => "a list with the number of an option for each question, or -1 for none",
  },
  results: {
    holds: (value) => value !== null && typeof value === "object" && areNumbers(value.about, 4) && Array.isArray(value.bins) &&
      Array.isArray(value.curves) && value.curves.length > 0 && value.curves.every((curve) => isCurve(curve, value.bins.length - 1)),
    allowed: () => "results as ExtrapolationLab.of makes them from posenc.trained",
  },
  names: {
    holds: (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length,
    allowed: () => "a list of names, each once",
  },
  order: {
    holds: (value, { size }) =>
      Array.isArray(value) && value.length === size && [...value].sort((a, b) => a - b).every((n, i) => n === i),
    allowed: ({ size }) => `the numbers 0 to ${size - 1} in some order`,
  },
};

/** Throw an error that names the setting, its value and what is allowed. */
export function check(name, value, spec) {
  const kind = KINDS[spec.kind];
  if (!kind.holds(value, spec)) throw new RangeError(`${name}=${JSON.stringify(value)}: must be ${kind.allowed(spec)}`);
  return value;
}
