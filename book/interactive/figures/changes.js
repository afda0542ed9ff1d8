// What a change does to sentences: as a model writes them before it and after it. The
// reader guesses first. All of it was computed by the cell, which hands it over.

import { mainButton, slider } from "../controls.js";
import { circle, html } from "../draw.js";
import { writeNew } from "../new_words.js";
import { mounting, Panels } from "../panels.js";

/**
 * @typedef {{written: string[], right?: boolean[]}} State what it writes of the sentences
 *   shown, and which others are right
 * @typedef {{question: string, sentences: string[], acts?: string[],
 *   states: Record<string, State>, hint?: string, counted?: string, lang?: string,
 *   dial?: string}} Given the act at a place leads to the next state; a dial, by its name,
 *   leads to all
 */

const ANSWERED = "Words in color are new, those struck out are gone. The filled button goes on.";
const [ACROSS, APART] = [40, 9]; // dots, and pixels

class Changes extends Panels {
  state = 0;
  /** The sentences of which the reader thinks that they change. @type {Set<string>} */
  guessed = new Set();

  /** @param {HTMLElement} root @param {Given} given */
  constructor(root, given) {
    const then = given.dial ? "then move the dial" : "then the filled button";
    const ask = `Press the sentences that you think will change, ${then}.`;
    super(root, {
      title: given.question,
      hint: given.hint ?? ask,
      label: "Sentences and their translations",
    });
    // What is shown is said between the button, which names what comes next, and the sentences.
    this.panels.before(this.said);
    this.given = given;
    this.states = Object.entries(given.states);
    const { acts = [], dial } = given;
    const names = this.states.map(([name]) => name);
    const act = () => {
      this.state = (this.state + 1) % names.length;
      if (!given.hint) this.hint.textContent = this.state ? ANSWERED : ask;
    };
    if (dial) slider(this.controls, "state", dial, [0, names.length - 1], (at) => names[at]);
    else mainButton(this.controls, () => acts[this.state], act);
    this.addPanel(html(this.panels, "div", { class: "interactive-sentences" }), (list) =>
      this.list(list),
    );
    if (this.states[0][1].right) this.addPicture((drawing) => this.dots(drawing));
  }

  /** @param {string} key */
  press(key) {
    if (!this.guessed.delete(key)) this.guessed.add(key);
  }

  /** Whether a sentence is written otherwise now than at the start. @param {number} at */
  differs(at) {
    const [[, first], [, now]] = [this.states[0], this.states[this.state]];
    return first.written[at] !== now.written[at];
  }

  /** @param {HTMLElement} list */
  list(list) {
    const [[, first], [, now]] = [this.states[0], this.states[this.state]];
    const marked = this.state ? " (you marked it)" : " (will change)";
    this.given.sentences.forEach((english, at) => {
      const pressed = this.guessed.has(String(at));
      // A guess comes before its answer; where something else is asked, there is none.
      const row = this.given.hint || this.state
        ? html(list, "div")
        : html(list, "button", { "data-key": at, "aria-pressed": String(pressed) });
      html(row, "span", { class: "soft" }, `${english}${pressed ? marked : ""}`);
      const spanish = html(row, "span", { lang: this.given.lang ?? "es" });
      writeNew(spanish, now.written[at], first.written[at], { lost: "del" });
    });
  }

  /** A dot for each sentence counted, filled where it is right. @param {SVGElement} drawing */
  dots(drawing) {
    const { right = [] } = this.states[this.state][1];
    right.forEach((one, at) => {
      const middle = [APART * ((at % ACROSS) + 0.5), APART * (Math.floor(at / ACROSS) + 0.5)];
      const fill = one ? "var(--role-value)" : "none";
      circle(drawing, middle, 3.2, { fill, stroke: "var(--line)" });
    });
    return [APART * ACROSS, APART * Math.ceil(right.length / ACROSS)];
  }

  tell() {
    const [name, { right }] = this.states[this.state];
    const all = this.given.sentences.length;
    const count = right
      ? ` ${right.filter(Boolean).length} of ${right.length} ${this.given.counted ?? "unseen sentences right"} (a filled dot each).`
      : "";
    const shown = `Shown: ${name}.${count}`;
    if (!this.state || all === 1) return shown;
    const changed = this.given.sentences.map((_, at) => this.differs(at));
    const met = [...this.guessed].filter((key) => changed[Number(key)]).length;
    const asked = this.guessed.size && (this.given.dial || this.state === 1);
    const guess = asked ? `; you marked ${this.guessed.size}, ${met} rightly` : "";
    return `${shown} Changed: ${changed.filter(Boolean).length} of the ${all} below${guess}.`;
  }
}

export const mount = mounting(Changes);
