// Chapter 17: two rows of tokens are written, one with a cache, one that reads all again.
// The operations of each step were counted by the cell; both rows get as many a second.

import { mainButton } from "../controls.js";
import { rect, still, write } from "../draw.js";
import { mounting, Panels } from "../panels.js";

/** @typedef {{name: string, operations: number[]}} Row millions of them, step by step */

const [SIZE, ACROSS, TOP] = [15, 20, 40];

class Waits extends Panels {
  /** Millions of operations that each row has had so far. */
  done = 0;
  /** Counts the runs: one ends when the next begins. */
  run = 0;
  playing = false;

  /** @param {HTMLElement} root @param {{rows: Row[], speed: number}} given */
  constructor(root, { rows, speed }) {
    super(root, {
      title: `How far is the other when the first has written ${rows[0].operations.length} tokens?`,
      hint:
        `Both get ${speed.toLocaleString("en")} million operations a second, as counted; ` +
        "a real processor is faster, and less even.",
      label: "Tokens written, a box each, and operations so far",
    });
    this.rows = rows.map(({ name, operations }) => {
      let sum = 0;
      return { name, sums: operations.map((step) => (sum += step)) };
    });
    this.all = Math.max(...this.rows.map(({ sums }) => sums[sums.length - 1]));
    this.speed = speed;
    const label = () => (this.playing ? "Stop" : "Write");
    mainButton(this.controls, label, () => this.start());
    for (const row of this.rows) this.addPicture((drawing) => this.draw(drawing, row));
  }

  start() {
    this.run += 1;
    this.playing = !this.playing && !still();
    if (still()) this.done = this.all;
    if (!this.playing) return;
    const { run } = this;
    this.done = 0;
    let last = performance.now();
    const tick = (/** @type {number} */ now) => {
      if (run !== this.run) return;
      this.done += (this.speed * Math.max(0, now - last)) / 1000;
      last = now;
      this.playing = this.done < this.all;
      this.update();
      if (this.playing) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** How many tokens of a row are there. @param {number[]} sums */
  written(sums) {
    return sums.filter((sum) => sum <= this.done).length;
  }

  /** @param {SVGElement} drawing @param {{name: string, sums: number[]}} row */
  draw(drawing, { name, sums }) {
    const count = this.written(sums);
    const spent = Math.min(this.done, sums[sums.length - 1]);
    write(drawing, 0, 12, name, "title");
    const told = `${Math.round(spent).toLocaleString("en")} million operations`;
    write(drawing, 0, 31, told, "number");
    sums.forEach((_, at) => {
      const x = SIZE * (at % ACROSS);
      const y = TOP + SIZE * Math.floor(at / ACROSS);
      const fill = at < count ? "var(--role-value)" : "none";
      rect(drawing, [x + 1, y + 1, SIZE - 3, SIZE - 3], { fill, stroke: "var(--line)" });
    });
    return [SIZE * ACROSS, TOP + SIZE * Math.ceil(sums.length / ACROSS)];
  }

  tell() {
    if (!this.done) return "Nothing is written yet.";
    const [first, other] = this.rows.map(({ sums }) => sums);
    const end = first[first.length - 1];
    if (this.done < end) {
      const counts = `${this.written(first)} and ${this.written(other)}`;
      return this.playing ? "Writing …" : `Stopped at ${counts} tokens.`;
    }
    const then = other.filter((sum) => sum <= end).length;
    const totals = [end, other[other.length - 1]].map((sum) => Math.round(sum).toLocaleString("en"));
    return (
      `When the first had written ${first.length} tokens, the other had ${then}. ` +
      `All of them take ${totals.join(" and ")} million operations.`
    );
  }
}

export const mount = mounting(Waits);
