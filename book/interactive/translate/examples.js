// Sentences to begin with. Each shows something that a word-by-word list could not do.

export const SENTENCES = [
  "My sister is wearing a red dress.",
  "I don't like cold coffee.",
  "The cat ate the mouse.",
  "The mouse ate the cat.",
  "We were watching television when the lights went out.",
  "It's raining cats and dogs.",
  "If I had more money, I would buy a bigger house.",
  "She told me that she would come home late because she had a lot of work.",
];
