// A plane to draw on: a square, and the numbers at its edges.

import { onDrag } from "./canvas.js";
import { circle, rect, segment, svg, widthOf, write } from "./draw.js";

/** @typedef {import("./draw.js").Point} Point */

export class Plane {
  /**
   * @param {Point} corner its upper left one, in pixels
   * @param {number} side in pixels
   * @param {number} from
   * @param {number} to
   */
  constructor([left, top], side, from, to) {
    this.left = left;
    this.top = top;
    this.side = side;
    this.from = from;
    this.to = to;
  }

  /** The pixels of a point. @param {ArrayLike<number>} point @returns {Point} */
  placed(point) {
    const pixels = this.side / (this.to - this.from);
    const right = this.left + (point[0] - this.from) * pixels;
    return [right, this.top + this.side - (point[1] - this.from) * pixels];
  }

  /** The point at some pixels. @param {Point} pixels @returns {Point} */
  at([x, y]) {
    const unit = (this.to - this.from) / this.side;
    return [
      this.from + unit * (x - this.left),
      this.from + unit * (this.top + this.side - y),
    ];
  }

  /**
   * Its title, its edge and its axes.
   * @param {SVGElement} drawing
   * @param {string} title
   */
  draw(drawing, title) {
    const { left, top, side } = this;
    const [x, y] = this.placed([0, 0]);
    const axis = { stroke: "var(--line)", "stroke-dasharray": "3 3" };
    write(drawing, left, top - 8, title);
    const look = { fill: "var(--field)", stroke: "var(--line)" };
    rect(drawing, [left, top, side, side], look);
    segment(drawing, [left, y], [left + side, y], axis);
    segment(drawing, [x, top], [x, top + side], axis);
  }
}

/**
 * Let points of a figure's plane be dragged, and moved by the arrow keys.
 * @param {{panels: HTMLElement, plane: Plane, move: (key: string, to: Point) => void}} figure
 * @param {number} step of an arrow key
 * @param {(key: string) => ArrayLike<number>} at where a point stands
 */
export function dragPoints(figure, step, at) {
  onDrag(
    figure.panels,
    (key, x, y) => figure.move(key, figure.plane.at([x, y])),
    (key, right, down) => {
      const from = at(key);
      figure.move(key, [from[0] + step * right, from[1] - step * down]);
    },
  );
}

/**
 * A point at the tip of an arrow from zero, to be dragged.
 * @param {SVGElement} drawing @param {Plane} plane @param {Point} at
 * @param {{key: string | number, role: string, label: string}} arrow
 */
export function drawTip(drawing, plane, at, { key, role, label }) {
  const tip = plane.placed(at);
  const stroke = `var(--role-${role})`;
  segment(drawing, plane.placed([0, 0]), tip, { stroke, "stroke-width": 3 });
  const group = svg(drawing, "g", {
    key, "data-drag": "", role: "button", "aria-label": label,
  });
  circle(group, tip, 16, { fill: "transparent" });
  circle(group, tip, 7, { fill: stroke, stroke: "var(--ink)" });
}

/**
 * Write names beside their points, each where it covers least of what is there already.
 * @param {SVGElement} drawing @param {Plane} plane
 * @param {[name: string, at: ArrayLike<number>][]} named
 * @returns {number[][]} the boxes of points and names: left, top, right, bottom
 */
export function writeNames(drawing, plane, named) {
  const { left, top, side } = plane;
  const places = named.map(([, at]) => plane.placed(at));
  const taken = places.map(([x, y]) => [x - 8, y - 8, x + 8, y + 8]);
  named.forEach(([name], number) => {
    const [x, y] = places[number];
    const wide = widthOf(name);
    const boxes = [10, -10 - wide, -wide / 2].flatMap((dx) =>
      [-7, -26, 12, -45, 31].map((dy) => [x + dx, y + dy, x + dx + wide, y + dy + 15]),
    );
    const costs = boxes.map((box, at) => {
      const inside = overlap(box, [left, top, left + side, top + side]);
      const covered = taken.reduce((sum, other) => sum + overlap(box, other), 0);
      return 3 * (15 * wide - inside) + covered + at;
    });
    const box = boxes[costs.indexOf(Math.min(...costs))];
    taken.push(box);
    write(drawing, box[0], box[1] + 12, name, { "pointer-events": "none" });
  });
  return taken;
}

/** The area that two boxes share. @param {number[]} a @param {number[]} b */
function overlap(a, b) {
  const [wide, high] = [0, 1].map((i) => Math.min(a[i + 2], b[i + 2]) - Math.max(a[i], b[i]));
  return Math.max(0, wide) * Math.max(0, high);
}
