// The clock of a position: its hand points to the cosine and the sine of its angle.

import { circle, segment } from "./draw.js";

/**
 * The clock of one pair of a position's numbers; its hand points to (cosine, sine).
 * @param {SVGElement} drawing
 * @param {number[]} middle
 * @param {number} radius
 * @param {{row: number[], role: string}[]} hands
 * @param {number} pair which of the pairs of each row
 */
export function clock(drawing, middle, radius, hands, pair) {
  const [x, y] = middle;
  circle(drawing, middle, radius, { fill: "var(--field)", stroke: "var(--line)" });
  for (const { row, role } of hands) {
    const [sine, cosine] = [row[2 * pair], row[2 * pair + 1]];
    segment(drawing, middle, [x + radius * cosine, y - radius * sine], {
      stroke: `var(--${role})`, "stroke-width": 4, "stroke-linecap": "round",
    });
  }
}
