export interface PromptInfo {
  readonly ns: string
  readonly key: string
  readonly name: string
}
