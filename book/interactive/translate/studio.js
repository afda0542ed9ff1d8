// The translator at work: what is typed, what is written, and all that can be looked at.

import { button, choice, html, slider, textField, toggle } from "../draw.js";
import { AttentionPart } from "./attention_part.js";
import { SENTENCES } from "./examples.js";
import { notesOn } from "./notes.js";
import { Player } from "./player.js";
import { SearchPart } from "./search_part.js";
import { newWords, usualSettings } from "./session.js";
import { SwitchesPart } from "./switches_part.js";
import { percent, showCandidates, showPieces, showWritten } from "./tokens.js";

/**
 * @typedef {import("./session.js").Session} Session
 * @typedef {{ update: () => void, beside?: HTMLElement }} Part beside: where it too shows
 *   what the untouched translator writes
 */

export class Studio {
  /**
   * @param {HTMLElement} root
   * @param {Session} session the translation that the reader works on
   * @param {Session} untouched the same sentence with nothing changed, to compare
   * @param {string | null} page where the whole page stands, for the small form
   */
  constructor(root, session, untouched, page) {
    this.session = session;
    this.untouched = untouched;
    this.player = new Player(session, () => this.update());
    this.untouchedPlayer = new Player(untouched, () => this.compare());
    this.withIds = false;
    this.compared = "";
    const input = this.addSentence(root);
    const body = html(root, "div");
    this.body = body;
    this.addTokens(body);
    this.said = html(body, "p", { class: "interactive-said", "aria-live": "polite" });
    this.addCandidates(body);
    /** @type {Part[]} */
    this.parts = page === null ? [new SearchPart(body, this)] : [];
    this.parts.push(new AttentionPart(body, this));
    if (page === null) this.parts.push(new SwitchesPart(body, this));
    else linkTo(body, page);
    input.focus();
    this.translate(input.value);
  }

