// The only error that evaluating a condition throws.

/** A CEL error, such as a missing key, or too much work. Its message starts with the place in the source when it has one. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}
