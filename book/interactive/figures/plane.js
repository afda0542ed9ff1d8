// Chapter 9: the plane of the smallest translator: drag its words, train it by steps.

import { softmax } from "../arrays.js";
import { button, choice, fixed, onDrag, panel, shade, svg } from "../draw.js";
import {
  Adam, changed, forward, GradientDescent, gradientOf, PHRASES, SOURCE_WORDS,
  TARGET_WORDS, translate, untrained,
} from "../smallest.js";

const REACH = 4; // of the plane of words
const PHASES = ["forward", "loss", "gradient", "step"];
const REGIONS = ["weight", "key", "query", "word", "value"]; // one for each word
const NAMES = ["lets go", "to go"];
const LINES = [undefined, "6 4"]; // solid for the first phrase, dashed for the second

/** @typedef {[number, number]} Point */

/**
 * The part of a square in which one word has the highest score, as a polygon.
 * @param {number} word
 * @param {(x: number, y: number) => ArrayLike<number>} scores of all words, at a point
 * @param {number} reach half a side of the square
 * @returns {Point[]}
 */
export function region(word, scores, reach) {
  /** @type {Point[]} */
  let corners = [[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]];
  for (let other = 0; other < TARGET_WORDS.length; other++) {
    const lead = (/** @type {Point} */ [x, y]) =>
      scores(x, y)[word] - scores(x, y)[other];
    corners = corners.flatMap((corner, i) => {
      // A corner stays where the word leads; a side is cut where both are equal.
      const before = corners.at(i - 1) ?? corner;
      const [l0, l1] = [lead(before), lead(corner)];
      const share = l0 / (l0 - l1);
      /** @type {Point} */
      const cut = [
        before[0] + share * (corner[0] - before[0]),
        before[1] + share * (corner[1] - before[1]),
      ];
      return [...(l0 * l1 < 0 ? [cut] : []), ...(l1 >= 0 ? [corner] : [])];
    });
  }
  return corners;
}

