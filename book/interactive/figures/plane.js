// Chapter 5: the plane of the smallest translator: drag its words, train it by steps. It
// opens with its first words alone, and later as a whole.

import { softmax } from "../arrays.js";
import { choice, mainButton, pushButton } from "../controls.js";
import { Adam, changed, GradientDescent } from "../descent.js";
import {
  BOLD, circle, counted, fixed, MIDDLE, segment, shade, svg, through, widthOf, write,
} from "../draw.js";
import { filled, mounting, Panels, plot, table } from "../panels.js";
import { dragPoints, Plane, writeNames } from "../plane.js";
import {
  forward, gradientOf, PHRASES, SOURCE_WORDS, TARGET_WORDS, translate, untrained,
} from "../smallest.js";

const REACH = 4; // of the plane of words
const [TOP, SIDE] = [24, 296]; // of both planes
const SIZE = [SIDE + 2, TOP + SIDE + 2];
const REGIONS = ["weight", "key", "query", "word", "value"]; // one for each word
const ASKED = ["lets go", "to go"];
const LINES = [undefined, "6 4"]; // solid for the first phrase, dashed for the second

/** @type {Record<string, {title: string, hint: string, label: string}>} */
const OPENINGS = {
  first: {
    title: "After how many steps has each phrase its own word for good?",
    hint: "Each phrase lands in the plane, at its star. The region there is its first word.",
    label: "Where the phrases land, and what is written",
  },
  whole: {
    title: "The plane of the smallest translator",
    hint:
      "Train it, a quarter of a step at a time or ten steps at once. Then drag a word in " +
      "the first plane, and watch the second: lines lead from a word (●) to where the " +
      "decoder lands for the first word (★) and the second (☆), solid for lets go, dashed " +
      "for to go.",
    label: "Two planes: the words, and where the decoder lands",
  },
};

const PHASES = ["forward", "loss", "gradient", "step"];
/** @type {Record<string, string[]>} */
const NAMES = { encoder: SOURCE_WORDS, decoder: TARGET_WORDS };

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

class SmallestPlane extends Panels {
  numbers = untrained();
  kind = "adam";
  /** @type {Adam | GradientDescent} */
  optimizer = new Adam(0.1);
  /** The loss before the first step, and after each one. */
  losses = [this.loss()];
  /** The quarter of a step that comes next, and the one that was made just now. */
  phase = 0;
  shown = -1;
  side = "encoder";
  sentence = this.summary();
  plane = new Plane([1, TOP], SIDE, -REACH, REACH);

  /** @param {HTMLElement} root */
  constructor(root) {
    const { opened = "whole" } = root.dataset;
    super(root, OPENINGS[opened]);
    this.first = opened === "first";
    if (this.first) {
      const step = () => {
        this.step();
        this.show(this.summary());
      };
      mainButton(this.controls, "Train one step", step);
      pushButton(this.controls, "start again", () => this.start(), () => !this.steps);
      this.addPicture((drawing) => this.drawLanding(drawing));
      table(this, () => this.written());
      return;
    }
    this.addControls();
    this.addPicture((drawing) => this.drawWords(drawing));
    this.addPicture((drawing) => this.drawLanding(drawing));
    table(this, () => this.answers());
    plot(this, () => this.curve());
    dragPoints(this, 0.1, (key) => this.words.row(Number(key)));
  }

  addControls() {
    const { controls } = this;
    const next = () => `next: ${PHASES[this.phase]}`;
    mainButton(controls, next, () => this.quarter());
    pushButton(controls, "10 steps", () => {
      for (let i = 0; i < 10; i++) this.step();
      this.show(this.summary());
    });
    pushButton(controls, "start again", () => this.start());
    choice(controls, "side", "drag", [
      ["encoder", "English words"],
      ["decoder", "Spanish words"],
    ]);
    choice(controls, "kind", "steps by", [
      ["adam", "Adam"],
      ["plain", "plain gradient"],
    ]);
  }

  /** @param {unknown} name */
  changed(name) {
    if (name === "kind") this.start();
    if (name === "side") this.show(this.summary(), this.phase);
  }

  start() {
    this.numbers = untrained();
    this.optimizer = new (this.kind === "adam" ? Adam : GradientDescent)(0.1);
    this.losses = [this.loss()];
    this.show(this.summary());
  }

  loss() {
    return gradientOf(this.numbers).loss;
  }

  get steps() {
    return this.losses.length - 1;
  }

  /**
   * What to say, and where the training stands.
   * @param {string} sentence
   * @param {number} [phase] the quarter that comes next
   * @param {number} [shown] the quarter that was made just now
   */
  show(sentence, phase = 0, shown = -1) {
    Object.assign(this, { sentence, phase, shown });
  }

  /** The table of the words that can be dragged. */
  get words() {
    return this.numbers[`${this.side}.embedding.weight`];
  }

