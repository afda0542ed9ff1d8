// A language model that writes: a beginning, what may come next, and three dials.

import {
  choice, Controls, entitle, mainButton, pushButton, row, slider, textField,
} from "../controls.js";
import { html, still } from "../draw.js";
import { LanguageModel, Text } from "../language_model.js";
import { dialed, drawn } from "../sampling.js";
import { SubwordVocabulary, unseen } from "../subwords.js";
import { SITE } from "../translate/address.js";
import { elsewhere, offer } from "../translate/loading.js";
import { percent } from "../translate/tokens.js";
import { unpacked } from "../weights.js";

const SHOWN = 8; // of the likeliest next sub-words
const MOST = 60; // letters of a beginning: the model has 64 places
const ALL = 41; // at the end of its slider, top-k leaves nothing out
const BEGINNINGS = ["I want to", "My sister", "If you", "Glorb snib"];

/** @typedef {{ tokens: string[], logits: number[] }} Opening what stands behind the
 *   first beginning: the likeliest sub-words, and the scores of all, in order */

class Writing {
  temperature = 1;
  topK = ALL;
  topP = 1;
  typed = BEGINNINGS[0];
  picked = BEGINNINGS[0];
  /** @type {Text | null} nothing before the model is there */
  own = null;
  begun = 0; // how many texts; who writes an older one stops

  /** @param {HTMLElement} root @param {Opening} opening */
  constructor(root, { tokens, logits }) {
    this.opening = { tokens, logits: Float32Array.from(logits) };
    this.form = row(root);
    const dials = row(root);
    this.dials = new Controls(dials, /** @type {Writing} */ (this), (name) =>
      this.changed(name),
    );
    slider(this.dials, "temperature", "temperature", [0, 2, 0.1], (t) => t.toFixed(1));
    slider(this.dials, "topK", "top-k", [1, ALL], (k) => (k < ALL ? `${k}` : "all"));
    slider(this.dials, "topP", "top-p", [0.05, 1, 0.05], (p) => p.toFixed(2));
    this.notes = html(root, "div", { class: "translate-notes", role: "status" });
    const look = { class: "translate-text", lang: "en" };
    this.text = html(root, "p", look, BEGINNINGS[0]);
    this.pieces = html(root, "ul", { class: "translate-row", lang: "en" });
    html(root, "p", { class: "translate-name" }, "The likeliest next sub-words");
    const list = html(root, "ol", { class: "translate-candidates", lang: "en" });
    this.rows = Array.from({ length: SHOWN }, (_, place) => this.addRow(list, place));
    this.rest = html(root, "p", { class: "interactive-hint" });
    this.said = html(root, "p", { class: "interactive-said", "aria-live": "polite" });
  }

  /**
   * A sub-word, which is written when it is pressed.
   * @param {Element} list
   * @param {number} place among the likeliest
   */
  addRow(list, place) {
    const look = { type: "button", class: "translate-candidate" };
    const press = html(html(list, "li"), "button", look);
    press.addEventListener("click", () => this.write(this.likeliest()[place]));
    const name = html(press, "span");
    const bar = html(html(press, "span", { class: "translate-bar" }), "span");
    const percents = html(press, "span", { class: "translate-percent" });
    return { press: /** @type {HTMLButtonElement} */ (press), name, bar, percents };
  }

  /** @param {Uint8Array<ArrayBuffer>[]} parts of the model, which are all there */
  async load(parts) {
    const { config, arrays, tokenizer } = await unpacked(parts);
    const vocabulary = SubwordVocabulary.fromMerges(tokenizer);
    return () => {
      this.own = new Text(new LanguageModel(config, arrays), vocabulary);
      const { form, dials } = this;
      dials.place = form;
      const input = textField(dials, "typed", "A beginning", { lang: "en", maxlength: MOST });
      choice(dials, "picked", "or pick one", [["", "…"], ...BEGINNINGS]);
      const closed = () => !this.own?.open;
      pushButton(dials, "Next", () => this.write(this.next()), closed);
      mainButton(dials, "Write", () => this.toEnd(), closed);
      pushButton(dials, "Start again", () => this.begin());
      this.begin();
      input.focus();
    };
  }

