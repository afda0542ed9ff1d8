// Chapter 3: a query dragged among three keys: scores, weights, and the mix of values.

import { Matrix, timesTransposed } from "../arrays.js";
import { scaledDotProductAttention } from "../attention.js";
import { pushButton, slider } from "../controls.js";
import { circle, fixed, segment, shade, through, write } from "../draw.js";
import { bar, mounting, Panels, table } from "../panels.js";
import { dragPoints, drawArrow, Plane } from "../plane.js";

const WORDS = ["dog", "bites", "man"];
/** @type {[string, number][]} */
const STRETCHES = [
  ["twice as long", 2], ["half as long", 0.5], ["turned round", -1], ["zero", 0],
];
const QUERY = [1, 1];
const KEYS = [[1, 2], [-1, 0], [1, 0]];
const VALUES = [[3, 0], [-1, -1], [0, 3]];
const REACH = 3; // how far the plane of queries and keys goes, each way
const SIDE = 276; // of both planes, in pixels
const MIX = new Plane(SIDE, -1.6, 3.6);

/** @typedef {number[]} Vector two numbers */

/**
 * One query's way through attention, with a temperature in place of √d_k.
 * @param {Vector} query
 * @param {Vector[]} keys
 * @param {number} temperature
 * @returns {{scores: number[], weights: number[], output: Vector}}
 */
export function lookUp(query, keys, temperature) {
  const [q, k, v] = [[query], keys, VALUES].map((rows) => Matrix.fromRows(rows));
  const { output, weights } = scaledDotProductAttention(q, k, v, null, temperature);
  const [scores] = timesTransposed(q, k).toRows();
  return { scores, weights: weights.toRows()[0], output: output.toRows()[0] };
}

/**
 * A vector that was stretched, as long as the plane allows.
 * @param {Vector} vector
 * @param {number} times
 * @returns {Vector}
 */
export function stretched(vector, times) {
  const longest = Math.max(...vector.map((number) => Math.abs(number * times)));
  const share = Math.min(1, REACH / (longest || 1));
  return vector.map((number) => number * times * share);
}

/** @param {number} number @returns {number} kept within the plane, in tenths */
function kept(number) {
  return Math.round(10 * Math.min(REACH, Math.max(-REACH, number))) / 10;
}

/** @param {Vector} vector @param {number} digits @returns {string} */
function shown(vector, digits) {
  return `(${vector.map((number) => fixed(number, digits)).join(", ")})`;
}

class Query extends Panels {
  query = QUERY;
  keys = KEYS;
  power = 0.5; // of two, the temperature
  plane = new Plane(SIDE, -REACH, REACH);

  /** @param {HTMLElement} root */
  constructor(root) {
    super(root, {
      title: "Drag the query among the keys",
      hint: "Drag the tip of an arrow, or choose it with Tab and use the arrow keys.",
      label: "The query of bites, three keys, their weights, and the mix of the values",
    });
    slider(this.controls, "power", "temperature τ", [-2, 4, 0.25], (power) =>
      fixed(2 ** power) + (power === 0.5 ? " = √d_k" : ""),
    );
    for (const [label, times] of STRETCHES) {
      pushButton(this.controls, label, () => {
        this.query = stretched(this.query, times);
      });
    }
    pushButton(this.controls, "as in the text", () => {
      Object.assign(this, { query: QUERY, keys: KEYS, power: 0.5 });
    });
    this.addPicture((drawing) => this.drawKeys(drawing));
    table(this, () => {
      const { scores, weights } = this.found;
      const rows = WORDS.map((word, at) => [
        word, fixed(scores[at]), bar(weights[at]), fixed(weights[at]),
      ]);
      return [["", "score", "weight", ""], ...rows];
    });
    this.addPicture((drawing) => drawMix(drawing, this.found));
    dragPoints(this, 0.2, (key) => (key === "query" ? this.query : this.keys[Number(key)]));
  }

  /** @param {string} key @param {Vector} to */
  move(key, to) {
    const at = to.map(kept);
    if (key === "query") this.query = at;
    else this.keys = this.keys.map((old, word) => (word === Number(key) ? at : old));
    this.update();
  }

  get temperature() {
    return 2 ** this.power;
  }

  get found() {
    return lookUp(this.query, this.keys, this.temperature);
  }

  tell() {
    const { scores, weights, output } = this.found;
    const told = WORDS.map((word, at) => `${word} ${fixed(weights[at])}`).join(", ");
    return (
      `The query ${shown(this.query, 1)} scores ` +
      `${scores.map((score) => fixed(score)).join(", ")}. ` +
      `At τ = ${fixed(this.temperature)} its weights are ${told}; ` +
      `the output is ${shown(output, 2)}.`
    );
  }

  /** @param {SVGElement} drawing */
  drawKeys(drawing) {
    const { plane, keys, query } = this;
    const size = plane.draw(drawing, "one query, three keys");
    keys.forEach((at, key) => {
      const label = `the key of ${WORDS[key]}`;
      drawArrow(drawing, plane, at, { key, role: "key", label });
      writeBeyond(drawing, plane, at, WORDS[key]);
    });
    drawArrow(drawing, plane, query, { key: "query", role: "query", label: "the query of bites" });
    writeBeyond(drawing, plane, query, "query");
    return size;
  }
}

/**
 * Write a name beyond the tip of its arrow, unless the plane ends there.
 * @param {SVGElement} drawing @param {Plane} plane @param {Vector} at @param {string} name
 */
function writeBeyond(drawing, plane, at, name) {
  const [x, y] = plane.placed(at);
  const right = (at[0] >= 0 && x < 0.8 * SIDE) || x < 0.2 * SIDE;
  write(drawing, right ? x + 12 : x - 12, y + 5, name, right ? "" : "end");
}

/**
 * The values, and the output that lies between them.
 * @param {SVGElement} drawing @param {{weights: number[], output: Vector}} found
 */
function drawMix(drawing, { weights, output }) {
  const size = MIX.draw(drawing, "three values; the ring is the output");
  const corners = VALUES.map((value) => MIX.placed(value));
  const ring = MIX.placed(output);
  through(drawing, "polygon", corners, { fill: shade(0.25, "value"), stroke: "var(--role-value)" });
  corners.forEach(([x, y], word) => {
    const look = { "stroke-width": 1 + 7 * weights[word], stroke: "var(--role-weight)" };
    segment(drawing, [x, y], ring, look);
    circle(drawing, [x, y], 5, { fill: "var(--role-value)" });
    write(drawing, x, y + (VALUES[word][1] < 0 ? 20 : -10), WORDS[word], "middle");
  });
  circle(drawing, ring, 8, { fill: "var(--paper)", stroke: "var(--ink)", "stroke-width": 3 });
  return size;
}

export const mount = mounting(Query);
