// Addresses: where the book is published, for figures that need more than a notebook
// holds; and the sentence that the address of a page can hold behind `#s=`, as text.

const START = "#s=";
export const SITE =
  "https://transformer-piece-by-piece.github.io/transformer-piece-by-piece";

/** The sentence in the address of this page; nothing if there is none. */
export function addressed() {
  const { hash } = location;
  if (!hash.startsWith(START)) return "";
  try {
    return decodeURIComponent(hash.slice(START.length));
  } catch {
    return hash.slice(START.length); // a % that is no code
  }
}

/**
 * Put a sentence behind the address of this page, and behind its links to another one.
 * @param {string} sentence
 * @param {string} page
 * @param {boolean} first whether it takes the place of the address that there is
 */
export function address(sentence, page, first) {
  const hash = START + encodeURIComponent(sentence.replace(/\p{Surrogate}/gu, "\ufffd"));
  const [own, other] = [location.href, new URL(page, location.href).href].map(bare);
  for (const link of own === other ? [] : document.links) {
    if (bare(link.href) === other) link.hash = hash;
  }
  if (location.hash === hash) return;
  if (first) location.replace(hash);
  else location.hash = hash;
}

/** An address without what stands behind its `#`. @param {string} whole */
function bare(whole) {
  return whole.split("#")[0];
}
