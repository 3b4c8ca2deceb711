import type { ToolRequested } from '../../model/event.ts'
import type { JsonObject } from '../../model/json.ts'
import type { SessionState } from '../../model/state.ts'
import { findPaths, type PathForm } from './path-argument.ts'
import type { Call } from './policy.ts'

/**
 * True for arguments that are a text, a list or a number, which are recorded under `$value` alone. Rules that need an argument cannot be
 * evaluated on them; under semantics 1 they treat the argument as absent.
 */
export function isNonObject(args: JsonObject, { semantics }: SessionState): boolean {
  return semantics >= 2 && Object.hasOwn(args, '$value') && Object.keys(args).length === 1
}

interface Tools {
  canonicalTool(name: string): string
  rulesFor(tool: string): { readonly forms: readonly PathForm[] }
}

const NONE: Call['paths'] = []

/** `state` is the state before the call, or the draft of the step that handles it. */
export function toCall(config: Tools, request: ToolRequested, state: SessionState): Call {
  const { args, facts } = request
  const tool = config.canonicalTool(request.tool)
  const { forms } = config.rulesFor(tool)
  const paths = forms.length === 0 ? NONE : forms.map((form) => findPaths(form, request, state))
  return { tool, args, facts, paths }
}
