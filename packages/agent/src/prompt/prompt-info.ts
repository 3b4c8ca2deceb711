// Prompt data visible to code that works for it.

export interface PromptInfo {
  readonly ns: string
  readonly key: string
  /** Shown in feedback and records. */
  readonly name: string
}
