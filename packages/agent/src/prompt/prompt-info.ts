// What code sees of the prompt that it works for.

export interface PromptInfo {
  readonly ns: string
  readonly key: string
  /** Shown in feedback and records. */
  readonly name: string
}
