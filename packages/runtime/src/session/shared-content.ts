import { type CompiledConfig, compileConfig, type SectionDocument } from '@signalbox/core'
import { canonicalJson } from '@signalbox/wire'

/** The shadow version without content rules that the version in force does not have: their detectors did not see the values, and would count as not checked. */
export function withSharedContent(shadow: CompiledConfig, live: CompiledConfig): CompiledConfig {
  const ours = new Map(
    live.content.map(({ document }) => [
      document.id,
      canonicalJson({ ...document, mode: 'enforce' }),
    ]),
  )
  const isOther = shadow.content.some(
    ({ document }) => ours.get(document.id) !== canonicalJson({ ...document, mode: 'enforce' }),
  )
  if (!isOther) return shadow
  const within = <Part extends Pick<SectionDocument, 'content' | 'sections'>>(
    part: Part,
  ): Part => ({
    ...part,
    ...(part.content === undefined
      ? {}
      : {
          content: part.content.filter(
            (rule) => ours.get(rule.id) === canonicalJson({ ...rule, mode: 'enforce' }),
          ),
        }),
    ...(part.sections === undefined ? {} : { sections: part.sections.map(within) }),
  })
  const compiled = compileConfig(within(shadow.document), shadow.options)
  // Leaving rules out can only remove errors.
  return compiled.ok ? compiled.config : shadow
}
