// Moves a session by itself: token by token at a speed, or to the end without a pause.

/** @typedef {import("./session.js").Session} Session */

const SLICE = 40; // milliseconds of work after which the page may do something else

export class Player {
  /**
   * @param {Session} session
   * @param {() => void} changed called whenever something new is in sight
   */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    /** Tokens a second. */
    this.speed = 4;
    this.playing = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Go on token by token; from the start if the end is in sight. */
  play() {
    this.stop();
    if (this.session.atEnd) this.session.shown = 0;
    this.playing = true;
    this.tick();
  }

  tick() {
    this.session.forward();
    if (this.session.atEnd) this.playing = false;
    else this.timer = setTimeout(() => this.tick(), 1000 / this.speed);
    this.changed();
  }

  pause() {
    this.stop();
    this.changed();
  }

  stop() {
    clearTimeout(this.timer);
    this.playing = false;
  }

  forward() {
    this.stop();
    this.session.forward();
    this.changed();
  }

  back() {
    this.stop();
    this.session.back();
    this.changed();
  }

  toStart() {
    this.stop();
    this.session.show(0);
    this.changed();
  }

  /**
   * Go on without a pause, in slices, so that the page stays awake.
   * @param {number} count how many steps to show; all if left out
   * @param {boolean} thenPlay whether to go on from there at the usual speed
   */
  run(count = Infinity, thenPlay = false) {
    this.stop();
    const over = () => this.session.atEnd || this.session.shown >= count;
    const slice = () => {
      const end = performance.now() + SLICE;
      while (!over() && performance.now() < end) this.session.forward();
      if (!over()) this.timer = setTimeout(slice);
      else if (thenPlay && !this.session.atEnd) return this.play();
      return this.changed();
    };
    slice();
  }
}
