// Arrays: a small matrix of 32-bit floats, and the few sums that a Transformer needs.
//
// The shapes in the comments use the book's letters: S source length, T target length,
// D d_model, H heads, V vocabulary. There is no batch: a page translates one sentence.

/** A matrix of rows × cols numbers, kept row after row in one Float32Array. */
export class Matrix {
  /** @type {Float32Array | undefined} */
  slopes;

  /**
   * @param {number} rows
   * @param {number} cols
   * @param {Float32Array} data its numbers; zeros if left out
   */
  constructor(rows, cols, data = new Float32Array(rows * cols)) {
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  /** @param {number[][]} rows equally long lists of numbers */
  static fromRows(rows) {
    const cols = rows.length ? rows[0].length : 0;
    return new Matrix(rows.length, cols, Float32Array.from(rows.flat()));
  }

  /** Which way each of its numbers would move a loss; zeros before one is measured. */
  get gradient() {
    return (this.slopes ??= new Float32Array(this.data.length));
  }

  /**
   * One row, as a view: a change of it changes the matrix.
   * @param {number} index
   */
  row(index) {
    return this.data.subarray(index * this.cols, (index + 1) * this.cols);
  }

  /** Plain lists, for printing and for comparing. @returns {number[][]} */
  toRows() {
    return Array.from({ length: this.rows }, (_, index) => Array.from(this.row(index)));
  }
}

/**
 * The product a · bᵀ, every row of a with every row of b, and to each row a bias.
 *
 * This one loop takes nearly all the time of a translation. It goes through b, the
 * large one, in the order in which it lies in memory, and takes four of its rows at
 * once: four sums that do not wait for one another, and each number of a is fetched
 * once for all four. The sums are doubles, as all numbers of JavaScript: here that
 * costs nothing.
 * @param {Matrix} a (N, K)
 * @param {Matrix} b (M, K)
 * @param {Float32Array} bias (M); zeros if left out
 * @returns {Matrix} (N, M)
 */
export function timesTransposed(a, b, bias = new Float32Array(b.rows)) {
  const result = new Matrix(a.rows, b.rows);
  const width = a.cols;
  const left = a.data;
  const right = b.data;
  for (let m = 0; m < b.rows; m += 4) {
    // Where fewer than four rows are left, the last one is taken again.
    const m1 = Math.min(m + 1, b.rows - 1);
    const m2 = Math.min(m + 2, b.rows - 1);
    const m3 = Math.min(m + 3, b.rows - 1);
    const to1 = (m1 - m) * width;
    const to2 = (m2 - m) * width;
    const to3 = (m3 - m) * width;
    for (let n = 0; n < a.rows; n++) {
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      for (let i = n * width, j = m * width; i < (n + 1) * width; i++, j++) {
        const x = left[i];
        s0 += x * right[j];
        s1 += x * right[j + to1];
        s2 += x * right[j + to2];
        s3 += x * right[j + to3];
      }
      const row = n * b.rows;
      result.data[row + m] = s0 + bias[m];
      result.data[row + m1] = s1 + bias[m1];
      result.data[row + m2] = s2 + bias[m2];
      result.data[row + m3] = s3 + bias[m3];
    }
  }
  return result;
}

/**
 * One matrix below the other.
 * @param {Matrix} above (N, K)
 * @param {Matrix} below (M, K)
 * @returns {Matrix} (N + M, K)
 */
export function stack(above, below) {
  const result = new Matrix(above.rows + below.rows, above.cols);
  result.data.set(above.data);
  result.data.set(below.data, above.data.length);
  return result;
}

/**
 * Numbers above zero whose sum is one; −∞ becomes exactly zero. Where all are −∞ there
 * is nothing to choose from, and all stay zero.
 * @param {Float32Array} logits
 * @returns {Float32Array}
 */
export function softmax(logits) {
  const largest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  if (largest === -Infinity) return new Float32Array(logits.length);
  // The largest is taken away first: no power grows out of range.
  const powers = logits.map((x) => Math.exp(x - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / sum);
}

/**
 * The logarithms of the softmax.
 * @param {Float32Array} logits
 * @returns {Float32Array}
 */
export function logSoftmax(logits) {
  const largest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = logits.reduce((total, x) => total + Math.exp(x - largest), 0);
  const norm = largest + Math.log(sum);
  return logits.map((x) => x - norm);
}

/**
 * Numbers with mean 0 and variance 1, and the deviation that they had.
 * @param {Float32Array} row
 */
export function standardized(row) {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  const squares = row.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  // ε stands inside the root, and keeps it away from zero.
  const deviation = Math.sqrt(squares / row.length + 1e-5);
  return { normed: row.map((value) => (value - mean) / deviation), deviation };
}

/**
 * Where the largest numbers stand, the largest first; of equal ones the first.
 * @param {Float32Array} numbers
 * @param {number} count how many
 * @returns {number[]} their places
 */
export function largestPlaces(numbers, count) {
  /** @type {number[]} */
  const places = [];
  for (let i = 0; i < numbers.length; i++) {
    if (places.length === count && !(numbers[i] > numbers[places[count - 1]])) continue;
    let at = places.length;
    while (at > 0 && numbers[i] > numbers[places[at - 1]]) at--;
    places.splice(at, 0, i);
    if (places.length > count) places.pop();
  }
  return places;
}
