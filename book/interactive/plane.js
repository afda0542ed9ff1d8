// A plane to draw on: a square, the numbers at its edges, and points that are dragged.

import { keyed, keyOf } from "./canvas.js";
import { circle, fixed, rect, segment, svg, widthOf, write } from "./draw.js";

/**
 * @typedef {import("./draw.js").Point} Point
 * @typedef {{key: string | number, role: string, label: string}} Tip what is dragged
 */

const [LEFT, TOP] = [1, 24]; // where the square begins; its title stands above
const DRAGGED = "[data-drag]";
/** @type {Record<string, Point>} */
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Plane {
  /**
   * @param {number} side in pixels
   * @param {number} from
   * @param {number} to
   */
  constructor(side, from, to) {
    this.side = side;
    this.from = from;
    this.to = to;
    this.unit = side / (to - from);
  }

  /** The pixels of a point. @param {ArrayLike<number>} point @returns {Point} */
  placed({ 0: x, 1: y }) {
    const { from, to, unit } = this;
    return [LEFT + unit * (x - from), TOP + unit * (to - y)];
  }

  /** The point at some pixels. @param {Point} pixels @returns {Point} */
  at([x, y]) {
    const { from, to, unit } = this;
    return [from + (x - LEFT) / unit, to - (y - TOP) / unit];
  }

  /**
   * Its title, its edge and its axes; gives back the size of the picture.
   * @param {SVGElement} drawing
   * @param {string} title
   */
  draw(drawing, title) {
    const { side, from, to } = this;
    write(drawing, LEFT, TOP - 8, title);
    rect(drawing, [LEFT, TOP, side, side], "field");
    segment(drawing, this.placed([from, 0]), this.placed([to, 0]), "axis");
    segment(drawing, this.placed([0, from]), this.placed([0, to]), "axis");
    return [LEFT + side + 1, TOP + side + 2];
  }
}

/**
 * Let points of a figure's plane be dragged, and moved by the arrow keys.
 * @param {{panels: HTMLElement, plane: Plane, move: (key: string, to: Point) => void}} figure
 * @param {number} step of an arrow key
 * @param {(key: string) => ArrayLike<number>} at where a point stands
 */
export function dragPoints(figure, step, at) {
  const { panels } = figure;
  /** @type {string | undefined} */
  let held;
  panels.addEventListener("pointerdown", (event) => {
    held = keyOf(event.target, DRAGGED);
    if (held === undefined) return; // what is pressed is not captured
    const picture = /** @type {Element} */ (event.target).closest("svg");
    picture?.setPointerCapture(event.pointerId); // what is in it changes
    keyed(panels, held)?.focus();
    event.preventDefault();
  });
  // A finger on what is dragged must not scroll the page. The rule `touch-action` alone
  // is forgotten with the element, which the first move draws anew.
  const stay = (/** @type {Event} */ event) => {
    if (keyOf(event.target, DRAGGED)) event.preventDefault();
  };
  panels.addEventListener("touchstart", stay, { passive: false });
  panels.addEventListener("pointermove", ({ target, clientX, clientY }) => {
    if (held === undefined) return;
    const picture = /** @type {SVGSVGElement} */ (target); // which has captured it
    const box = picture.getBoundingClientRect();
    const scale = picture.viewBox.baseVal.width / box.width; // drawn smaller on a phone
    const place = [scale * (clientX - box.left), scale * (clientY - box.top)];
    figure.move(held, figure.plane.at(place));
  });
  panels.addEventListener("lostpointercapture", () => {
    held = undefined;
  });
  panels.addEventListener("keydown", (event) => {
    const key = keyOf(event.target, DRAGGED);
    const way = WAYS[event.key];
    if (key === undefined || !way) return;
    event.preventDefault();
    const from = at(key);
    figure.move(key, way.map((sign, i) => from[i] + sign * step));
  });
}

/**
 * A point to be dragged.
 * @param {SVGElement} drawing @param {Plane} plane @param {ArrayLike<number>} at
 * @param {Tip} tip
 */
export function drawTip(drawing, plane, at, { key, role, label }) {
  const point = svg(drawing, "g", {
    key, "data-drag": true, role: "slider", "aria-label": label,
    "aria-valuenow": at[0].toFixed(1), "aria-valuemin": plane.from, "aria-valuemax": plane.to,
    "aria-valuetext": `(${fixed(at[0], 1)}, ${fixed(at[1], 1)})`,
  });
  const place = plane.placed(at);
  circle(point, place, 17, "ground");
  circle(point, place, 7, { fill: `var(--role-${role})`, stroke: "var(--ink)" });
}

/** An arrow from zero; its tip is dragged. @type {typeof drawTip} */
export function drawArrow(drawing, plane, at, tip) {
  const look = { stroke: `var(--role-${tip.role})`, "stroke-width": 3 };
  segment(drawing, plane.placed([0, 0]), plane.placed(at), look);
  drawTip(drawing, plane, at, tip);
}

/**
 * Write names beside their points, each where it covers least of what is there already.
 * @param {SVGElement} drawing @param {Plane} plane
 * @param {[name: string, at: ArrayLike<number>][]} named
 * @returns {number[][]} the boxes of points and names: left, top, right, bottom
 */
export function writeNames(drawing, plane, named) {
  const places = named.map(([, at]) => plane.placed(at));
  const taken = places.map(([x, y]) => [x - 8, y - 8, x + 8, y + 8]);
  named.forEach(([name], number) => {
    const [x, y] = places[number];
    const aside = 10 + widthOf(name) / 2;
    const spots = [x + aside, x - aside, x].flatMap((across) =>
      [0, -19, 19, -38, 38].map((down) => [across, y + down]),
    );
    writeName(drawing, plane, name, spots, taken);
  });
  return taken;
}

/**
 * Write a name at the spot where it covers least of what is there already.
 * @param {SVGElement} drawing @param {Plane} plane @param {string} name
 * @param {Point[]} spots for its middle, the best first
 * @param {number[][]} taken boxes of what is there; its own is added
 * @param {string} [look]
 */
export function writeName(drawing, { side }, name, spots, taken, look = "") {
  const half = widthOf(name) / 2;
  const square = [LEFT, TOP, LEFT + side, TOP + side];
  const boxes = spots.map(([x, y]) => [x - half, y - 7, x + half, y + 8]);
  const costs = boxes.map((box, at) => {
    const covered = taken.reduce((sum, other) => sum + overlap(box, other), 0);
    return covered + at - 3 * overlap(box, square);
  });
  const best = costs.indexOf(Math.min(...costs));
  taken.push(boxes[best]);
  const [x, y] = spots[best];
  write(drawing, x, y + 5, name, `name middle ${look}`);
}

/** The area that two boxes share. @param {number[]} a @param {number[]} b */
function overlap(a, b) {
  const [wide, high] = [0, 1].map((i) => Math.min(a[i + 2], b[i + 2]) - Math.max(a[i], b[i]));
  return Math.max(0, wide) * Math.max(0, high);
}
