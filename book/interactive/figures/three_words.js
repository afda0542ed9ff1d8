// Chapter 3: one word's way through attention, step by step, with numbers of one's own.

import { Matrix, timesTransposed } from "../arrays.js";
import { scaledDotProductAttention } from "../attention.js";
import { button, choice, fixed, html, onPress, panel, shade, svg } from "../draw.js";

const WORDS = ["dog", "bites", "man"];
const ROLES = ["query", "key", "value"];
const MOST = 5; // the largest number that can be written into the table

/** @typedef {number[][]} Rows a row for each word */
/** @typedef {Record<string, Rows>} Roles the rows of queries, of keys and of values */

/** @returns {Roles} the numbers of the chapter */
function numbersOfTheText() {
  return {
    query: [[-2, 0], [1, 1], [-2, 0]],
    key: [[1, 2], [-1, 0], [1, 0]],
    value: [[3, 0], [-1, -1], [0, 3]],
  };
}

/**
 * What each step gives, for all words.
 * @param {Roles} roles
 * @returns {{scores: Rows, scaled: Rows, weights: Rows, output: Rows}}
 */
export function steps(roles) {
  const [q, k, v] = ROLES.map((role) => Matrix.fromRows(roles[role]));
  const scores = timesTransposed(q, k).toRows();
  const scaled = scores.map((row) => row.map((score) => score / Math.sqrt(q.cols)));
  const { output, weights } = scaledDotProductAttention(q, k, v);
  return { scores, scaled, weights: weights.toRows(), output: output.toRows() };
}

const STEPS = [
  { name: "the words", matrix: "scores" },
  { name: "1. compare: query times key", matrix: "scores" },
  { name: "1. compare: divided by √2", matrix: "scaled" },
  { name: "2. share out: softmax", matrix: "weights" },
  { name: "3. mix: the weighted sum", matrix: "output" },
];

/** @param {number} number @returns {string} as short as a column of a phone needs */
function short(number) {
  return Math.abs(number) < 10_000 ? fixed(number) : number.toExponential(1);
}

/** @param {number} number @returns {string} without zeros at the end */
function plain(number) {
  return String(number).replace("-", "−");
}

/** @param {number[]} vector @returns {string} */
function pair(vector) {
  return `(${vector.map(plain).join(", ")})`;
}

/** @param {HTMLElement} root */
export function mount(root) {
  let roles = numbersOfTheText();
  let word = 1;
  let step = 0;
  const { controls, picture, redraw, say } = panel(root, {
    title: "One word's way, step by step",
    hint: "Press Next. Then follow another word, or write other numbers in the table.",
    label: "The steps of attention for one word",
    draw,
  });
  const inputs = numberTable(controls, roles, (role, row, column, number) => {
    roles[role][row][column] = number;
    update();
  });
  const chosen = choice(controls, {
    label: "follow",
    options: WORDS.map((label, value) => ({ label, value: String(value) })),
    value: String(word),
    change: (value) => follow(Number(value)),
  });
  const back = button(controls, "Back", () => goTo(step - 1));
  const next = button(controls, "Next", () => goTo(step + 1));
  button(controls, "as in the text", () => {
    roles = numbersOfTheText();
    for (const { input, role, row, column } of inputs) {
      input.value = String(roles[role][row][column]);
    }
    update();
  });
  onPress(picture, (key) => {
    chosen.set(key);
    follow(Number(key));
  });
  update();

  /** @param {number} wanted */
  function follow(wanted) {
    word = wanted;
    update();
  }

  /** @param {number} wanted */
  function goTo(wanted) {
    step = Math.min(STEPS.length - 1, Math.max(0, wanted));
    update();
  }

  function update() {
    redraw();
    back.disabled = step === 0;
    next.disabled = step === STEPS.length - 1;
    say(told());
  }

  /** @returns {string} what the present step did, for the word that is followed */
  function told() {
    const found = steps(roles);
    /** @param {number[]} row */
    const list = (row) => row.map((number) => short(number)).join(", ");
    const largest = found.weights[word].indexOf(Math.max(...found.weights[word]));
    return [
      `${WORDS[word]} comes with the query ${pair(roles.query[word])}.`,
      `Its query times each key, number by number: ${list(found.scores[word])}.`,
      `Divided by √2: ${list(found.scaled[word])}.`,
      `Its weights, which sum to 1: ${list(found.weights[word])}. ` +
        `The most goes to ${WORDS[largest]}.`,
      `Its output, the sum of the shares: (${list(found.output[word])}).`,
    ][step];
  }

  /** @param {SVGElement} drawing @param {number} width */
  function draw(drawing, width) {
    const found = steps(roles);
    const wide = width >= 560;
    const room = wide ? width - 260 : width;
    const height = drawWay(drawing, room, { roles, word, step, found });
    const [left, top] = wide ? [width - 220, 0] : [0, height + 16];
    const low = drawAll(drawing, left, top, { rows: found, word, step });
    return Math.max(height, low) + 4;
  }
}

