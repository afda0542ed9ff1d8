// The translator at work: what is typed, what is written, and all that can be looked at.

import { onPress } from "../canvas.js";
import {
  choice, Controls, inside, pushButton, row, slider, textField, toggle,
} from "../controls.js";
import { html } from "../draw.js";
import { writeNew } from "../new_words.js";
import { HAS_LETTER } from "../raw.js";
import { readText } from "../subwords.js";
import { address, addressed } from "./address.js";
import { AttentionPart } from "./attention_part.js";
import { SENTENCES } from "./examples.js";
import { languageNote } from "./notes.js";
import { playButton, Player } from "./player.js";
import { SearchPart } from "./search_part.js";
import { addSwitches } from "./switches_part.js";
import { percent, showCandidates, showPieces, showText, showWritten } from "./tokens.js";

const MOST = 5000; // characters that the field holds

/**
 * @typedef {import("./session.js").Session} Session
 * @typedef {{ update: () => void }} Part
 */

export class Studio {
  /**
   * @param {HTMLElement} root
   * @param {Session} session the translation that the reader works on
   * @param {Session} untouched the same sentence with nothing changed, to compare
   * @param {string} page the address of the whole page
   * @param {boolean} small without what that has besides
   */
  constructor(root, session, untouched, page, small) {
    this.session = session;
    this.page = page;
    this.untouched = untouched;
    this.player = new Player(session, () => this.update());
    this.untouchedPlayer = new Player(untouched, () => this.compare());
    this.withIds = false;
    /** What can be told of a sentence before it is read. */
    this.told = "";
    this.typed = addressed().slice(0, MOST) || SENTENCES[0];
    this.picked = "";
    const form = html(root, "form", { class: "interactive-controls" });
    this.controls = new Controls(form, /** @type {Studio} */ (this), (name) =>
      this.pick(name),
    );
    const input = this.addSentence(form);
    this.notes = html(root, "div", { class: "translate-notes", role: "status" });
    this.body = html(root, "div");
    const { body } = this;
    this.addText(body);
    this.addCandidates(body);
    if (!small) addSwitches(body, this);
    const fold = inside(body, "Look inside: pieces, steps, search, heads");
    this.addTokens(fold);
    this.said = html(fold, "p", { class: "interactive-said", "aria-live": "polite" });
    /** @type {Part[]} */
    this.parts = small ? [] : [new SearchPart(fold, this)];
    this.parts.push(new AttentionPart(fold, this));
    if (small) linkTo(body, page);
    addEventListener("hashchange", () => {
      const sentence = addressed();
      if (sentence && sentence !== session.text) this.translate((this.typed = sentence));
    });
    this.translate(this.typed);
    input.select(); // what is typed takes its place
  }