  /** @param {string} key @param {number[]} to */
  move(key, to) {
    const id = Number(key);
    const place = to.map((n) => Math.min(REACH, Math.max(-REACH, n)));
    const table = changed(this.words, (n, i) => (i >> 1 === id ? place[i % 2] : n));
    this.numbers = { ...this.numbers, [`${this.side}.embedding.weight`]: table };
    this.losses[this.steps] = this.loss();
    const at = place.map((n) => fixed(n, 1)).join(", ");
    this.show(`${NAMES[this.side][id]} stands at (${at}). ${this.summary()}`);
    this.update();
  }

  step() {
    this.numbers = this.optimizer.step(this.numbers, gradientOf(this.numbers).gradient);
    this.losses.push(this.loss());
  }

  /** What the model makes of both phrases. */
  get seen() {
    return PHRASES.map(({ src, tgtIn }) => forward(this.numbers, src, tgtIn));
  }

  /** One quarter of a step of training. */
  quarter() {
    const { phase } = this;
    const { loss, chances, gradient } = gradientOf(this.numbers);
    if (PHASES[phase] === "step") this.step();
    const all = Object.values(gradient).flatMap((each) => Array.from(each.data));
    const largest = fixed(Math.max(...all.map(Math.abs)));
    const sentence = [
      "Forward: the scores of the four answers become probabilities.",
      "Loss: minus the logarithm of each outlined probability is " +
        `${chances.map((p) => fixed(-Math.log(p))).join(", ")}; their mean is ` +
        `${fixed(loss)}.`,
      "Gradient: the arrows show which way each word must go for the loss to " +
        `fall, the steepest longest. Of all 69 slopes the steepest is ${largest}.`,
      `Step ${this.steps} is done: the numbers have moved. ${this.summary()}`,
    ][phase];
    this.show(sentence, (phase + 1) % PHASES.length, phase);
  }

  summary() {
    const written = PHRASES.map(
      ({ src }, i) => `${ASKED[i]} → ${translate(this.numbers, src).join(" ")}`,
    );
    const loss = fixed(this.losses[this.steps]);
    return `After ${counted(this.steps, "step")}: ${written.join("; ")}. Loss ${loss}.`;
  }

  tell() {
    if (!this.first) return this.sentence;
    const right = this.written().filter(([, wanted, given]) => Object(given).text === `${wanted} ✓`);
    return `After ${counted(this.steps, "step")} ${right.length} of 2 phrases are right.`;
  }

  /** The words of one language, to be dragged. @param {SVGElement} drawing */
  drawWords(drawing) {
    const { plane, side, words } = this;
    plane.draw(drawing, side === "encoder" ? "English words" : "Spanish words");
    const slopes = gradientOf(this.numbers).gradient[`${side}.embedding.weight`];
    const lengths = slopes.toRows().map(([x, y]) => Math.hypot(x, y));
    const longest = Math.max(1e-9, ...lengths);
    NAMES[side].forEach((name, id) => {
      const [x, y] = words.row(id);
      const [cx, cy] = plane.placed([x, y]);
      const point = svg(drawing, "g", {
        key: id, role: "slider", "data-drag": true, "aria-label": name,
        "aria-valuenow": x.toFixed(1), "aria-valuemin": -REACH, "aria-valuemax": REACH,
        "aria-valuetext": `(${fixed(x, 1)}, ${fixed(y, 1)})`,
      });
      circle(point, [cx, cy], 18, { fill: "transparent" });
      if (PHASES[this.shown] === "gradient") {
        const [dx, dy] = Array.from(slopes.row(id), (d) => (-45 * d) / longest);
        const look = { stroke: "var(--role-mistake)", "stroke-width": 3, class: "slope" };
        segment(point, [cx, cy], [cx + dx, cy - dy], look);
      }
      circle(point, [cx, cy], 7, { fill: "var(--role-word)", stroke: "var(--ink)" });
    });
    writeNames(drawing, plane, NAMES[side].map((name, id) => [name, words.row(id)]));
    return SIZE;
  }

  /** What is written for both phrases, and what is right. */
  written() {
    const rows = PHRASES.map(({ src, tgtOut }, phrase) => {
      const text = translate(this.numbers, src).join(" ");
      const right = tgtOut.map((id) => TARGET_WORDS[id]).join(" ");
      const style = `background: ${text === right ? shade(0.4, "key") : "var(--field)"}`;
      return [ASKED[phrase], right, { text: text + (text === right ? " ✓" : ""), style }];
    });
    return [["phrase", "right", `written after ${counted(this.steps, "step")}`], ...rows];
  }

  /** The loss over the steps. */
  curve() {
    const points = this.losses.map((loss, step) => [step, loss]);
    const now = points[this.steps];
    return {
      title: "loss, step by step", last: Math.max(30, this.steps), unit: "steps",
      levels: [0, Math.max(2, ...this.losses)], curves: [points], now, said: fixed(now[1]),
    };
  }

