/** Identity of a prompt, for tools and rules. */
export interface PromptInfo {
  readonly ns: string
  readonly key: string
  /** Name in feedback and records. */
  readonly name: string
}
