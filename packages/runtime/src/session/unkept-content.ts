import type { CompiledConfig, Replaceable } from '@signalbox/core'
import { canKeep } from '@signalbox/core/host'
import type { HarnessCapabilities } from './harness-capabilities.ts'

export interface UnkeptContent {
  /** Rules because of which the config cannot be used in this harness. */
  readonly refused: readonly string[]
  /** Rules that only warn in this harness. */
  readonly warned: readonly string[]
}

/** Without capabilities, the session runs in the host's own loop, which uses the values that it gets back. */
export function toReplaceable(can: HarnessCapabilities | undefined): Replaceable {
  return {
    arguments: can?.replacesArguments ?? true,
    results: can?.replacesResults ?? true,
  }
}

/** Acting rules that replace what the harness cannot. */
export function findUnkeptContent(config: CompiledConfig, replaceable: Replaceable): UnkeptContent {
  const unkept = config.content.filter(
    ({ mode, document }) => mode === 'enforce' && !canKeep(document, replaceable),
  )
  const listIds = (effect: 'refuse' | 'warn') =>
    unkept.flatMap(({ document: { id, on_unsupported = 'refuse' } }) =>
      on_unsupported === effect ? [id] : [],
    )
  return { refused: listIds('refuse'), warned: listIds('warn') }
}

export function unkeptSentence(refused: readonly string[]): string {
  const rules = refused.map((id) => `'${id}'`).join(', ')
  return `This harness cannot replace the content that ${refused.length === 1 ? 'the content rule' : 'the content rules'} ${rules} must replace, so the config is not used here, and every tool call is denied. A client of the agent protocol that can replace it sets replaces_arguments and replaces_results in its capabilities.`
}
