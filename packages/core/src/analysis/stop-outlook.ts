// Inputs that are read only at the stop – files, a model, custom code, the stop itself – are unknown and never count as passed.

import type { CompiledConfig } from '../engine/compile.ts'
import { decideStop } from '../engine/decide-stop.ts'
import {
  type Checker,
  isComplete,
  type LeafChecker,
  listLeaves,
  outcome,
  replaceLeaves,
} from '../kinds/checkers/checker.ts'
import { runChecker } from '../kinds/checkers/tree.ts'
import { type CheckerDocument, checkerRule } from '../kinds/checkers.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { CheckResult, CheckStatus, StopDecision, StopVerdict } from '../model/effect.ts'
import type { EventOf } from '../model/event.ts'
import type { JsonObject } from '../model/json.ts'
import type { SessionState } from '../model/state.ts'
import { type UnblockPlan, unblock } from './unblock/unblock.ts'

/** `unknown`: the record lacks the check's inputs. */
export interface OutlookCheck extends Pick<CheckResult, 'checker' | 'type' | 'code' | 'params'> {
  readonly status: CheckStatus | 'unknown'
  readonly children: readonly OutlookCheck[] | null
}

export interface StopOutlook {
  /** `unknown`: the verdict depends on unknown checks. */
  readonly verdict: StopVerdict | 'unknown'
  readonly code: string
  readonly params: JsonObject
  /** Recorded form of the checks; null: the verdict is unknown, or the config has no checker. */
  readonly check: StopDecision['check']
  /** Every check of the tree, none skipped; null: the config has no checker. */
  readonly checks: OutlookCheck | null
  /** Steps that are known to be missing; unknown checks are assumed to pass. */
  readonly remaining: UnblockPlan
}

interface Moment {
  /** Epoch ms of the supposed stop, not before the last event. */
  readonly at: number
  /** The harness's own limit on blocked stops; null: none known. */
  readonly harnessMaxBlocks: number | null
}

export function stopOutlook(
  config: CompiledConfig,
  state: SessionState,
  moment: Moment,
): StopOutlook {
  const attempt = simulateAttempt(config.checker, state, moment)
  const now = { ...state, seq: attempt.seq, at: attempt.at }
  const unknown = unknownChecks(config)
  const best = assumeStatus(config, unknown, 'passed')
  const worst = assumeStatus(config, unknown, 'incomplete')
  const [atBest, atWorst] = [decideStop(best, now, attempt), decideStop(worst, now, attempt)]
  const isKnown = atBest.verdict === atWorst.verdict
  const remaining = unblock(best, now, attempt)
  if (config.checker === null || best.checker === null || worst.checker === null) {
    return { ...atBest, checks: null, remaining }
  }
  const context = { state: now, stop: attempt.data }
  const [high, low] = [best.checker, worst.checker].map((checker) =>
    runChecker(checker, context, 'everything'),
  )
  const checks = high === undefined || low === undefined ? null : merged(high, low, unknown)
  const head = isKnown
    ? atBest
    : { verdict: 'unknown' as const, code: 'outlook.unknown', params: {}, check: null }
  return { ...head, checks, remaining }
}

function simulateAttempt(
  checker: Checker | null,
  state: SessionState,
  { at, harnessMaxBlocks }: Moment,
): EventOf<'stop.attempted'> {
  const files = Object.fromEntries(
    (checker === null ? [] : listLeaves(checker)).flatMap((leaf) =>
      leaf.files.map((path) => [path, { exists: true }] as const),
    ),
  )
  const cap = harnessMaxBlocks === null ? {} : { harness_max_blocks: harnessMaxBlocks }
  const data = { via: 'turn_end', facts: { files }, ...cap } as const
  const place = { session: '', seq: state.seq + 1, at: Math.max(at, state.at) }
  return { ...place, type: 'stop.attempted', data }
}

type Unknown = ReadonlyMap<string, Pick<OutlookCheck, 'code' | 'params'>>

function unknownChecks({ checker, document }: CompiledConfig): Unknown {
  const documents = placeDocument(document).checkers.map(({ item }) => [item.id, item] as const)
  const byId = new Map(documents)
  const found = new Map<string, Pick<OutlookCheck, 'code' | 'params'>>()
  const visit = (one: Checker): void => {
    if (one.kind === 'composite') {
      one.children.forEach(visit)
      return
    }
    const document = byId.get(one.id)
    const code = findUnknownCode(one, document)
    const params = document !== undefined && 'files' in document ? { files: document.files } : {}
    if (code !== null) found.set(one.id, { code, params })
  }
  if (checker !== null) visit(checker)
  return found
}

function findUnknownCode(leaf: LeafChecker, document: CheckerDocument | undefined): string | null {
  if (document === undefined) return 'outlook.custom'
  return checkerRule(document)?.unknownBefore(document, leaf) ?? null
}

function assumeStatus(
  config: CompiledConfig,
  unknown: Unknown,
  status: 'passed' | 'incomplete',
): CompiledConfig {
  const assumed = (leaf: LeafChecker): LeafChecker => {
    const about = unknown.get(leaf.id)
    if (about === undefined) return leaf
    const { code, params } = about
    return { ...leaf, check: () => outcome(status, code, { params }) }
  }
  return {
    ...config,
    checker: config.checker === null ? null : replaceLeaves(config.checker, assumed),
  }
}

function merged(best: CheckResult, worst: CheckResult, unknown: Unknown): OutlookCheck {
  const { checker, type, code, params, status } = best
  const children =
    best.children?.map((child, i) => merged(child, worst.children?.[i] ?? child, unknown)) ?? null
  const isUnknown = unknown.has(checker) || isComplete(best) !== isComplete(worst)
  if (!isUnknown) return { checker, type, code, params, status, children }
  const about = unknown.get(checker) ?? { code: 'outlook.unknown', params: {} }
  return { checker, type, ...about, status: 'unknown', children }
}
