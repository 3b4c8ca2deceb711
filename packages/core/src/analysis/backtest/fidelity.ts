import type { CompiledConfig } from '../../engine/compile.ts'
import { factsNeeded } from '../../host/facts-needed.ts'
import { listLeaves } from '../../kinds/checkers/checker.ts'
import { toCall } from '../../kinds/policies/call.ts'
import { foundFor, listInspectedPaths, pathsFor } from '../../kinds/policies/path-argument.ts'
import type { EventOf, SessionEvent } from '../../model/event.ts'
import type { FactRequest, Facts } from '../../model/fact.ts'
import { getIn } from '../../model/persistent-map.ts'
import type { SessionState } from '../../model/state.ts'

export type Fidelity = 'exact' | 'approximate' | 'cannot_replay'

export type FidelityReason =
  /** The file was not looked up, because the config in force did not need it. */
  | 'files_not_recorded'
  | 'answers_not_recorded'
  /** The detectors of the rule did not run, and content is not recorded. */
  | 'content_not_recorded'
  /** The agent would have acted differently since an earlier event. */
  | 'after_divergence'

export interface RuleFidelity {
  readonly fidelity: Fidelity
  /** null for `exact`. */
  readonly reason: FidelityReason | null
  /** Sequence number of the event that lowered the fidelity; null for `exact`. */
  readonly since: number | null
}

const EXACT: RuleFidelity = { fidelity: 'exact', reason: null, since: null }
const RANK = { exact: 0, approximate: 1, cannot_replay: 2 } as const satisfies {
  readonly [Name in Fidelity]: number
}

/** By rule id. Absent: exact. */
export type Fidelities = Map<string, RuleFidelity>

export function findFidelity(fidelities: ReadonlyMap<string, RuleFidelity>, rule: string) {
  return fidelities.get(rule) ?? EXACT
}

/** Keeps the lowest fidelity and, of equal ones, the first. */
export function lower(fidelities: Fidelities, rule: string, to: RuleFidelity): void {
  const known = findFidelity(fidelities, rule)
  if (RANK[to.fidelity] > RANK[known.fidelity]) fidelities.set(rule, to)
}

/** `state` is the state before the event. */
export function rulesWithoutFacts(
  config: CompiledConfig,
  state: SessionState,
  event: SessionEvent,
): readonly { readonly rule: string; readonly reason: FidelityReason }[] {
  const { files, links, answers } = listNeededFacts(config, state, event)
  const asking = [
    ...answers.map(({ rule }) => ({ rule, reason: 'answers_not_recorded' as const })),
    ...listUncheckedContent(config, event).map((rule) => ({
      rule,
      reason: 'content_not_recorded' as const,
    })),
  ]
  if (files.length === 0 && links.length === 0) return asking
  const missing = new Set(files)
  const unseen = new Set(links)
  const looking = listFileRules(config, state, event)
    .filter(({ path, left = [] }) => missing.has(path) || left.some((folder) => unseen.has(folder)))
    .map(({ rule }) => ({ rule, reason: 'files_not_recorded' as const }))
  return [...looking, ...asking]
}

/** Content is not recorded, so a rule whose detectors did not see it cannot be replayed. */
function listUncheckedContent(config: CompiledConfig, event: SessionEvent): readonly string[] {
  if (event.type !== 'tool.requested' && event.type !== 'tool.invoked') return []
  const { content } = config.rulesFor(config.canonicalTool(event.data.tool))
  const isResult = event.type === 'tool.invoked'
  if (isResult && event.data.outcome === 'denied') return []
  const checked = event.data.facts?.content?.checked ?? []
  return (isResult ? content.result : content.arguments).flatMap(({ document: { id } }) =>
    checked.includes(id) ? [] : [id],
  )
}

function listNeededFacts(
  config: CompiledConfig,
  state: SessionState,
  event: SessionEvent,
): FactRequest {
  const { files, links, answers } = factsNeeded(config, state, event)
  if (files.length === 0 && links.length === 0) return { files, links, answers }
  const unknown = {
    files: Object.fromEntries(files.map((path) => [path, { exists: 'unknown' } as const])),
    links: Object.fromEntries(links.map((path) => [path, 'unknown' as const])),
  }
  const later = factsNeeded(config, state, withPaths(event, unknown))
  return { files, links, answers: later.answers }
}

function withPaths(
  event: SessionEvent,
  unknown: Required<Pick<Facts, 'files' | 'links'>>,
): SessionEvent {
  switch (event.type) {
    case 'tool.requested':
    case 'tool.invoked':
    case 'stop.attempted': {
      const { facts } = event.data
      const files = { ...facts?.files, ...unknown.files }
      const links = { ...facts?.links, ...unknown.links }
      const data = { ...event.data, facts: { ...facts, files, links } }
      // Only the facts changed, and all three types have them.
      return { ...event, data } as SessionEvent
    }
    default:
      return event
  }
}

interface RuleOfFile {
  readonly rule: string
  readonly path: string
  /** Folders that a `..` of the path leaves. Absent: none. */
  readonly left?: readonly string[]
}

function listFileRules(
  config: CompiledConfig,
  state: SessionState,
  event: SessionEvent,
): readonly RuleOfFile[] {
  switch (event.type) {
    case 'tool.requested': {
      const call = toCall(config, event.data, state)
      return config.rulesFor(call.tool).policies.flatMap(({ id, policy }) => {
        if (policy.reads === null) return []
        return listInspectedPaths(foundFor(call.paths, policy.reads.form)).flatMap(
          ({ normal, left }) =>
            normal === null
              ? []
              : [{ rule: id, path: normal, left: left.flatMap((folder) => folder ?? []) }],
        )
      })
    }
    case 'tool.invoked':
      return [...listProviderFiles(config), ...listReadFiles(config, state, event)]
    case 'stop.attempted':
      if (config.checker === null) return []
      return listLeaves(config.checker).flatMap(({ id, files }) =>
        files.map((path) => ({ rule: id, path })),
      )
    default:
      return []
  }
}

function listProviderFiles({ providers }: CompiledConfig): readonly RuleOfFile[] {
  return providers.flatMap(({ id, file }) => (file === null ? [] : [{ rule: id, path: file }]))
}

function listReadFiles(
  config: CompiledConfig,
  state: SessionState,
  { data }: EventOf<'tool.invoked'>,
): readonly RuleOfFile[] {
  const call = getIn(state.pending, data.call_id)
  if (call === undefined || data.outcome !== 'success') return []
  return config
    .rulesFor(call.tool)
    .reads.flatMap(({ rule, form }) => pathsFor(call.paths, form).map((path) => ({ rule, path })))
}