  /** @param {HTMLElement} form */
  addSentence(form) {
    const { controls } = this;
    const input = textField(controls, "typed", "English sentence", { lang: "en" });
    input.addEventListener("input", () => {
      const cut = input.value.length - MOST;
      this.typed = input.value = input.value.slice(0, MOST);
      this.showLength(cut);
    });
    html(form, "button", { type: "submit", class: "interactive-main" }, "Translate");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.translate(this.typed);
    });
    choice(controls, "picked", "or pick one", [["", "…"], ...SENTENCES]);
    this.length = html(form, "p", { class: "interactive-hint", role: "status" });
    return input;
  }

  /**
   * Say how long the text is, as the translator counts.
   * @param {number} cut how many characters did not fit in the field
   */
  showLength(cut = 0) {
    const { session, typed } = this;
    const { vocabulary, config } = session;
    const limit = config.max_len - 1;
    const most = MOST.toLocaleString("en");
    const lost = cut > 0 ? ` The field holds ${most} characters: ${cut} were cut off.` : "";
    let text = "";
    if (HAS_LETTER.test(typed)) {
      const all = readText(typed, vocabulary, Infinity);
      const longest = Math.max(...all.map(({ ids }) => ids.length - 1));
      const many = all.length > 1 ? `${all.length} sentences, the longest has ` : "";
      text = `${many}${longest} of at most ${limit} sub-words.`;
    }
    this.say("length", text + lost);
  }

  /** Take the sentence that is picked. @param {string} [name] what was changed */
  pick(name) {
    if (name !== "picked" || !this.picked) return;
    this.typed = this.picked;
    this.translate(this.typed);
  }

  /** The answer, large; a word of it that is pressed says what else was weighed.
   * @param {HTMLElement} body */
  addText(body) {
    this.text = html(body, "p", { class: "translate-text", "aria-live": "polite" });
    onPress(this.text, (place) => this.select(Number(place)));
    this.beside = html(body, "p", { class: "translate-beside" });
  }

  /** Look at a step. @param {number} place */
  select(place) {
    this.player.stop();
    this.session.selected = place;
    this.update();
  }

  /** @param {HTMLElement} body */
  addTokens(body) {
    const head = row(body);
    this.cut = html(head, "p", { class: "translate-name" });
    const switches = new Controls(head, /** @type {Studio} */ (this), () => this.update());
    toggle(switches, "withIds", "show ids");
    this.pieces = html(body, "ul", { class: "translate-row", lang: "en" });
    this.addTransport(row(body));
    this.written = html(body, "ol", { class: "translate-row", "aria-label": "written" });
    onPress(this.written, (place) => this.select(Number(place)));
  }

  /** @param {HTMLElement} place */
  addTransport(place) {
    const { player, session } = this;
    const controls = new Controls(place, player, () => {});
    const atStart = () => session.shown === 0;
    const atEnd = () => session.atEnd;
    this.addSentences(controls);
    pushButton(controls, "To start", () => player.to(0), atStart);
    pushButton(controls, "◀ Back", () => player.to(session.shown - 1), atStart);
    this.play = playButton(controls, player);
    pushButton(controls, "Next ▶", () => player.forward(), atEnd);
    pushButton(controls, "To end", () => player.run(), atEnd);
    slider(controls, "speed", "speed", [1, 20], (speed) => `${speed} a second`);
    this.transport = controls;
  }

  /** Buttons that lead from one sentence to another, where there are several.
   * @param {Controls<Player>} controls */
  addSentences(controls) {
    const { session, player } = this;
    for (const [name, step] of /** @type {const} */ ([["◀ Sentence", -1], ["Sentence ▶", 1]])) {
      const act = () => {
        session.open(session.at + step);
        player.run();
      };
      const made = pushButton(controls, name, act, () => !session.sources[session.at + step]);
      controls.shows.push(() => {
        made.hidden = session.sources.length < 2;
      });
    }
  }

  /** @param {HTMLElement} body */
  addCandidates(body) {
    this.step = html(body, "p", { class: "translate-name" });
    this.candidates = html(body, "ol", { class: "translate-candidates" });
    body.addEventListener("pointerdown", ({ target }) => {
      // What is drawn again between press and release would not be pressed.
      const held = target instanceof Element && target.closest("button, [data-key]");
      if (!held || held === this.play) return;
      this.player.stop();
      this.transport?.show();
    });
    onPress(this.candidates, (key) => {
      const { session, player } = this;
      const token = Number(key);
      if (token === session.path()[session.place]?.token) return;
      player.stop();
      session.overrule(session.place, token).then(() => player.run());
    });
  }

  /** Begin with a sentence. @param {string} sentence */
  translate(sentence) {
    const { session, player } = this;
    player.stop();
    this.picked = SENTENCES.includes(sentence) ? sentence : "";
    this.controls.show();
    this.showLength();
    const first = !session.text;
    try {
      session.read(sentence);
    } catch (error) {
      this.body.hidden = true;
      this.say("notes", error instanceof Error ? error.message : String(error));
      return;
    }
    address(sentence, this.page, first);
    this.body.hidden = false;
    this.told = languageNote(sentence);
    this.update();
    player.run();
  }

  /** After a change of the settings: as far as before, at once. */
  again() {
    const { session, player } = this;
    const whole = session.atEnd || session.sources.length > 1;
    // One change follows another before all is written again: a slider that is dragged.
    const wanted = player.wanted ?? (whole ? Infinity : session.shown);
    const { playing } = player;
    session.again();
    this.transport?.show(); // all else stays until it is written again
    player.run(wanted, playing);
  }

  /** Show where the session stands. */
  update() {
    const { session, player } = this;
    if (!this.pieces || !this.text || !this.written || !this.candidates) return;
    this.say("notes", this.told);
    const { at, source, sources } = session;
    const which = sources.length > 1 ? `Sentence ${at + 1} of ${sources.length}: it` : "It";
    this.say(
      "cut",
      `${which} reads ${source.length} sub-words: ▁ begins a word, <eos> ends all.`,
    );
    showPieces(this.pieces, session, this.withIds);
    showWritten(this.written, session, this.withIds);
    showText(this.text, session);
    this.transport?.show();
    const place = session.place;
    this.say(
      "step",
      place < 0 || session.atRest
        ? "Press a word to see what else was weighed there."
        : `Step ${place + 1}: the likeliest next sub-words. Press another one to ` +
          `have it written instead${session.settings.way === "beam" ? " (greedily from there)" : ""}.`,
    );
    this.candidates.hidden = session.atRest;
    showCandidates(this.candidates, session);
    for (const part of this.parts) part.update();
    this.say("said", this.sentence());
    if (!player.playing) this.startComparison();
    this.compare();
  }

  /** What a screen reader says. */
  sentence() {
    const { session } = this;
    const [best] = session.candidates(session.place);
    const step = session.path()[session.place];
    if (!step) return "";
    const name = session.vocabulary.tokens;
    const own = percent(Math.exp(step.logProbability));
    const other =
      best.token === step.token
        ? ""
        : ` The likeliest was ${name[best.token]}, ${percent(best.probability)}.`;
    const wrote = `wrote ${name[step.token]}, ${own}.${other}`;
    if (!session.atRest) return `Step ${session.place + 1} ${wrote}`;
    const parts = session.parts();
    const unsure = parts.flatMap((part, at) => (part.unsure ? [at + 1] : [])).join(" and ");
    const where = parts.length > 1 ? `sentence ${unsure}` : "it";
    return (
      `The translation: ${session.written()} ${unsure && `It is unsure of ${where}. `}` +
      `The step with most doubt is number ${session.place + 1}: it ${wrote}`
    );
  }

  /** Let the untouched translator write the same sentence, if anything was changed. */
  startComparison() {
    const { session, untouched } = this;
    if (!session.touched) return;
    const same = JSON.stringify(untouched.settings) === JSON.stringify(session.usual());
    if (same && untouched.text === session.text) return;
    untouched.settings = session.usual();
    untouched.read(session.text);
    this.untouchedPlayer.run();
  }

  /** What the untouched translator writes stands beside, new words marked. */
  compare() {
    const { session, untouched } = this;
    const known = session.touched && untouched.text === session.text;
    this.beside?.replaceChildren();
    if (this.beside && known) this.writeBeside(this.beside);
  }

  /** @param {HTMLElement} place */
  writeBeside(place) {
    const { session, untouched } = this;
    place.append("The untouched translator writes: ");
    const line = html(place, "span", { lang: "es" });
    const tag = session.atEnd ? "mark" : "span";
    writeNew(line, untouched.written(), session.written(), { tag });
  }

  /**
   * @param {"notes" | "length" | "cut" | "step" | "said"} where
   * @param {string} text
   */
  say(where, text) {
    const place = this[where];
    if (place && place.textContent !== text) place.textContent = text;
  }
}

/**
 * @param {HTMLElement} body
 * @param {string} page
 */
function linkTo(body, page) {
  const line = html(body, "p", {}, "With a beam, sliders, and parts to take away: ");
  html(line, "a", { href: page }, "the page Translate");
  line.append(".");
}
