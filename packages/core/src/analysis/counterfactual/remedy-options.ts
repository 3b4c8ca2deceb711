// Candidates are guesses; `remedies` keeps only those that work.

import type { CompiledConfig } from '../../engine/compile.ts'
import { listToolsToRun } from '../../kinds/base/policy-reason.ts'
import { toCall } from '../../kinds/policies/call.ts'
import { findNormalPath } from '../../kinds/policies/path-argument.ts'
import { policyReason } from '../../kinds/policies.ts'
import { plural } from '../../model/count-text.ts'
import type { RuleResult } from '../../model/effect.ts'
import type { EventBody, SessionEvent } from '../../model/event.ts'
import type { FileFact, RuleAnswer } from '../../model/fact.ts'
import type { JsonObject } from '../../model/json.ts'
import { getIn } from '../../model/persistent-map.ts'
import type { Decision } from '../explain/find-decision.ts'
import { fileKey, type Trail } from '../explain/trail.ts'
import { ordersAt, toolRuns } from '../unblock/tool-runs.ts'
import type { Change } from './change.ts'

export interface RemedyOption {
  readonly changes: readonly Change[]
  /** Completes “It would have been allowed if …”; Markdown code spans mark names. */
  readonly clause: string
}

export interface Denial {
  readonly config: CompiledConfig
  readonly events: readonly SessionEvent[]
  readonly decision: Decision
  readonly trail: Trail
}

export function optionsFor(rule: RuleResult, denial: Denial): readonly RemedyOption[] {
  return [...listCodeOptions(rule, denial), inShadow(rule)]
}

function inShadow({ rule }: RuleResult): RemedyOption {
  return {
    changes: [{ kind: 'rule_mode', rule, mode: 'shadow' }],
    clause: `the rule \`${rule}\` had been in shadow mode`,
  }
}

function listCodeOptions(rule: RuleResult, denial: Denial): readonly RemedyOption[] {
  const { seq } = denial.decision.event
  const { basis } = policyReason(rule.code)
  switch (basis) {
    case 'missing_tools':
      return runOptions(listToolsToRun(rule), denial)
    case 'unread_file':
    case 'changed_file':
    case 'unknown_file':
      return fileOptions(rule, denial)
    case 'calls':
      return rateOptions(rule, seq)
    case 'approval':
      return [
        {
          changes: [{ kind: 'with_answer', seq, decision: 'approved' }],
          clause: 'it had been approved',
        },
      ]
    case 'answer': {
      const yes: RuleAnswer = { kind: 'policy', allow: true }
      const facts = { answers: { [rule.rule]: yes } }
      return [
        {
          changes: [{ kind: 'with_facts', seq: requestSeq(denial), facts }],
          clause: `\`${rule.rule}\` had allowed it`,
        },
      ]
    }
    case 'input':
    case 'path':
    case 'file':
    case 'read_file':
    case 'tools':
      return []
    default:
      return basis satisfies never
  }
}

/** An approval is about an earlier request. */
function requestSeq({ decision: { event, before } }: Denial): number {
  if (event.type !== 'approval.decided') return event.seq
  return getIn(before.pending, event.data.call_id)?.seq ?? event.seq
}

