/** Adds the period that a reason may lack. Unchanged: text that ends with a mark, also within a quotation or parentheses. */
export function endSentence(text: string): string {
  return /[.!?…]["”)]?$/.test(text) ? text : `${text}.`
}