  /** @param {string} [name] of what the reader has set */
  changed(name) {
    if (name === "picked" && this.picked) this.typed = this.picked;
    if (name === "typed") this.picked = "";
    if (name === "picked" || name === "typed") this.begin();
    this.update();
  }

  begin() {
    this.begun += 1;
    this.own?.begin(this.typed);
    this.update();
  }

  /** The scores of the next sub-word. */
  get logits() {
    return this.own?.logits ?? this.opening.logits;
  }

  /** What the dials leave of them. */
  get shares() {
    const topK = this.topK === ALL ? Infinity : this.topK;
    const topP = this.topP === 1 ? Infinity : this.topP;
    return dialed(this.logits, { temperature: this.temperature, topK, topP });
  }

  likeliest() {
    return dialed(this.logits, { topK: SHOWN }).ids;
  }

  next() {
    return drawn(this.shares, Math.random());
  }

  /** @param {number} id */
  write(id) {
    if (!this.own?.open) return;
    this.own.write(id);
    this.update();
  }

  /** Write to the end, a sub-word a frame; all at once where motion is unwelcome. */
  async toEnd() {
    const text = this.begun;
    while (this.own?.open && text === this.begun) {
      this.write(this.next());
      if (!still()) await new Promise((done) => requestAnimationFrame(done));
    }
  }

  update() {
    const { own, opening, rows, shares } = this;
    const tokens = own?.vocabulary.tokens ?? opening.tokens;
    const share = (/** @type {number} */ id) => shares.shares[shares.ids.indexOf(id)] ?? 0;
    this.dials.show();
    let others = 1;
    this.likeliest().forEach((id, place) => {
      const found = share(id);
      others -= found;
      const { press, name, bar, percents } = rows[place];
      name.textContent = tokens[id];
      bar.style.width = `${100 * found}%`;
      percents.textContent = found ? percent(found) : "out";
      press.disabled = !own?.open;
    });
    const all = this.logits.filter((logit) => logit > -Infinity).length;
    const unseen = shares.ids.length > rows.length;
    this.rest.textContent =
      `${shares.ids.length} of ${all} sub-words may be drawn` +
      (unseen ? `; all that are not shown have ${percent(Math.max(0, others))} together.` : ".");
    if (own) this.show(own);
  }

  /** What was read and written. @param {Text} own */
  show({ ids, typed, vocabulary, open }) {
    const unknown = vocabulary.unknownCharacters(this.typed);
    this.notes.textContent = unseen(unknown, "model");
    const begun = vocabulary.decode(ids.slice(0, typed));
    const written = vocabulary.decode(ids).slice(begun.length);
    this.text.textContent = begun;
    html(this.text, "b", {}, written);
    this.pieces.replaceChildren();
    for (const id of ids) {
      html(this.pieces, "li", { class: "translate-chip" }, vocabulary.tokens[id]);
    }
    const end = open ? "" : " Here the text ends.";
    this.said.textContent =
      ids.length > typed ? `It wrote “${written.trim()}”.${end}` : "";
  }
}

/** @param {HTMLElement} root */
export function mount(root) {
  entitle(root, "“I want to …”: what does a language model write next?");
  const about =
    "Each bar is the chance of a sub-word to be drawn next. Move the dials: which of them " +
    "can leave a single sub-word?";
  html(root, "p", { class: "interactive-hint" }, about);
  const { model, opening = "" } = root.dataset;
  if (model === undefined) {
    const page = `${SITE}/book/18_families.html`;
    elsewhere(root, "language model", page, "this chapter’s page on the site");
    return;
  }
  const writing = new Writing(root, JSON.parse(opening));
  const hint =
    "To write, the model is fetched, once, from where this page came from. What you type " +
    "never leaves the page.";
  offer(writing.form, root, root.dataset, "Fetch the model", hint, (parts) =>
    writing.load(parts),
  );
  writing.update();
}
