import {
  type CompiledConfig,
  type ContentRuleDocument,
  compileConfig,
  type SectionDocument,
} from '@signalbox/core'
import { canonicalJson } from '@signalbox/wire'

/** The shadow version without content rules that the version in force does not have: their detectors did not see the values, and would count as not checked. */
export function withSharedContent(shadow: CompiledConfig, live: CompiledConfig): CompiledConfig {
  const ours = new Set(live.content.map(({ document }) => withoutMode(document)))
  const isShared = (rule: ContentRuleDocument) => ours.has(withoutMode(rule))
  if (shadow.content.every(({ document }) => isShared(document))) return shadow
  const within = <Part extends Pick<SectionDocument, 'content' | 'sections'>>(
    part: Part,
  ): Part => ({
    ...part,
    ...(part.content === undefined ? {} : { content: part.content.filter(isShared) }),
    ...(part.sections === undefined ? {} : { sections: part.sections.map(within) }),
  })
  const compiled = compileConfig(within(shadow.document), shadow.options)
  // Leaving rules out can only remove errors.
  return compiled.ok ? compiled.config : shadow
}

/** A rule that acts and the same rule in shadow mode need the same detector. */
function withoutMode(rule: ContentRuleDocument): string {
  return canonicalJson({ ...rule, mode: 'enforce' })
}
