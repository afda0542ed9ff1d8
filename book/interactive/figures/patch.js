// Chapter 15: one vector of a run is exchanged for that of another sentence. The reader
// presses the square where it stands; what each exchange does was computed by the cell.

import { mainButton } from "../controls.js";
import { cell, edge, fixed, html, shade, touchable, write } from "../draw.js";
import { writeNew } from "../new_words.js";
import { mounting, Panels } from "../panels.js";

/**
 * @typedef {{chances: number[], written: string[]}} Row for each token: how likely the
 *   other word becomes, and what is written
 * @typedef {{question: string, tokens: string[], word: string, whole: string,
 *   rows: Record<string, Row>}} Given
 */

const [LEFT, TOP, WIDE, HIGH] = [152, 24, 40, 32];

class Patch extends Panels {
  /** The squares that were pressed. @type {string[]} */
  seen = [];
  /** That of the exchange which is shown, if one is. */
  now = "";

  /** @param {HTMLElement} root @param {Given} given */
  constructor(root, given) {
    super(root, {
      title: given.question,
      hint:
        "Press a square: the vector of that token, behind that part, is exchanged for the " +
        "other sentence’s; pressed again, it is put back. Which do you try first?",
      label: "A square for each token behind each part of the encoder",
    });
    this.given = given;
    const all = Object.entries(given.rows).flatMap(([name, { chances }]) =>
      chances.map((_, at) => `${at}: ${name}`),
    );
    mainButton(this.controls, "Show all", () => {
      this.seen = all;
    }, () => this.seen.length === all.length);
    this.addPicture((drawing) => this.draw(drawing));
    const written = html(this.panels, "p", { class: "interactive-written", lang: "es" });
    const { whole } = given;
    this.addPanel(written, (empty) =>
      writeNew(empty, this.last?.written ?? whole, whole, { lost: "del" }),
    );
  }

  /** @param {string} key */
  press(key) {
    this.now = this.now === key ? "" : key;
    if (!this.seen.includes(key)) this.seen.push(key);
  }

  /** The square of the exchange that is shown: its part, and what it does. */
  get last() {
    const [place, part] = this.now.split(": ");
    const at = Number(place);
    const row = this.given.rows[part];
    return row && { at, part, chance: row.chances[at], written: row.written[at] };
  }

  /** @param {SVGElement} drawing */
  draw(drawing) {
    const { rows, tokens, word } = this.given;
    tokens.forEach((token, at) => {
      write(drawing, LEFT + WIDE * (at + 0.5), 14, token, "middle");
    });
    Object.entries(rows).forEach(([name, { chances }], n) => {
      const y = TOP + HIGH * n;
      write(drawing, LEFT - 6, y + HIGH / 2 + 5, name, "end");
      chances.forEach((chance, at) => {
        const key = `${at}: ${name}`;
        const known = this.seen.includes(key);
        const now = this.now === key;
        const told = known ? `, ${word} ${fixed(chance)}` : "";
        const group = touchable(drawing, key, `${tokens[at]}, ${name}${told}`, now);
        const look = { rx: 3, fill: known ? shade(chance) : "var(--field)", ...edge(now) };
        const box = [LEFT + WIDE * at + 1, y + 1, WIDE - 2, HIGH - 2];
        cell(group, box, known ? fixed(chance) : "?", look, "number");
      });
    });
    return [LEFT + WIDE * tokens.length, TOP + HIGH * Object.keys(rows).length];
  }

  tell() {
    const { word, tokens } = this.given;
    if (!this.last) return "Nothing is exchanged.";
    const { at, part, chance } = this.last;
    return `Exchanged: “${tokens[at]}” behind ${part}. The probability of ${word} is ${fixed(chance)}.`;
  }
}

export const mount = mounting(Patch);
