// How the next token is chosen, and the beam as a tree.

import { button, choice, Controls, row, slider } from "../controls.js";
import { counted, fixed, html } from "../draw.js";
import { lengthNorm } from "../search.js";
import { picture } from "./pictures.js";
import { drawTree, treeNodes } from "./tree.js";

/**
 * @typedef {import("./studio.js").Studio} Studio
 * @typedef {import("./session.js").Way} Way
 */

/** @type {[string, string][]} */
const WAYS = [
  ["greedy", "greedy: always the likeliest"],
  ...[2, 3, 4, 5, 6].map(
    (size) => /** @type {[string, string]} */ ([`beam ${size}`, `a beam of ${size}`]),
  ),
  ["drawn", "drawn at random, by probability"],
];
const FINISHED = 4; // how many ended translations are listed

export class SearchPart {
  /**
   * @param {HTMLElement} parent
   * @param {Studio} studio
   */
  constructor(parent, studio) {
    this.session = studio.session;
    const { settings } = this.session;
    html(parent, "p", { class: "translate-name" }, "How the next one is chosen.");
    const place = row(parent);
    const again = () => studio.again();
    this.controls = new Controls(place, /** @type {SearchPart} */ (this), again);
    choice(this.controls, "way", "search", WAYS);
    const short = (/** @type {number} */ value) => value.toFixed(1);
    const warmth = new Controls(place, settings, again);
    slider(warmth, "temperature", "temperature", [0.1, 2, 0.1], short);
    this.penalty = html(place, "div");
    const penalty = new Controls(this.penalty, settings, again);
    slider(penalty, "lengthPenalty", "length penalty", [0, 2, 0.1], short);
    this.hint = html(parent, "p", { class: "interactive-hint" });
    this.again = button(parent, "Draw again", again);
    this.place = html(parent, "div");
    this.tree = picture(this.place, (drawing) => drawTree(drawing, this.session), (key) => {
      const { hypothesis } = treeNodes(this.session)[Number(key.slice(5))];
      studio.player.stop();
      this.session.chosen = this.session.chosen === hypothesis ? null : hypothesis;
      this.session.selected = null;
      studio.update();
    });
    this.list = html(this.place, "ol", { class: "translate-finished" });
    this.drawn = -1;
  }

  /** The way to choose, the size of a beam with it. */
  get way() {
    const { way, beamSize } = this.session.settings;
    return way === "beam" ? `beam ${beamSize}` : way;
  }

  set way(value) {
    const { settings } = this.session;
    const [way, size] = value.split(" ");
    settings.way = /** @type {Way} */ (way);
    if (size) settings.beamSize = Number(size);
  }

  update() {
    const { session } = this;
    const { way } = session.settings;
    this.controls.show();
    this.penalty.hidden = way !== "beam";
    this.place.hidden = way !== "beam";
    this.again.hidden = way !== "drawn";
    this.hint.textContent = HINTS[way];
    if (way !== "beam") return;
    this.tree.redraw(`The beam after ${counted(session.shown, "step")}, a tree`);
    if (session.shown !== this.drawn) this.tree.toEnd();
    this.drawn = session.shown;
    this.list.replaceChildren();
    for (const { ids, score, rank } of session.finished.slice(0, FINISHED)) {
      const norm = fixed(lengthNorm(ids.length, session.settings.lengthPenalty));
      const sum = `${fixed(score)} ÷ ${norm} = ${fixed(rank ?? 0)}: `;
      const item = html(this.list, "li", {}, sum);
      html(item, "span", { lang: "es" }, session.vocabulary.decode(ids));
    }
  }
}

/** @type {Record<Way, string>} */
const HINTS = {
  greedy:
    "The temperature makes the bars flatter or steeper; the longest stays the longest, " +
    "so greedy decoding writes the same.",
  beam:
    "Each box is a token and the sum of the log-probabilities up to it; = marks an ended " +
    "translation and its sum divided by the length penalty. Dashed boxes were dropped. " +
    "Press a box to follow it.",
  drawn:
    "Each token comes up as often as its probability says. A low temperature makes it " +
    "careful, a high one wild.",
};