function runOptions(missing: readonly string[], denial: Denial): readonly RemedyOption[] {
  const { config, decision, trail } = denial
  const needs = missing.map((tool) => ({ tool, after: [], isMet: false }))
  const { order } = toolRuns(needs, ordersAt(config, decision.before), decision.before)
  const before = requestSeq(denial)
  const runs = {
    changes: order.map((tool, i) => run({ config, before, tool, id: `remedy ${i}`, call: {} })),
    clause: `${order.map((tool) => `\`${tool}\``).join(', then ')} had succeeded before`,
  }
  const failed = missing.flatMap((tool) => trail.runs.get(tool) ?? [])
  if (failed.length < missing.length) return [runs]
  return [runs, succeeded(failed.map(({ seq }) => seq))]
}

function succeeded(seqs: readonly number[]): RemedyOption {
  return {
    changes: seqs.map((seq) => ({ kind: 'with_outcome', seq, outcome: 'success' })),
    clause: `${seqs.map((seq) => `#${seq}`).join(' and ')} had succeeded`,
  }
}

interface Run {
  readonly config: CompiledConfig
  readonly before: number
  readonly tool: string
  readonly id: string
  readonly call: { readonly args?: JsonObject; readonly facts?: { readonly files: Files } }
}

type Files = { readonly [path: string]: FileFact }

function run({ config, before, tool, id: call_id, call }: Run): Change {
  const { args = {}, ...facts } = call
  const needsApproval = config.rulesFor(tool).approvals.length > 0
  const events: readonly EventBody[] = [
    { type: 'tool.requested', data: { call_id, tool, args, ...facts } },
    ...(needsApproval
      ? [{ type: 'approval.decided', data: { call_id, decision: 'approved' } } as const]
      : []),
    { type: 'tool.invoked', data: { call_id, tool, outcome: 'success', ...facts } },
  ]
  return { kind: 'inserted', before, events }
}

function fileOptions(rule: RuleResult, denial: Denial): readonly RemedyOption[] {
  const { config, decision, trail } = denial
  const { event, before } = decision
  if (event.type !== 'tool.requested') return []
  const call = toCall(config, event.data, before)
  const memory = config.rulesFor(call.tool).policies.find(({ id }) => id === rule.rule)
    ?.policy.reads
  const path = memory ? findNormalPath(call.paths, memory.form, rule.params['path']) : null
  if (!memory || !path) return []
  const known = event.data.facts?.files?.[path]
  const failed = trail.fileAttempts.get(fileKey(memory.form.key, path))
  const isFailed = failed?.role === 'attempt_failed' || failed?.role === 'attempt_unknown'
  const files = known === undefined ? {} : { facts: { files: { [path]: known } } }
  const [tool] = memory.tools
  return [
    ...(tool === undefined || known?.exists !== true
      ? []
      : [
          {
            changes: [
              run({
                config,
                before: event.seq,
                tool,
                id: 'remedy read',
                call: { args: call.args, ...files },
              }),
            ],
            clause: `\`${path}\` had been read with \`${tool}\` before`,
          },
        ]),
    ...(isFailed ? [succeeded([failed.seq])] : []),
    fact({ seq: event.seq, path, file: { exists: false }, clause: `\`${path}\` had not existed` }),
    ...unchanged({ seq: event.seq, path, rule, denial }),
  ]
}

function fact({
  seq,
  path,
  file,
  clause,
}: {
  readonly seq: number
  readonly path: string
  readonly file: FileFact
  readonly clause: string
}): RemedyOption {
  return { changes: [{ kind: 'with_facts', seq, facts: { files: { [path]: file } } }], clause }
}

function unchanged({
  seq,
  path,
  rule,
  denial,
}: {
  readonly seq: number
  readonly path: string
  readonly rule: RuleResult
  readonly denial: Denial
}): readonly RemedyOption[] {
  const read = denial.events.find((event) => event.seq === rule.because[0])
  const file = read?.type === 'tool.invoked' ? read.data.facts?.files?.[path] : undefined
  if (rule.code !== 'file.changed' || file === undefined) return []
  return [fact({ seq, path, file, clause: `\`${path}\` had not changed since #${read?.seq}` })]
}

function rateOptions(rule: RuleResult, seq: number): readonly RemedyOption[] {
  const seconds = rule.params['retry_after_seconds']
  const later: readonly RemedyOption[] =
    typeof seconds === 'number'
      ? [
          {
            changes: [{ kind: 'delayed', seq, seconds }],
            clause: `it had been requested ${plural(seconds, 'second')} later`,
          },
        ]
      : []
  const counted = rule.because.map(
    (oldest): RemedyOption => ({
      changes: [{ kind: 'without_event', seq: oldest }],
      clause: `#${oldest} had not been requested`,
    }),
  )
  return [...later, ...counted]
}
