// A translation that was stored with the page: it plays word by word, and needs no model.

import { Controls, pushButton, row } from "../controls.js";
import { html, still } from "../draw.js";
import { drawSentences } from "./attend.js";
import { picture } from "./pictures.js";
import { playButton, Player } from "./player.js";

/**
 * @typedef {{
 *   texts: string[], english: string[], spanish: string[], weights: number[][]
 * }} Stored both sentences, their words, and where each Spanish word looked
 */

const SPEED = 1.6; // words a second

/**
 * Play a stored translation; where motion is unwelcome, it stands still and complete.
 * @param {Element} parent
 * @param {Stored} stored
 * @returns {{ controls: Element, stop: () => void }} the row of its buttons, and what
 *   ends it
 */
export function playTrace(parent, { texts, english, spanish, weights }) {
  /** What a player moves: how many of the words are in sight. */
  const words = {
    shown: 0,
    get atEnd() {
      return this.shown === spanish.length;
    },
    async compute() {}, // all of it is there
    show(/** @type {number} */ count) {
      this.shown = count;
    },
  };
  let place = -1; // the word that is looked at; at the end all of them
  /** @type {Parameters<typeof picture>[1]} */
  const draw = (drawing, room) => {
    const heads = [{ name: "", color: "key", weights: weights.slice(0, words.shown) }];
    const attention = { keys: english, queries: spanish.slice(0, words.shown), heads };
    return drawSentences(drawing, room, attention, place, spanish);
  };
  const { redraw } = picture(html(parent, "div"), draw, (key) => {
    player.stop();
    update(Number(key.slice(4)));
  });
  const controls = new Controls(row(parent), words, () => {});
  const update = (/** @type {number} */ looked) => {
    place = looked;
    controls.show();
    redraw(`${texts.join(" – ")} Lines lead from each word to those it looked at`);
  };
  const player = new Player(words, () => update(words.atEnd ? -1 : words.shown - 1));
  player.speed = SPEED;
  pushButton(controls, "◀ Back", () => player.to(words.shown - 1), () => words.shown === 0);
  playButton(controls, player);
  pushButton(controls, "Next ▶", () => player.forward(), () => words.atEnd);
  const whole = () => player.to(spanish.length);
  addEventListener("beforeprint", whole);
  if (still()) whole();
  else player.play();
  return { controls: controls.place, stop: () => player.stop() };
}
