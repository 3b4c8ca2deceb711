/** A CEL error, such as a missing key, or too much work. The message starts with the position in the source if it is known. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}