/**
 * The table of numbers to change: a row for each word, two numbers for each role.
 * @param {Element} parent
 * @param {Roles} roles
 * @param {(role: string, row: number, column: number, number: number) => void} change
 */
function numberTable(parent, roles, change) {
  const look = "border-collapse: collapse; margin: 0";
  const line = html(parent, "div", { style: "flex: 1 0 100%" });
  const table = html(line, "table", { style: look });
  const cell = "border: 0; padding: 1px 2px; text-align: left; font-weight: normal";
  const head = html(table, "tr", { style: "background: none; border: 0" });
  html(head, "td", { style: cell });
  for (const role of ROLES) {
    const line = `border-bottom: 4px solid var(--role-${role})`;
    html(head, "th", { scope: "col", colspan: 2, style: `${cell}; ${line}` }, role);
  }
  return WORDS.flatMap((word, row) => {
    const cells = html(table, "tr", { style: "background: none; border: 0" });
    html(cells, "th", { scope: "row", style: cell }, word);
    return ROLES.flatMap((role) =>
      [0, 1].map((column) => {
        const input = /** @type {HTMLInputElement} */ (
          html(html(cells, "td", { style: cell }), "input", {
            type: "number",
            min: -MOST,
            max: MOST,
            step: 0.5,
            value: roles[role][row][column],
            "aria-label": `${role} of ${word}, number ${column + 1}`,
            style: "box-sizing: border-box; padding: 2px 1px 2px 5px; width: 43px",
          })
        );
        input.addEventListener("input", () => {
          const number = input.valueAsNumber;
          if (Math.abs(number) <= MOST) change(role, row, column, number);
        });
        return { input, role, row, column };
      }),
    );
  });
}

/**
 * The way of one word: a column for each key, a line for each step done so far.
 * @param {SVGElement} drawing
 * @param {number} width
 * @param {{roles: Roles, word: number, step: number,
 *   found: ReturnType<typeof steps>}} now
 * @returns {number} how far down it went
 */
