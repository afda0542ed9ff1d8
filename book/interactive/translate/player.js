// Moves a session by itself: token by token at a speed, or to the end without a pause.

import { pushButton } from "../controls.js";

/**
 * @typedef {{
 *   shown: number, atEnd: boolean, compute: () => Promise<void>,
 *   show: (count: number) => void
 * }} Movable a session, or what else is shown step by step
 */

export class Player {
  /**
   * @param {Movable} session
   * @param {() => void} changed called whenever something new is in sight
   */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    /** Tokens a second. */
    this.speed = 4;
    this.playing = false;
    /** How many steps are to be shown without a pause; null if that is not on its way.
     * @type {number | null} */
    this.wanted = null;
    /** Goes up with every stop: what still waits for a step then goes no further. */
    this.turn = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Go on token by token; from the start if the end is in sight. */
  play() {
    this.stop();
    if (this.session.atEnd) this.session.show(0);
    this.playing = true;
    this.tick();
  }

  async tick() {
    if (!(await this.advance())) return;
    this.playing = !this.session.atEnd;
    if (this.playing) this.timer = setTimeout(() => this.tick(), 1000 / this.speed);
    this.changed();
  }

  /** Show the next step once it is there. @returns {Promise<boolean>} false if stopped */
  async advance() {
    const { turn } = this;
    await this.session.compute();
    if (turn !== this.turn) return false;
    this.session.show(this.session.shown + 1);
    return true;
  }

  pause() {
    this.stop();
    this.changed();
  }

  stop() {
    clearTimeout(this.timer);
    this.turn += 1;
    this.playing = false;
    this.wanted = null;
  }

  forward() {
    return this.run(this.session.shown + 1);
  }

  /** Show so many of the steps that are there. @param {number} count */
  to(count) {
    this.stop();
    this.session.show(count);
    this.changed();
  }

  /**
   * Go on without a pause.
   * @param {number} count how many steps to show; all if left out
   * @param {boolean} thenPlay whether to go on from there at the usual speed
   */
  async run(count = Infinity, thenPlay = false) {
    this.stop();
    Object.assign(this, { wanted: count, playing: thenPlay });
    while (!this.session.atEnd && this.session.shown < count) {
      if (!(await this.advance())) return;
    }
    this.stop();
    if (thenPlay && !this.session.atEnd) this.play();
    else this.changed();
  }
}

/**
 * The button that starts and stops a player.
 * @template T
 * @param {import("../controls.js").Controls<T>} controls
 * @param {Player} player
 */
export function playButton(controls, player) {
  const label = () => (player.playing ? "❚❚ Pause" : "▶ Play");
  return pushButton(controls, label, () =>
    player.playing ? player.pause() : player.play(),
  );
}
