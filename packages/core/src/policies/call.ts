// A requested call as policies see it.
import type { CompiledConfig } from '../compile.ts'
import type { ToolRequested } from '../event.ts'
import type { SessionState } from '../state.ts'
import { type PathArgument, pathArgument } from './path-argument.ts'
import type { Call } from './policy.ts'

const NO_PATHS: readonly PathArgument[] = []

/** `state` is the state before the call, or the draft of the step that handles it. */
export function callOf(
  config: CompiledConfig,
  { tool: name, args, facts }: ToolRequested,
  state: SessionState,
): Call {
  const tool = config.canonicalTool(name)
  const forms = config.pathFormsOf(tool)
  if (forms.length === 0) return { tool, args, facts, paths: NO_PATHS }
  const paths: PathArgument[] = []
  for (const form of forms) paths.push(pathArgument(form, args, state))
  return { tool, args, facts, paths }
}

/** A call of which only the tool is known, for rules that look no further. */
export function bareCall(tool: string): Call {
  return { tool, args: {}, facts: undefined, paths: NO_PATHS }
}
