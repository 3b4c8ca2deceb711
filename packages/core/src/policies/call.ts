// A requested call as policies see it.
import type { ToolRequested } from '../event.ts'
import type { SessionState } from '../state.ts'
import { type PathArgument, type PathForm, pathArgument } from './path-argument.ts'
import type { Call } from './policy.ts'

/** What a compiled config knows of tools. */
interface Tools {
  canonicalTool(name: string): string
  rulesFor(tool: string): { readonly forms: readonly PathForm[] }
}

/** `state` is the state before the call, or the draft of the step that handles it. */
export function callOf(
  config: Tools,
  { tool: name, args, facts }: ToolRequested,
  state: SessionState,
): Call {
  const tool = config.canonicalTool(name)
  const { forms } = config.rulesFor(tool)
  const paths: PathArgument[] = []
  for (const form of forms) paths.push(pathArgument(form, args, state))
  return { tool, args, facts, paths }
}
