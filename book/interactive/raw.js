// Raw text, as people type it: made fit for a model, and given back in kind. Each step is
// that of lib/text/reading.py; a browser finds the ends of sentences itself.

/**
 * @typedef {{
 *   before: string, after: string, capitals: "all" | "none" | "some", ended: boolean,
 *   curly: boolean, held: string[], loops: boolean
 * }} Form how a sentence was typed: what is carried over in front and behind, its
 *   capitals, whether a mark ends it, whether its quotation marks are typographic ones,
 *   what each placeholder stands for, and whether it says something again and again
 */

export const PLACEHOLDER = "\ufffc"; // for what a vocabulary cannot write
export const SPACES = "\\p{White_Space}\\x1c-\\x1f"; // what Python's \s stands for
const LETTER = "\\p{L}\\p{N}_"; // and \w
export const HAS_LETTER = new RegExp(`[${LETTER}]`, "u");
const PLAIN = new Map(
  [
    ["“”„‟″", '"'], ["‘’‚‛′´`", "'"], ["‐‑‒–—―−", "-"],
    ["\u00ad\u200b\u2060\ufeff", ""], ["…", "..."],
  ].flatMap(([from, to]) => [...from].map((each) => [each, to])),
);
// Nothing ends after these, nor after an initial; "I." may well end a sentence.
const TITLE = new RegExp(
  `(?:^|[${SPACES}("'])(?:Mrs?|Ms|Dr|Prof|St|Sr|Jr|Gen|Capt|Lt|Rev|vs|e\\.g|i\\.e)\\.$`,
  "iu",
);
const INITIAL = new RegExp(`(?:^|[${SPACES}("'])[A-HJ-Z]\\.$`, "u");
const ADDRESS = new RegExp(
  `(?:https?://|www\\.)[^${SPACES}"<>]*[${LETTER}/]` +
    `|[${LETTER}.+\\-]+@[${LETTER}\\-]+(?:\\.[${LETTER}\\-]+)+`,
  "gu",
);
const QUOTE = new RegExp(
  `(?<![${LETTER}])(["“])(?![${SPACES}])([^"“”]*?)((?<!\\.)[.,])?` +
    `(?<![${SPACES}])(["”])(?![${LETTER}])`,
  "u",
);
const DOTS = new RegExp(`(?<=[${LETTER}])\\.{3,}(?!.*[${LETTER}])`, "gu");
const FACE = /(?:^| )(?:[:;]-?[()DP]|<3)(?= |$)/gu;
const UNWRITABLE = /\ufffc+/g;
const LOOP = /([^\p{Nd}])\1{3,}|([^\p{Nd}]{2,}?)\2{2,}/giu;
const NAMES = new RegExp(
  "(?<![\\p{L}\\p{N}_])(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february" +
    "|april|june|july|august|(?:septem|octo|novem|decem)ber|christmas|english|spanish" +
    "|french|german|italian|japanese|chinese|russian|american|london|paris|boston|tokyo" +
    "|england|spain|france|germany|italy|japan|china|russia|canada|mexico|america" +
    "|europe)(?![\\p{L}\\p{N}_])",
  "gu",
);
const ODD_SPACES = /[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]/gu; // no end to anybody
const AFTER_DOTS = new RegExp(`(?<=\\.{3}[${SPACES}])|(?<=…[${SPACES}])`, "u");
const ENDS = /[.?!。？！؟।]['")»]*$/u;

/** One space for many, none at the ends. @param {string} text */
export function squeezed(text) {
  return text.replace(new RegExp(`[${SPACES}]+`, "gu"), " ").replace(/^ | $/g, "");
}

/** @param {string} text */
function stripped(text) {
  return text.replace(new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, "gu"), "");
}

/** Write typographic characters as a keyboard does. @param {string} text */
function plain(text) {
  return [...text.normalize("NFC")].map((each) => PLAIN.get(each) ?? each).join("");
}

