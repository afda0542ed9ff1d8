// A plane to draw on: a square, and the numbers at its edges.

import { rect, segment, write } from "./draw.js";

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
