// How the next token is chosen, and the beam as a tree.

import { button, choice, html, slider } from "../draw.js";
import { picture } from "./pictures.js";
import { drawTree, finished, treeNodes } from "./tree.js";

/**
 * @typedef {import("./studio.js").Studio} Studio
 * @typedef {import("./session.js").Way} Way
 */

const WAYS = [
  { label: "greedy: always the likeliest", value: "greedy" },
  ...[2, 3, 4, 5, 6].map((size) => ({ label: `a beam of ${size}`, value: `beam ${size}` })),
  { label: "drawn at random, by probability", value: "drawn" },
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
    const controls = html(parent, "div", { class: "interactive-controls" });
    this.way = choice(controls, {
      label: "search",
      options: WAYS,
      value: "greedy",
      change: (value) => {
        const [way, size] = value.split(" ");
        settings.way = /** @type {Way} */ (way);
        if (size) settings.beamSize = Number(size);
        studio.again();
      },
    });
    slider(controls, {
      label: "temperature",
      min: 0.1,
      max: 2,
      step: 0.1,
      value: settings.temperature,
      show: (value) => value.toFixed(1),
      change: (value) => {
        settings.temperature = value;
        studio.again();
      },
    });
    this.penalty = html(controls, "div");
    slider(this.penalty, {
      label: "length penalty",
      min: 0,
      max: 2,
      step: 0.1,
      value: settings.lengthPenalty,
      show: (value) => value.toFixed(1),
      change: (value) => {
        settings.lengthPenalty = value;
        studio.again();
      },
    });
    this.hint = html(parent, "p", { class: "interactive-hint" });
    this.again = button(parent, "Draw again", () => studio.again());
    this.beside = html(parent, "p", { class: "translate-beside" });
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

  update() {
    const { session } = this;
    const { way, beamSize } = session.settings;
    this.way.set(way === "beam" ? `beam ${beamSize}` : way);
    this.penalty.hidden = way !== "beam";
    this.place.hidden = way !== "beam";
    this.again.hidden = way !== "drawn";
    this.hint.textContent = HINTS[way];
    if (way !== "beam") return;
    this.tree.redraw(`The beam after ${session.shown} steps, a tree`);
    if (session.shown !== this.drawn) this.tree.toEnd();
    this.drawn = session.shown;
    this.list.replaceChildren();
    for (const { text, sum } of finished(session).slice(0, FINISHED)) {
      const item = html(this.list, "li", {}, `${sum}: `);
      html(item, "span", { lang: "es" }, text);
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
