// Parts of a prompt: text, the tools that it declares, and the policies that govern those tools.

import type { PolicyDeclaration } from './policy-declaration.ts'
import type { AnyTool } from './tool.ts'

export interface MarkdownSectionOptions {
  /** Heading; absent: the text stands alone. */
  readonly title?: string
  /** Names the section in the config document. Absent: made of the title. */
  readonly key?: string
  /** Markdown; `${name}` is replaced by a parameter of the prompt, `$${name}` by those literal characters. */
  readonly template?: string
  readonly tools?: readonly AnyTool[]
  /** Govern the tools of this section only. */
  readonly policies?: readonly PolicyDeclaration[]
  readonly sections?: readonly MarkdownSection[]
}

/** A part of the text, with the tools and the policies that belong to it. */
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

/** The sections and all below them, in reading order. */
export function allSections(sections: readonly MarkdownSection[]): readonly MarkdownSection[] {
  return sections.flatMap((section) => [section, ...allSections(section.sections)])
}