/**
 * Cut a text into sentences, each with the space that follows it.
 * @param {string} text
 * @returns {[string, string][]}
 */
export function sentences(text) {
  /** @type {string[]} */
  const parts = [];
  for (const part of byUnicode(text.replace(ODD_SPACES, " "))) {
    const last = parts.length - 1;
    if (last >= 0 && (isOpen(parts[last]) || goesOn(parts[last], part))) {
      parts[last] += part;
    } else parts.push(part);
  }
  const behind = new RegExp(`[${SPACES}]*$`, "u");
  return parts.map((part) => [stripped(part), behind.exec(part)?.[0] ?? ""]);
}

/**
 * Take what is said out of the words around it, where a placeholder stands for it.
 * @param {string} sentence
 * @returns {[string, string]}
 */
export function apart(sentence) {
  const said = QUOTE.exec(sentence)?.[2] ?? "";
  const around = sentence.replace(QUOTE, "");
  const words = HAS_LETTER.test(around) && HAS_LETTER.test(said);
  if (!words || /["“”\ufffc]/.test(around)) return [sentence, ""];
  const text = sentence.replace(QUOTE, (_, open, __, mark = "", close) => {
    return open + PLACEHOLDER + mark + close;
  });
  return [text.replace(/(?<=\ufffc)(?=["”]$)/, "."), said];
}

/** Put back what placeholders stand for, one after the other.
 * @param {string} text @param {string[]} held */
export function filled(text, held) {
  if (!held.length) return text;
  let at = 0;
  return text.replaceAll(PLACEHOLDER, () => held[Math.min(at++, held.length - 1)]);
}

/** Cut by Unicode's rules, to which no sentence ends before a small letter.
 * @param {string} text */
function byUnicode(text) {
  const small = new RegExp(`(?<=[.?!][${SPACES}])[a-z]`, "gu");
  const shown = /\p{Uppercase}/u.test(text)
    ? text
    : text.replace(small, (letter) => letter.toUpperCase());
  const cut = new Intl.Segmenter("en", { granularity: "sentence" }).segment(shown);
  return Array.from(cut).flatMap(({ index, segment }) =>
    text.slice(index, index + segment.length).split(AFTER_DOTS),
  );
}

/** @param {string} part */
function isOpen(part) {
  const text = stripped(plain(part));
  const noEnd = !part.includes("\n") && (TITLE.test(text) || INITIAL.test(text));
  return noEnd || text.split('"').length % 2 === 0 || !HAS_LETTER.test(text);
}

/** What is no sentence of its own: marks, and "he said" behind a quote.
 * @param {string} before @param {string} part */
function goesOn(before, part) {
  const quoted = /["']$/.test(stripped(plain(before)));
  return !HAS_LETTER.test(part) || (quoted && /^\p{Lowercase}/u.test(stripped(part)));
}

/**
 * Make a sentence what a model was trained on, and say how it was typed.
 * @param {string} sentence
 * @param {Set<string>} alphabet the characters that the vocabulary can write
 * @param {Map<string, number>} tokens which may have a single word, such as "bread", only
 *   without a capital, for few sentences begin with the name of a thing
 * @returns {[string, Form]}
 */
export function prepare(sentence, alphabet, tokens) {
  const curly = /[“”]/.test(sentence);
  let [text, before, after, held] = carry(...hold(squeezed(plain(sentence)), alphabet));
  if (/^"[^"]*"$/.test(text)) {
    [text, before, after] = [text.slice(1, -1), `${before}"`, `"${after}`];
  }
  const capitals = capitalsOf(text);
  if (capitals === "all") text = text.toLowerCase();
  text = text.replace(/[?!]{2,}/g, (run) => (run.includes("?") ? "?" : "!"));
  text = text.replace(/(?<= )&(?= )/g, "and");
  if (capitals !== "some") text = text.replace(NAMES, large);
  const first = large(text);
  const whole = tokens.has(`▁${text}`) && !tokens.has(`▁${first}`);
  if (capitals !== "some" && !(whole && text.length > 2)) text = first;
  const ended = ENDS.test(text);
  if (!ended) text = `${text.replace(/[ ,;:]+$/, "")}.`;
  const loops = withoutLoops(text) !== text;
  return [text, { before, after, capitals, ended, curly, held, loops }];
}

/** Let a text say once what it says three times in a row or more. @param {string} text */
export function withoutLoops(text) {
  const once = ` ${text}`.replace(LOOP, (_, letter, more) => letter ?? more);
  return once.slice(1).replace(new RegExp(`[${SPACES}]+$`, "u"), "");
}

/**
 * Put a placeholder for addresses, faces, and runs that cannot be written.
 * @param {string} text
 * @param {Set<string>} alphabet
 * @returns {[string, string[]]}
 */
function hold(text, alphabet) {
  // A placeholder is never lost, though the vocabulary may have the sign.
  const marked = [...text].map((each) =>
    each === " " || alphabet.has(each) ? each : PLACEHOLDER.repeat(each.length),
  );
  const found = [ADDRESS, FACE, DOTS].flatMap((rule) => [...text.matchAll(rule)]);
  found.push(...marked.join("").matchAll(UNWRITABLE));
  const spans = found.map(({ index, 0: run }) => [index, index + run.length]);
  spans.sort(([a, aEnd], [b, bEnd]) => a - b || bEnd - aEnd);
  /** @type {string[]} */
  const held = [];
  let [kept, end] = ["", 0];
  for (const [start, stop] of spans) {
    if (start < end) continue;
    const first = start + Number(text[start] === " ");
    kept += text.slice(end, first) + PLACEHOLDER;
    held.push(text.slice(first, stop));
    end = stop;
  }
  return [kept + text.slice(end), held];
}

/**
 * Set aside what stands at the ends and holds no letter, such as an emoji.
 * @param {string} text
 * @param {string[]} held
 * @returns {[string, string, string, string[]]}
 */
function carry(text, held) {
  let [before, after] = ["", ""];
  while (held.length && text.startsWith(PLACEHOLDER) && !HAS_LETTER.test(held[0])) {
    const rest = text.slice(1).trimStart();
    before += held[0] + text.slice(1, text.length - rest.length);
    [text, held] = [rest, held.slice(1)];
  }
  while (
    held.length && text.endsWith(PLACEHOLDER) && !HAS_LETTER.test(held[held.length - 1])
  ) {
    const rest = text.slice(0, -1).trimEnd();
    after = text.slice(rest.length, -1) + held[held.length - 1] + after;
    [text, held] = [rest, held.slice(0, -1)];
  }
  return [text, before, after, held];
}

/** @param {string} text */
function large(text) {
  const [first = "", ...rest] = text;
  return first.toUpperCase() + rest.join("");
}

/** @param {string} text @returns {Form["capitals"]} */
function capitalsOf(text) {
  const cased = [...text].filter((each) => each.toLowerCase() !== each.toUpperCase());
  const large = cased.filter((each) => /\p{Uppercase}/u.test(each)).length;
  if (!large) return cased.length ? "none" : "some";
  return large > 1 && large === cased.length ? "all" : "some";
}

/**
 * Give a translation the form in which its source was typed.
 * @param {string} translation
 * @param {Form} form
 */
export function inKind(translation, form) {
  const { before, after, capitals, ended, curly, held, loops } = form;
  let text = loops ? translation : withoutLoops(translation);
  if (held.length) text = text.replaceAll("<unk>", PLACEHOLDER);
  if (!ended && !text.endsWith("..")) text = text.replace(/\.$/, "");
  if (capitals === "all") text = text.toUpperCase();
  if (capitals === "none") text = text.toLowerCase();
  text = before + filled(text, held) + after;
  return curly ? text.replace(/"([^"]*)"/g, "“$1”") : text;
}