  /** @param {HTMLElement} root @returns {HTMLInputElement} */
  addSentence(root) {
    const form = html(root, "form", { class: "interactive-controls" });
    const input = textField(form, {
      label: "English sentence",
      value: SENTENCES[0],
      change: () => {},
      maxLength: 800,
      lang: "en",
    });
    html(form, "button", { type: "submit", class: "translate-main" }, "Translate");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.translate(input.value);
    });
    const options = SENTENCES.map((sentence) => ({ label: sentence, value: sentence }));
    this.pick = choice(form, {
      label: "or pick one",
      options: [{ label: "…", value: "" }, ...options],
      value: SENTENCES[0],
      change: (sentence) => {
        if (!sentence) return;
        input.value = sentence;
        this.translate(sentence);
      },
    });
    this.notes = html(root, "div", { class: "translate-notes", role: "status" });
    return input;
  }

  /** @param {HTMLElement} body */
  addTokens(body) {
    const head = html(body, "div", { class: "interactive-controls" });
    this.cut = html(head, "p", { class: "translate-name" });
    toggle(head, {
      label: "show ids",
      value: false,
      change: (on) => {
        this.withIds = on;
        this.update();
      },
    });
    this.pieces = html(body, "ul", { class: "translate-row", lang: "en" });
    this.addTransport(html(body, "div", { class: "interactive-controls" }));
    this.text = html(body, "p", { class: "translate-text", lang: "es" });
    this.written = html(body, "ol", { class: "translate-row", "aria-label": "written" });
    this.written.addEventListener("click", (event) => {
      const place = pressed(event, "place");
      if (place === null) return;
      this.player.stop();
      this.session.selected = place;
      this.update();
    });
    this.beside = html(body, "p", { class: "translate-beside" });
  }

  /** @param {HTMLElement} row */
  addTransport(row) {
    const { player } = this;
    this.toStart = button(row, "To start", () => player.toStart());
    this.back = button(row, "◀ Back", () => player.back());
    this.play = button(row, "▶ Play", () =>
      player.playing ? player.pause() : player.play(),
    );
    this.next = button(row, "Next ▶", () => player.forward());
    this.toEnd = button(row, "To end", () => player.run());
    slider(row, {
      label: "speed",
      min: 1,
      max: 20,
      step: 1,
      value: player.speed,
      show: (speed) => `${speed} a second`,
      change: (speed) => {
        player.speed = speed;
      },
    });
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
      this.showTransport();
    });
    this.candidates.addEventListener("click", (event) => {
      const token = pressed(event, "token");
      const { session, player } = this;
      const taken = session.path()[session.place]?.token;
      if (token === null || token === taken) return;
      session.overrule(session.place, token);
      player.play();
    });
  }

  /** Begin with a sentence. @param {string} sentence */
  translate(sentence) {
    const { session, player } = this;
    player.stop();
    this.pick?.set(SENTENCES.includes(sentence) ? sentence : "");
    try {
      session.read(sentence);
    } catch (error) {
      this.body?.setAttribute("hidden", "");
      this.say("notes", error instanceof Error ? error.message : String(error));
      return;
    }
    this.body?.removeAttribute("hidden");
    this.say("notes", notesOn(session.text, session.vocabulary).join(" "));
    player.play();
  }

  /** After a change of the settings: as far as before, at once. */
  again() {
    const { session, player } = this;
    const [count, playing] = [session.shown, player.playing];
    const wanted = session.atEnd ? Infinity : count;
    session.begin();
    player.run(wanted, playing);
  }

  /** Show where the session stands. */
  update() {
    const { session, player } = this;
    if (!this.pieces || !this.written || !this.candidates) return;
    const count = session.source.length;
    this.say("cut", `It reads ${count} sub-words: ▁ begins a word, <eos> ends all.`);
    showPieces(this.pieces, session, this.withIds);
    showWritten(this.written, session, this.withIds);
    this.say("text", session.written() || "…");
    this.showTransport();
    const place = session.place;
    this.say(
      "step",
      place < 0
        ? "Nothing is written yet: press Next or Play."
        : `Step ${place + 1}: the likeliest next sub-words. Press another one to ` +
          `have it written instead${session.search ? " (greedily from there)" : ""}.`,
    );
    showCandidates(this.candidates, session);
    for (const part of this.parts) part.update();
    this.say("said", this.sentence());
    if (!player.playing) this.startComparison();
    this.compare();
  }

  showTransport() {
    const { session, player } = this;
    if (this.play) this.play.textContent = player.playing ? "❚❚ Pause" : "▶ Play";
    if (this.back) this.back.disabled = session.shown === 0;
    if (this.toStart) this.toStart.disabled = session.shown === 0;
    if (this.next) this.next.disabled = session.atEnd;
    if (this.toEnd) this.toEnd.disabled = session.atEnd;
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
    return (
      `The translation: ${session.written()} The step with most doubt is number ` +
      `${session.place + 1}: it ${wrote}`
    );
  }

  /** Let the untouched translator write the same sentence, if anything was changed. */
  startComparison() {
    const { session, untouched } = this;
    if (!session.touched) return;
    const { way, beamSize } = session.settings;
    const settings = usualSettings();
    if (way === "beam") Object.assign(settings, { way, beamSize });
    const wanted = JSON.stringify([session.text, settings]);
    if (wanted === this.compared) return;
    this.compared = wanted;
    untouched.settings = settings;
    untouched.read(session.text);
    this.untouchedPlayer.run();
  }

  /** What the untouched translator writes stands beside, new words marked. */
  compare() {
    const { session, untouched } = this;
    const known = session.touched && untouched.text === session.text;
    for (const place of [this.beside, ...this.parts.map(({ beside }) => beside)]) {
      place?.replaceChildren();
      if (place && known) this.writeBeside(place);
    }
  }

  /** @param {HTMLElement} place */
  writeBeside(place) {
    const { session, untouched } = this;
    if (place !== this.beside) {
      place.append("It writes: ");
      html(place, "b", { lang: "es" }, session.written());
      html(place, "br");
    }
    place.append("The untouched translator writes: ");
    const own = session.written().split(" ");
    const words = untouched.written().split(" ");
    const line = html(place, "span", { lang: "es" });
    newWords(words, own).forEach((isNew, i) => {
      html(line, isNew && session.atEnd ? "mark" : "span", {}, words[i]);
      line.append(" ");
    });
  }

  /**
   * @param {"notes" | "cut" | "text" | "step" | "said"} where
   * @param {string} text
   */
  say(where, text) {
    const place = this[where];
    if (place && place.textContent !== text) place.textContent = text;
  }
}

/**
 * The number that the pressed button carries.
 * @param {Event} event
 * @param {string} name
 * @returns {number | null}
 */
function pressed({ target }, name) {
  if (!(target instanceof Element)) return null;
  const found = /** @type {HTMLElement | null} */ (target.closest(`[data-${name}]`));
  return found ? Number(found.dataset[name]) : null;
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
