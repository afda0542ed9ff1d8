// One step downhill: against the gradient, as it is or by way of Adam.

import { Matrix } from "./arrays.js";
import { mapped } from "./tape.js";

/** @typedef {import("./tape.js").Numbers} Numbers */

/** Plain gradient descent: against the gradient, as far as it is long. */
export class GradientDescent {
  /** @param {number} rate */
  constructor(rate) {
    this.rate = rate;
  }

  /** @param {Numbers} numbers @param {Numbers} gradient */
  step(numbers, gradient) {
    return mapped(numbers, (matrix, name) =>
      changed(matrix, (value, i) => value - this.rate * gradient[name].data[i]),
    );
  }
}

/** Adam: every number gets a step size of its own (Kingma and Ba, 2015). */
export class Adam {
  /** @param {number} rate */
  constructor(rate) {
    this.rate = rate;
    this.steps = 0;
    /** The running means of the gradient, and of its square. @type {Numbers} */
    this.mean = {};
    /** @type {Numbers} */
    this.square = {};
  }

  /** @param {Numbers} numbers @param {Numbers} gradient */
  step(numbers, gradient) {
    this.steps += 1;
    const [fadeMean, fadeSquare] = [1 - 0.9 ** this.steps, 1 - 0.999 ** this.steps];
    return mapped(numbers, (matrix, name) => {
      const slope = gradient[name].data;
      const before = new Matrix(matrix.rows, matrix.cols);
      const [mean, square] = [this.mean[name] ?? before, this.square[name] ?? before];
      this.mean[name] = changed(mean, (m, i) => 0.9 * m + 0.1 * slope[i]);
      this.square[name] = changed(square, (s, i) => 0.999 * s + 0.001 * slope[i] ** 2);
      return changed(matrix, (value, i) => {
        const root = Math.sqrt(this.square[name].data[i] / fadeSquare) + 1e-8;
        return value - (this.rate * this.mean[name].data[i]) / fadeMean / root;
      });
    });
  }
}

/**
 * A matrix like another, its numbers changed.
 * @param {Matrix} matrix
 * @param {(value: number, index: number) => number} change
 */
export function changed(matrix, change) {
  return new Matrix(matrix.rows, matrix.cols, matrix.data.map(change));
}
