// Sentences to begin with. Each shows something that a word-by-word list could not do.

export const SENTENCES = [
  "My sister is wearing a red dress.",
  "I don't like cold coffee.",
  "The dog bites the man.",
  "The man bites the dog.",
  "She gave me the book that I wanted.",
  "It's raining cats and dogs.",
  "If I had more money, I would buy a bigger house.",
  "My parents used to live in a small village near the sea.",
];