  /** The four answers of teacher forcing, as probabilities; the right ones outlined. */
  answers() {
    const { seen } = this;
    const rows = PHRASES.flatMap(({ tgtIn, tgtOut }, phrase) =>
      tgtIn.map((given, t) => [
        `${ASKED[phrase]}, ${TARGET_WORDS[given]} ${t ? "☆" : "★"}`,
        ...Array.from(softmax(seen[phrase].scores.row(t)), (p, id) =>
          filled(fixed(p), shade(0.8 * p), { "data-answer": id === tgtOut[t] && "right" }),
        ),
      ]),
    );
    return [["", ...TARGET_WORDS], ...rows];
  }

  /**
   * Where attention moves the decoder's points, and which word wins where.
   * @param {SVGElement} drawing
   */
  drawLanding(drawing) {
    const paths = this.seen.flatMap(({ words, heard, read }, phrase) =>
      (this.first ? [0] : [0, 1]).map((t) => {
        return { phrase, t, way: [words, heard, read].map((each) => each.row(t)) };
      }),
    );
    const seen = paths.flatMap(({ way }) => (this.first ? [way[2]] : way));
    const all = seen.flatMap((point) => Array.from(point));
    const far = Math.max(...all.map(Math.abs));
    const reach = [2, 4, 8, 16].find((size) => 0.95 * size > far) ?? 1.1 * far;
    const plane = new Plane([1, TOP], SIDE, -reach, reach);
    plane.draw(drawing, `Where ${this.first ? "it" : "the decoder"} lands (up to ±${fixed(reach, 0)})`);
    const regions = this.drawRegions(drawing, plane, reach);
    /** @type {number[][]} places that no name may cover */
    const covered = [];
    if (this.first) {
      /** @type {[string, ArrayLike<number>][]} */
      const stars = paths.map(({ phrase, way }) => [ASKED[phrase], way[2]]);
      for (const [left, top, right, bottom] of writeNames(drawing, plane, stars)) {
        for (let x = left; x <= right; x += 8) covered.push([x, (top + bottom) / 2]);
      }
    }
    for (const { phrase, t, way } of paths) {
      const [start, heard, end] = way.map((point) => plane.placed(point));
      const look = { ...MIDDLE, style: "font-size: 18px" };
      write(drawing, end[0], end[1] + 6, t ? "☆" : "★", look);
      if (this.first) continue;
      for (let share = 0; share <= 1; share += 0.05) {
        covered.push(between(start, heard, share), between(heard, end, share));
      }
      through(drawing, "polyline", [start, heard, end], {
        fill: "none", stroke: "var(--ink)", "stroke-width": 1.7,
        "stroke-dasharray": LINES[phrase],
      });
      circle(drawing, start, 3.5, { fill: "var(--ink)" });
    }
    for (const { word, corners } of regions) {
      const across = corners.map(([x]) => x);
      if (Math.max(...across) - Math.min(...across) < widthOf(word)) continue; // no room
      const [x, y] = roomFor(word, corners, covered);
      write(drawing, x, y + 5, word, { ...MIDDLE, ...BOLD });
    }
    return SIZE;
  }

  /**
   * The regions of the words; gives back their names and their corners in pixels.
   * @param {SVGElement} drawing @param {Plane} plane @param {number} reach
   */
  drawRegions(drawing, plane, reach) {
    const weight = this.numbers["decoder.output_proj.weight"];
    const bias = this.numbers["decoder.output_proj.bias"].data;
    const scores = (/** @type {number} */ x, /** @type {number} */ y) =>
      bias.map((b, id) => weight.row(id)[0] * x + weight.row(id)[1] * y + b);
    return TARGET_WORDS.flatMap((word, id) => {
      const corners = region(id, scores, reach).map((point) => plane.placed(point));
      if (!corners.length) return [];
      const look = { fill: shade(0.3, REGIONS[id]), stroke: "var(--paper)" };
      through(drawing, "polygon", corners, look);
      return [{ word, corners }];
    });
  }
}

/** @param {number[]} a @param {number[]} b @param {number} share of the way to b */
function between(a, b, share) {
  return a.map((n, i) => n + share * (b[i] - n));
}

/**
 * Where in its region a name covers the least, its middle if that is free.
 * @param {string} word
 * @param {number[][]} corners
 * @param {number[][]} covered
 */
function roomFor(word, corners, covered) {
  const middle = [0, 1].map((i) => corners.reduce((sum, c) => sum + c[i], 0) / corners.length);
  const ways = corners.flatMap((corner, i) => [
    corner, between(corner, corners.at(i - 1) ?? corner, 0.5),
  ]);
  const spots = [0, 0.2, 0.35, 0.5, 0.65].flatMap((far) =>
    ways.map((way) => between(middle, way, far)),
  );
  const wide = 0.55 * widthOf(word) + 8; // half a bold word, half a star
  const hits = spots.map(
    ([x, y]) =>
      covered.filter((c) => Math.abs(c[0] - x) < wide && Math.abs(c[1] - y) < 14).length,
  );
  return spots[hits.indexOf(Math.min(...hits))];
}

export const mount = mounting(SmallestPlane);
