// What the shell must look up before it hands an event to `step`.
import type { CompiledConfig } from './compile.ts'
import type { Checker } from './completion/checker.ts'
import type { EventOf, SessionEvent } from './event.ts'
import type { FactRequest } from './fact.ts'
import { getIn } from './persistent-map.ts'
import type { SessionState } from './state.ts'

const NONE: FactRequest = { files: [] }

/** `state` is the state before the event. */
export function factsNeeded(
  config: CompiledConfig,
  state: SessionState,
  event: SessionEvent,
): FactRequest {
  switch (event.type) {
    case 'tool.requested':
      return unique(filesOfRequest(config, state, event))
    case 'tool.invoked':
      return unique([...filesOfResult(config, state, event), ...filesOfTriggers(config, state)])
    case 'stop.attempted':
      return config.checker === null ? NONE : unique(filesOfChecker(config.checker))
    default:
      return NONE
  }
}

function unique(files: readonly string[]): FactRequest {
  return files.length === 0 ? NONE : { files: [...new Set(files)] }
}

function filesOfRequest(
  config: CompiledConfig,
  state: SessionState,
  { data }: EventOf<'tool.requested'>,
): readonly string[] {
  const tool = config.canonicalTool(data.tool)
  const call = { tool, args: data.args, facts: undefined }
  return config.policiesFor(tool).flatMap(({ policy }) => policy.path(call, state) ?? [])
}

function filesOfResult(
  config: CompiledConfig,
  state: SessionState,
  { data }: EventOf<'tool.invoked'>,
): readonly string[] {
  const call = getIn(state.pending, data.call_id)
  if (call === undefined || data.outcome !== 'success') return []
  return config.rememberersOf(call.tool).flatMap(({ id }) => call.paths[id] ?? [])
}

function filesOfTriggers(config: CompiledConfig, state: SessionState): readonly string[] {
  return config.providers.flatMap(({ id, file }) =>
    file === null || getIn(state.firedFiles, id) !== undefined ? [] : [file],
  )
}

function filesOfChecker(checker: Checker): readonly string[] {
  return checker.kind === 'leaf' ? checker.files : checker.children.flatMap(filesOfChecker)
}
