import { judgeContent } from '../kinds/content/judge-content.ts'
import type { RuleResult } from '../model/effect.ts'
import type { ToolInvoked } from '../model/event.ts'
import type { SessionState } from '../model/state.ts'
import type { CompiledConfig } from './compile.ts'

const NONE: readonly RuleResult[] = []

/** Results of the content rules on a result. The runtime asks before it records the event, because the record gets the replaced value. A denied call has no result. */
export function judgeResult(
  config: CompiledConfig,
  state: SessionState,
  { tool, outcome, facts }: Pick<ToolInvoked, 'tool' | 'outcome' | 'facts'>,
): readonly RuleResult[] {
  const { result } = config.rulesFor(config.canonicalTool(tool)).content
  if (result.length === 0 || outcome === 'denied') return NONE
  return judgeContent(result, facts?.content, state.replaceable)
}
