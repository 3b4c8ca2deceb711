import { celExpressions } from '@signalbox/core/expression'

export interface AskedCondition {
  readonly source: string
  /** Names that may occur; null: the source is a pattern of a content rule. */
  readonly variables: readonly string[] | null
}

const cel = celExpressions()

/** For each condition: why it cannot be used; null: it can. */
export function checkConditions(conditions: readonly AskedCondition[]): readonly (string | null)[] {
  return conditions.map(({ source, variables }) => {
    if (variables === null) return cel.checkPattern(source)
    const compiled = cel.compile(source, variables)
    return compiled.ok ? null : compiled.message
  })
}