function drawWay(drawing, width, { roles, word, step, found }) {
  const left = 84;
  const each = (width - left) / WORDS.length;
  const query = roles.query[word];
  const powers = found.scaled[word].map(Math.exp);
  const sum = powers.reduce((a, b) => a + b, 0);
  let y = 18;
  /**
   * @param {string} name
   * @param {(key: number) => string} text
   * @param {{role?: string, share?: (key: number) => number}} [look]
   */
  const line = (name, text, { role, share } = {}) => {
    svg(drawing, "text", { x: 0, y }, name);
    WORDS.forEach((_, key) => {
      const x = left + each * key;
      if (role) {
        const fill = shade(share ? share(key) : 0.3, role);
        const stroke = `var(--role-${role})`;
        const box = { x: x + 2, y: y - 17, width: each - 4, height: 24, rx: 3 };
        svg(drawing, "rect", { ...box, fill, stroke });
      }
      const middle = { x: x + each / 2, y, "text-anchor": "middle", class: "number" };
      svg(drawing, "text", middle, text(key));
    });
    y += 28;
  };
  svg(drawing, "text", { x: 0, y }, `query of ${WORDS[word]}: ${pair(query)}`);
  const under = { x1: 0, x2: left + 70, y1: y + 7, y2: y + 7, "stroke-width": 3 };
  svg(drawing, "line", { ...under, stroke: "var(--role-query)" });
  y += 32;
  line("", (key) => WORDS[key]);
  line("key", (key) => pair(roles.key[key]), { role: "key" });
  if (step >= 1) {
    line("query", (key) => `${plain(query[0])} × ${plain(roles.key[key][0])}`);
    y -= 6;
    line("× key", (key) => `+ ${plain(query[1])} × ${plain(roles.key[key][1])}`);
    line("score", (key) => short(found.scores[word][key]), { role: "key" });
  }
  if (step >= 2) line("÷ √2", (key) => short(found.scaled[word][key]), { role: "key" });
  if (step >= 3) {
    line("e to that", (key) => short(powers[key]));
    line(`÷ ${short(sum)}`, (key) => short(found.weights[word][key]), {
      role: "weight",
      share: (key) => found.weights[word][key],
    });
  }
  if (step >= 4) drawMix();
  return y - 8;

  function drawMix() {
    line("value", (key) => pair(roles.value[key]), { role: "value" });
    for (const column of [0, 1]) {
      const parts = WORDS.map((_, key) => {
        return found.weights[word][key] * roles.value[key][column];
      });
      line(column ? "" : "share of it", (key) => short(parts[key]));
      y -= 6;
    }
    y += 6;
    const output = found.output[word].map((number) => short(number)).join(", ");
    svg(drawing, "text", { x: 0, y }, "sum");
    const box = { x: left + 2, y: y - 17, width: 3 * each - 4, height: 24, rx: 3 };
    const look = { fill: shade(0.3, "value"), stroke: "var(--role-value)" };
    svg(drawing, "rect", { ...box, ...look, "stroke-width": 2 });
    const middle = { x: left + 1.5 * each, y, "text-anchor": "middle" };
    svg(drawing, "text", middle, `output (${output})`);
    y += 28;
  }
}

/**
 * The same step for all words, as a matrix; a row is pressed to follow its word.
 * @param {SVGElement} drawing @param {number} left @param {number} top
 * @param {{rows: ReturnType<typeof steps>, word: number, step: number}} now
 * @returns {number} how far down it went
 */
function drawAll(drawing, left, top, { rows, word, step }) {
  if (step === 0) return top;
  const { name, matrix } = STEPS[step];
  const found = rows[/** @type {keyof typeof rows} */ (matrix)];
  const role = matrix === "weights" ? "weight" : matrix === "output" ? "value" : "key";
  svg(drawing, "text", { x: left, y: top + 16, class: "soft" }, "all three words:");
  svg(drawing, "text", { x: left, y: top + 36 }, name.slice(3));
  if (matrix !== "output") {
    WORDS.forEach((key, at) => {
      const middle = { x: left + 48 + 56 * (at + 0.5), "text-anchor": "middle" };
      svg(drawing, "text", { ...middle, y: top + 60 }, key);
    });
  }
  found.forEach((row, at) => {
    const y = top + 68 + 38 * at;
    const line = svg(drawing, "g", {
      key: at,
      role: "button",
      "aria-pressed": String(at === word),
      "aria-label": `follow ${WORDS[at]}: ${row.map((n) => short(n)).join(", ")}`,
    });
    svg(line, "text", { x: left + 4, y: y + 24 }, WORDS[at]);
    row.forEach((number, column) => {
      const x = left + 48 + 56 * column;
      const fill = shade(matrix === "weights" ? number : 0.15, role);
      svg(line, "rect", { x, y, width: 54, height: 36, rx: 3, fill });
      const middle = { x: x + 27, y: y + 23, "text-anchor": "middle", class: "number" };
      svg(line, "text", middle, short(number));
    });
    const frame = { x: left, y, width: 48 + 56 * row.length, height: 36, rx: 3 };
    const stroke = at === word ? "var(--role-query)" : "transparent";
    svg(line, "rect", { ...frame, fill: "transparent", stroke, "stroke-width": 3 });
  });
  return top + 68 + 38 * WORDS.length + 4;
}
