// A figure that moves from stage to stage, back and forth, and rests at any of them.

import { mainButton, pushButton, slider } from "./controls.js";
import { still } from "./draw.js";
import { Panels } from "./panels.js";

export class MovingFigure extends Panels {
  /** The stage, with fractions while it moves. */
  at = 0;
  goal = 0;
  moving = false;
  /** Milliseconds from one stage to the next. */
  pace = 400;

  /**
   * The buttons and the slider that move it.
   * @param {number} last the last stage; the first is 0
   */
  addStages(last) {
    const { controls } = this;
    const play = () => {
      if (this.moving) this.goal = this.at;
      else {
        if (this.at === last) this.at = 0;
        this.go(last);
      }
    };
    mainButton(controls, () => (this.moving ? "❚❚ Pause" : "▶ Play"), play);
    const next = () => this.go(Math.min(last, Math.floor(this.goal) + 1));
    pushButton(controls, "Back", () => this.go(Math.ceil(this.goal) - 1), () => this.at === 0);
    pushButton(controls, "Next", next, () => this.goal === last);
    slider(controls, "at", "step", [0, last, 0.125], (at) => String(Math.ceil(at)));
  }

  /** @param {unknown} name */
  changed(name) {
    if (name === "at") this.goal = this.at;
  }

  /** @param {number} stage */
  go(stage) {
    this.goal = Math.max(0, stage);
    if (still()) this.at = this.goal;
    if (!this.moving) this.advance(performance.now());
  }

  /** @param {number} before when it moved last */
  advance(before) {
    const now = performance.now();
    const left = this.goal - this.at;
    const most = Math.min(0.1, (now - before) / this.pace);
    this.at = Math.abs(left) <= most ? this.goal : this.at + Math.sign(left) * most;
    this.moving = this.at !== this.goal;
    this.update();
    if (this.moving) requestAnimationFrame(() => this.advance(now));
  }
}
