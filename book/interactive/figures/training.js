// Chapter 10: a small translator learns in the page, in a thread of its own.

import { choice, pushButton, toggle } from "../controls.js";
import {
  BOLD, END, fixed, MIDDLE, rect, segment, shade, shortened, through, write,
} from "../draw.js";
import { Figure } from "../frame.js";
import { english, EXAMPLES, isKept, served, SHOWN, spanish } from "../training.js";
import { Remote, serve } from "../worker.js";

const KEPT = EXAMPLES.filter((_, n) => isKept(n)).length;
const LEARNED = EXAMPLES.length - KEPT;
const STEPS = 600; // after which it stops, until it is told to go on
const [LEFT, TOP, BOTTOM, HIGHEST] = [34, 14, 150, 5]; // of the curve
const SMALL = { style: "font-size: 13px" };

class SmallTraining extends Figure {
  running = false;
  busy = false;
  rate = 0.01;
  mask = true;
  positions = true;
  problem = "";
  /** The loss every few steps. @type {{steps: number, loss: number}[]} */
  losses = [];
  /** @type {import("../training.js").Marks | undefined} */
  marks;
  /** @type {Remote | undefined} */
  remote;

  /** @param {HTMLElement} root @param {Function} script the whole script */
  constructor(root, script) {
    super(root, {
      title: "A small translator learns",
      hint:
        `Train it on ${LEARNED} sentences, and watch what it writes for them and for ` +
        `${KEPT} others. Change the learning rate on the way; take out the mask or the ` +
        "positions, start again, and see what it cannot learn.",
      label: "The loss, the sentences that are right, and what is written for some",
    });
    this.script = script;
    const { controls } = this;
    const label = () => (this.running ? "stop" : this.steps ? "go on" : "train");
    pushButton(controls, label, () => {
      this.running = !this.running;
      this.run();
    });
    pushButton(controls, "start again", () => this.restart(), () => !this.steps);
    choice(controls, "rate", "learning rate", [0.0003, 0.003, 0.01, 0.03, 0.1]);
    toggle(controls, "mask", "causal mask");
    toggle(controls, "positions", "positions");
  }

  get steps() {
    return this.losses.at(-1)?.steps ?? 0;
  }

  get orders() {
    const missing = { withoutPositions: !this.positions, withoutCausalMask: !this.mask };
    return { rate: this.rate, missing };
  }

  /** @param {unknown} name */
  async changed(name) {
    const missed = name === "mask" || name === "positions";
    if (!missed || !this.marks || this.busy) return;
    this.marks = await this.remote?.call("mark", this.orders);
    this.update();
  }

  /** Steps in the worker, until they are enough or the reader stops them. */
  async run() {
    if (this.busy) return;
    this.busy = true;
    try {
      this.remote ??= new Remote(this.script);
      while (this.running) {
        const { steps, loss, marks } = await this.remote.call("train", this.orders);
        this.losses.push({ steps, loss });
        this.marks = marks ?? this.marks;
        if (steps % STEPS === 0) this.running = false;
        this.update();
      }
    } catch (error) {
      Object.assign(this, { problem: String(error), running: false });
      this.update();
    }
    this.busy = false;
  }

  async restart() {
    await this.remote?.call("restart");
    Object.assign(this, { losses: [], marks: undefined, running: true });
    this.update();
    this.run();
  }

  tell() {
    if (this.problem) return `The training cannot go on here (${this.problem}).`;
    if (!this.marks) return "Not trained yet: its 9,097 numbers are random.";
    const { learned, kept } = this.marks;
    return (
      `Right: ${learned} of the ${LEARNED} sentences that it learns from, and ` +
      `${kept} of the ${KEPT} that it never sees.`
    );
  }

  /** @param {SVGElement} drawing @param {number} width */
  draw(drawing, width) {
    this.drawLoss(drawing, width);
    return this.drawSentences(drawing, BOTTOM + 46, width);
  }

  /** @param {SVGElement} drawing @param {number} width */
  drawLoss(drawing, width) {
    const last = Math.max(1, Math.ceil(this.steps / STEPS)) * STEPS;
    const x = (/** @type {number} */ steps) => LEFT + ((width - LEFT - 8) * steps) / last;
    const y = (/** @type {number} */ loss) =>
      BOTTOM - ((BOTTOM - TOP) * Math.min(loss, HIGHEST)) / HIGHEST;
    for (let loss = 0; loss <= HIGHEST; loss++) {
      const stroke = loss ? "var(--field)" : "var(--line)";
      segment(drawing, [LEFT, y(loss)], [width - 8, y(loss)], { stroke });
      write(drawing, LEFT - 8, y(loss) + 5, loss, { ...END, class: "soft number" });
    }
    write(drawing, LEFT + 4, TOP + 4, "loss", SMALL);
    write(drawing, width - 8, BOTTOM + 18, `${last} steps`, { ...END, class: "soft" });
    const points = this.losses.map(({ steps, loss }) => [x(steps), y(loss)]);
    const look = { fill: "none", stroke: "var(--accent)", "stroke-width": 2 };
    through(drawing, "polyline", points, look);
    const now = this.losses.at(-1);
    if (!now) return;
    const text = `step ${now.steps}: ${fixed(now.loss)}`;
    write(drawing, (LEFT + width) / 2, BOTTOM + 18, text, { ...MIDDLE, class: "number" });
  }

  /**
   * Some sentences, and what it writes for them now; right ones have a ground.
   * @param {SVGElement} drawing
   * @param {number} top
   * @param {number} width
   */
  drawSentences(drawing, top, width) {
    const beside = width >= 520;
    const [high, inset] = beside ? [28, width / 2] : [46, 10];
    let y = top;
    SHOWN.forEach((place, n) => {
      const kept = isKept(place);
      if (!n || kept !== isKept(SHOWN[n - 1])) {
        const title = kept ? "Never seen in training" : "Learned from";
        write(drawing, 0, y + 16, title, BOLD);
        y += 26;
      }
      const { src, tgt } = EXAMPLES[place];
      const written = this.marks?.written[n] ?? "…";
      const right = written === spanish(tgt);
      const fill = right ? shade(0.4, "key") : "var(--field)";
      rect(drawing, [0, y, width, high - 4], { fill });
      write(drawing, 8, y + 17, english(src));
      const letters = { "data-written": right ? "right" : "wrong", lang: "es" };
      const most = Math.floor((width - inset - 24) / 6.8);
      const text = shortened(written, most);
      write(drawing, inset, beside ? y + 17 : y + 36, text, letters);
      if (right) write(drawing, width - 8, y + high - 11, "✓", END);
      y += high;
    });
    return y;
  }
}

/** @param {HTMLElement} root @param {Function} script */
export function mount(root, script) {
  new SmallTraining(root, script).update();
}

/** What the script does in the worker. */
export function work() {
  serve(served);
}
