// Chapter 5: the plane of the smallest translator: drag its words, train it by steps. It
// opens with its first words alone, and later as a whole.

import { softmax } from "../arrays.js";
import { choice, mainButton, pushButton } from "../controls.js";
import { Adam, changed, GradientDescent } from "../descent.js";
import { circle, counted, fixed, segment, shade, through, widthOf, write } from "../draw.js";
import { filled, mounting, Panels, plot, table, written } from "../panels.js";
import { dragPoints, drawTip, Plane, writeName, writeNames } from "../plane.js";
import {
  forward, gradientOf, PHRASES, SOURCE_WORDS, TARGET_WORDS, translate, untrained,
} from "../smallest.js";

const REACH = 4; // of the plane of words
const SIDE = 296; // of both planes, in pixels
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

/** @typedef {import("../draw.js").Point} Point */

/**
 * The part of a square in which one word has the highest score, as a polygon.
 * @param {number} word
 * @param {(point: Point) => ArrayLike<number>} scores of all words, at a point
 * @param {number} reach half a side of the square
 * @returns {Point[]}
 */
export function region(word, scores, reach) {
  let corners = [[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]];
  TARGET_WORDS.forEach((_, other) => {
    const leads = corners.map((corner) => scores(corner)[word] - scores(corner)[other]);
    corners = corners.flatMap((corner, i) => {
      // A corner stays where the word leads; a side is cut where both are equal.
      const [before, lead] = [leads.at(i - 1) ?? 0, leads[i]];
      const cut = between(corners.at(i - 1) ?? corner, corner, before / (before - lead));
      return [...(before * lead < 0 ? [cut] : []), ...(lead >= 0 ? [corner] : [])];
    });
  });
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
  plane = new Plane(SIDE, -REACH, REACH);

  /** @param {HTMLElement} root */
  constructor(root) {
    const { opened = "whole" } = root.dataset;
    super(root, OPENINGS[opened]);
    this.first = opened === "first";
    if (this.first) {
      mainButton(this.controls, "Train one step", () => this.step());
      pushButton(this.controls, "start again", () => this.start(), () => !this.steps);
      this.addPicture((drawing) => this.drawLanding(drawing));
      table(this, () => [
        ["phrase", "right", `written after ${counted(this.steps, "step")}`],
        ...this.written().map(({ asked, right, text }) => [
          asked, right, written(text, text === right),
        ]),
      ]);
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
    const all = this.written().map(({ asked, text }) => `${asked} → ${text}`);
    const loss = fixed(this.losses[this.steps]);
    return `After ${counted(this.steps, "step")}: ${all.join("; ")}. Loss ${loss}.`;
  }

  tell() {
    if (!this.first) return this.sentence;
    const done = this.written().filter(({ text, right }) => text === right);
    return `After ${counted(this.steps, "step")} ${done.length} of 2 phrases are right.`;
  }

  /** The words of one language, to be dragged. @param {SVGElement} drawing */
  drawWords(drawing) {
    const { plane, side, words } = this;
    const size = plane.draw(drawing, side === "encoder" ? "English words" : "Spanish words");
    const slopes = gradientOf(this.numbers).gradient[`${side}.embedding.weight`].toRows();
    const longest = Math.max(1e-9, ...slopes.map((slope) => Math.hypot(...slope)));
    NAMES[side].forEach((label, key) => {
      const at = words.row(key);
      if (PHASES[this.shown] === "gradient") {
        const [x, y] = plane.placed(at);
        const [dx, dy] = slopes[key].map((slope) => (-45 * slope) / longest);
        segment(drawing, [x, y], [x + dx, y - dy], "slope");
      }
      drawTip(drawing, plane, at, { key, role: "word", label });
    });
    writeNames(drawing, plane, NAMES[side].map((name, id) => [name, words.row(id)]));
    return size;
  }

  /** What is written for both phrases, and what is right. */
  written() {
    return PHRASES.map(({ src, tgtOut }, phrase) => {
      const text = translate(this.numbers, src).join(" ");
      const right = tgtOut.map((id) => TARGET_WORDS[id]).join(" ");
      return { asked: ASKED[phrase], right, text };
    });
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
    const far = Math.max(...seen.flatMap((point) => [...point]).map(Math.abs));
    const reach = [2, 4, 8, 16].find((size) => 0.95 * size > far) ?? 1.1 * far;
    const plane = new Plane(SIDE, -reach, reach);
    const where = `Where ${this.first ? "it" : "the decoder"} lands`;
    const size = plane.draw(drawing, `${where} (up to ±${fixed(reach, 0)})`);
    const regions = this.drawRegions(drawing, plane);
    /** @type {number[][]} boxes that no name may cover */
    let covered = [];
    if (this.first) {
      covered = writeNames(drawing, plane, paths.map(({ phrase, way }) => [ASKED[phrase], way[2]]));
    }
    for (const { phrase, t, way } of paths) {
      const [start, heard, end] = way.map((point) => plane.placed(point));
      write(drawing, end[0], end[1] + 6, t ? "☆" : "★", "middle star");
      if (this.first) continue;
      for (let share = 0; share <= 1; share += 0.05) {
        for (const [x, y] of [between(start, heard, share), between(heard, end, share)]) {
          covered.push([x - 9, y - 9, x + 9, y + 9]);
        }
      }
      const look = { class: "way", "stroke-dasharray": LINES[phrase] };
      through(drawing, "polyline", [start, heard, end], look);
      circle(drawing, start, 3.5, { fill: "var(--ink)" });
    }
    for (const { word, corners } of regions) {
      const across = corners.map(([x]) => x);
      if (Math.max(...across) - Math.min(...across) < widthOf(word)) continue; // no room
      writeName(drawing, plane, word, spotsIn(corners), covered, "title");
    }
    return size;
  }

  /**
   * The regions of the words; gives back their names and their corners in pixels.
   * @param {SVGElement} drawing @param {Plane} plane
   */
  drawRegions(drawing, plane) {
    const weight = this.numbers["decoder.output_proj.weight"];
    const bias = this.numbers["decoder.output_proj.bias"].data;
    const scores = (/** @type {Point} */ [x, y]) =>
      bias.map((b, id) => weight.row(id)[0] * x + weight.row(id)[1] * y + b);
    return TARGET_WORDS.flatMap((word, id) => {
      const corners = region(id, scores, plane.to).map((point) => plane.placed(point));
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

/** Where the name of a region may stand: in its middle, or towards its edge.
 * @param {number[][]} corners */
function spotsIn(corners) {
  const middle = [0, 1].map((i) => corners.reduce((sum, c) => sum + c[i], 0) / corners.length);
  const ways = corners.flatMap((corner, i) => [
    corner, between(corner, corners.at(i - 1) ?? corner, 0.5),
  ]);
  return [0, 0.2, 0.35, 0.5, 0.65].flatMap((far) =>
    ways.map((way) => between(middle, way, far)),
  );
}

export const mount = mounting(SmallestPlane);