/** @param {HTMLElement} root */
export function mount(root) {
  let numbers = untrained();
  /** @type {Adam | GradientDescent} */
  let optimizer = new Adam(0.1);
  let kind = "adam";
  let steps = 0;
  let phase = 0;
  let side = "encoder";
  let reach = 4;
  let area = 300; // the side of a plane, in pixels
  let arrows = false;

  const { controls, picture, redraw, say } = panel(root, {
    title: "The plane of the smallest translator",
    hint:
      "Train it, a quarter of a step at a time or ten steps at once. Then drag a " +
      "word in the first plane, watch where the decoder lands in the second (solid " +
      "for lets go, dashed for to go), and train on.",
    label: "Two planes: the words, and where the decoder lands",
    draw,
  });
  const next = button(controls, "next: forward", quarter);
  button(controls, "10 steps", () => {
    for (let i = 0; i < 10; i++) step();
    phase = 0;
    update(summary());
  });
  button(controls, "start again", start);
  choice(controls, {
    label: "drag",
    options: [
      { value: "encoder", label: "English words" },
      { value: "decoder", label: "Spanish words" },
    ],
    value: side,
    change: (value) => {
      side = value;
      update(summary());
    },
  });
  choice(controls, {
    label: "steps by",
    options: [
      { value: "adam", label: "Adam" },
      { value: "plain", label: "plain gradient" },
    ],
    value: kind,
    change: (value) => {
      kind = value;
      start();
    },
  });
  onDrag(
    picture,
    (key, x, y) => {
      const unit = area / 2 / REACH;
      move(Number(key), (x - area / 2) / unit, (area / 2 + 24 - y) / unit);
    },
    (key, right, down) => {
      const [x, y] = words().row(Number(key));
      move(Number(key), x + 0.1 * right, y - 0.1 * down);
    },
  );
  start();

  function start() {
    numbers = untrained();
    optimizer = kind === "adam" ? new Adam(0.1) : new GradientDescent(0.1);
    steps = phase = 0;
    update(summary());
  }

  /** The table of the words that can be dragged. */
  function words() {
    return numbers[`${side}.embedding.weight`];
  }

  /**
   * @param {number} id
   * @param {number} x
   * @param {number} y
   */
  function move(id, x, y) {
    const place = [x, y].map((n) => Math.min(REACH, Math.max(-REACH, n)));
    const table = changed(words(), (n, i) => (i >> 1 === id ? place[i % 2] : n));
    numbers = { ...numbers, [`${side}.embedding.weight`]: table };
    phase = 0;
    const name = (side === "encoder" ? SOURCE_WORDS : TARGET_WORDS)[id];
    const shown = place.map((n) => fixed(n, 1)).join(", ");
    update(`${name} stands at (${shown}). ${summary()}`);
  }

  function step() {
    numbers = optimizer.step(numbers, gradientOf(numbers).gradient);
    steps += 1;
  }

  /** One quarter of a step of training. */
  function quarter() {
    const { loss, chances, gradient } = gradientOf(numbers);
    const told = [
      () => "Forward: the scores of the four answers become probabilities.",
      () =>
        "Loss: minus the logarithm of each outlined probability is " +
        `${chances.map((p) => fixed(-Math.log(p))).join(", ")}; their mean is ` +
        `${fixed(loss)}.`,
      () => {
        const all = Object.values(gradient).flatMap((each) => Array.from(each.data));
        const largest = Math.max(...all.map(Math.abs));
        return (
          "Gradient: the arrows show which way each word must go for the loss to " +
          "fall, the steepest longest. Of all 69 slopes the steepest is " +
          `${fixed(largest)}.`
        );
      },
      () => {
        step();
        return `Step ${steps} is done: all 69 numbers have moved. ${summary()}`;
      },
    ][phase];
    const sentence = told();
    const shown = phase;
    phase = (phase + 1) % PHASES.length;
    update(sentence, shown);
  }

  function summary() {
    const written = PHRASES.map(
      ({ src }, i) => `${NAMES[i]} → ${translate(numbers, src).join(" ")}`,
    );
    const { loss } = gradientOf(numbers);
    return `After ${steps} steps: ${written.join("; ")}. Loss ${fixed(loss)}.`;
  }

  /**
   * @param {string} sentence
   * @param {number} [shown] the phase that the drawing shows
   */
  function update(sentence, shown = -1) {
    next.textContent = `next: ${PHASES[phase]}`;
    arrows = shown === 2;
    redraw();
    say(sentence);
  }

  /**
   * @param {SVGElement} drawing
   * @param {number} width
   */
  function draw(drawing, width) {
    const beside = width >= 560;
    area = Math.min(320, beside ? (width - 24) / 2 : width);
    drawWords(drawing);
    const seen = PHRASES.map(({ src, tgtIn }) => forward(numbers, src, tgtIn));
    const [left, top] = beside ? [area + 24, 24] : [0, area + 58];
    drawLanding(drawing, seen, left, top);
    return drawAnswers(drawing, seen, top + area + 30, Math.min(width, 2 * area + 24));
  }

  /**
   * The words of one language, to be dragged.
   * @param {SVGElement} drawing
   */
  function drawWords(drawing) {
    const unit = area / 2 / REACH;
    const names = side === "encoder" ? SOURCE_WORDS : TARGET_WORDS;
    plane(drawing, 0, 24, side === "encoder" ? "English words" : "Spanish words");
    const slopes = gradientOf(numbers).gradient[`${side}.embedding.weight`];
    const lengths = slopes.toRows().map(([x, y]) => Math.hypot(x, y));
    const longest = Math.max(1e-9, ...lengths);
    names.forEach((name, id) => {
      const [x, y] = words().row(id);
      const [cx, cy] = [area / 2 + unit * x, 24 + area / 2 - unit * y];
      const shown = `(${fixed(x, 1)}, ${fixed(y, 1)})`;
      const point = svg(drawing, "g", {
        key: id,
        role: "slider",
        "data-drag": true,
        "aria-label": name,
        "aria-valuenow": x.toFixed(1),
        "aria-valuemin": -REACH,
        "aria-valuemax": REACH,
        "aria-valuetext": shown,
      });
      svg(point, "circle", { cx, cy, r: 18, fill: "transparent" });
      if (arrows) {
        const [dx, dy] = Array.from(slopes.row(id), (d) => (-45 * d) / longest);
        const way = { x1: cx, y1: cy, x2: cx + dx, y2: cy - dy };
        const line = { stroke: "var(--role-mistake)", "stroke-width": 3 };
        svg(point, "line", { ...way, ...line, class: "slope" });
      }
      const dot = { cx, cy, r: 7, fill: "var(--role-word)", stroke: "var(--ink)" };
      svg(point, "circle", dot);
      const after = cx < area - 60;
      const anchor = after ? "start" : "end";
      const place = { x: cx + (after ? 11 : -11), y: cy - 8, "text-anchor": anchor };
      svg(point, "text", place, name);
    });
  }

  /**
   * Where attention moves the decoder's points, and which word wins where.
   * @param {SVGElement} drawing
   * @param {import("../smallest.js").Seen[]} seen
   * @param {number} left
   * @param {number} top
   */
  function drawLanding(drawing, seen, left, top) {
    const paths = seen.flatMap(({ words: start, heard, read }, phrase) =>
      [0, 1].map((t) => ({
        phrase,
        t,
        way: [start, heard, read].map((each) => Array.from(each.row(t))),
      })),
    );
    const far = Math.max(...paths.flatMap(({ way }) => way.flat().map(Math.abs)));
    reach = [2, 4, 8, 16].find((size) => 0.95 * size > far) ?? 1.1 * far;
    const unit = area / 2 / reach;
    const at = (/** @type {ArrayLike<number>} */ p) =>
      [left + area / 2 + unit * p[0], top + area / 2 - unit * p[1]];
    plane(drawing, left, top, `Where the decoder lands (up to ±${fixed(reach, 0)})`);
    const weight = numbers["decoder.output_proj.weight"];
    const bias = numbers["decoder.output_proj.bias"].data;
    const scores = (/** @type {number} */ x, /** @type {number} */ y) =>
      bias.map((b, id) => weight.row(id)[0] * x + weight.row(id)[1] * y + b);
    TARGET_WORDS.forEach((word, id) => {
      const corners = region(id, scores, reach);
      if (!corners.length) return;
      const points = corners.map((corner) => at(corner).join(",")).join(" ");
      const fill = shade(0.3, REGIONS[id]);
      svg(drawing, "polygon", { points, fill, stroke: "var(--paper)" });
      const sum = corners.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
      const [x, y] = at(sum.map((n) => n / corners.length));
      const middle = { x, y, "text-anchor": "middle", style: "font-weight: 600" };
      svg(drawing, "text", middle, word);
    });
    for (const { phrase, t, way } of paths) {
      const points = way.map((point) => at(point).join(",")).join(" ");
      const line = { fill: "none", stroke: "var(--ink)", "stroke-width": 1.7 };
      svg(drawing, "polyline", { points, ...line, "stroke-dasharray": LINES[phrase] });
      const [[sx, sy], [x, y]] = [at(way[0]), at(way[2])];
      svg(drawing, "circle", { cx: sx, cy: sy, r: 3.5, fill: "var(--ink)" });
      const star = { x, y: y + 6, "text-anchor": "middle", style: "font-size: 18px" };
      svg(drawing, "text", star, t ? "☆" : "★");
    }
  }

  /**
   * The four answers of teacher forcing, as probabilities; the right ones outlined.
   * @param {SVGElement} drawing
   * @param {import("../smallest.js").Seen[]} seen
   * @param {number} top
   * @param {number} width
   */
  function drawAnswers(drawing, seen, top, width) {
    const labels = Math.min(150, 0.37 * width);
    const cell = Math.min(70, (width - labels) / TARGET_WORDS.length);
    TARGET_WORDS.forEach((word, id) => {
      const place = { x: labels + cell * (id + 0.5), y: top, "text-anchor": "middle" };
      svg(drawing, "text", { ...place, style: "font-size: 13px" }, word);
    });
    PHRASES.forEach(({ tgtIn, tgtOut }, phrase) =>
      tgtIn.forEach((given, t) => {
        const y = top + 8 + 28 * (2 * phrase + t);
        const sign = t ? "☆" : "★";
        const asked = `${NAMES[phrase]}, ${TARGET_WORDS[given]} ${sign}`;
        svg(drawing, "text", { x: 0, y: y + 19, style: "font-size: 13px" }, asked);
        softmax(seen[phrase].scores.row(t)).forEach((p, id) => {
          const right = id === tgtOut[t];
          svg(drawing, "rect", {
            x: labels + cell * id + 2,
            y: y + 2,
            width: cell - 4,
            height: 24,
            fill: shade(0.8 * p),
            stroke: right ? "var(--accent)" : "var(--line)",
            "stroke-width": right ? 3 : 1,
          });
          const middle = { x: labels + cell * (id + 0.5), y: y + 19, class: "number" };
          const name = right ? "right" : undefined;
          const cellText = { ...middle, "text-anchor": "middle", "data-answer": name };
          svg(drawing, "text", cellText, fixed(p));
        });
      }),
    );
    return top + 8 + 28 * 4 + 6;
  }

  /**
   * An empty plane with its two axes.
   * @param {SVGElement} drawing
   * @param {number} x
   * @param {number} y
   * @param {string} title
   */
  function plane(drawing, x, y, title) {
    svg(drawing, "text", { x, y: y - 8 }, title);
    const line = { fill: "none", stroke: "var(--line)" };
    svg(drawing, "rect", { x, y, width: area, height: area, ...line });
    const d = `M${x} ${y + area / 2} h${area} M${x + area / 2} ${y} v${area}`;
    svg(drawing, "path", { d, stroke: "var(--line)", "stroke-dasharray": "2 4" });
  }
}
