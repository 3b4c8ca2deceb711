import type { PolicyDeclaration } from './policy-declaration.ts'
import type { AnyTool } from './tool.ts'

export interface MarkdownSectionOptions {
  /** Absent: no heading. */
  readonly title?: string
  /** Id of the section in the config document. Absent: derived from the title. */
  readonly key?: string
  /** Markdown. `${name}` is replaced by a parameter of the prompt, `$${name}` by the literal text `${name}`. */
  readonly template?: string
  readonly tools?: readonly AnyTool[]
  /** Policies that govern only the tools of this section. */
  readonly policies?: readonly PolicyDeclaration[]
  readonly sections?: readonly MarkdownSection[]
}

export class MarkdownSection {
  readonly title: string | null
  readonly key: string | null
  readonly template: string
  readonly tools: readonly AnyTool[]
  readonly policies: readonly PolicyDeclaration[]
  readonly sections: readonly MarkdownSection[]

  constructor(options: MarkdownSectionOptions) {
    this.title = options.title ?? null
    this.key = options.key ?? null
    this.template = options.template ?? ''
    this.tools = options.tools ?? []
    this.policies = options.policies ?? []
    this.sections = options.sections ?? []
  }
}

export function allSections(sections: readonly MarkdownSection[]): readonly MarkdownSection[] {
  return sections.flatMap((section) => [section, ...allSections(section.sections)])
}
