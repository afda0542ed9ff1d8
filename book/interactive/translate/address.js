// Where the book is published: figures that need more than a notebook holds lead there.

export const SITE =
  "https://transformer-piece-by-piece.github.io/transformer-piece-by-piece";
