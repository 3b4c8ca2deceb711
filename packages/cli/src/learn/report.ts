import type { ConfigDocument, JsonValue } from '@signalbox/core'
import { countText, plural } from '@signalbox/core/analysis'
import { addRules, describeEvidence, type Tested, type TestedProposal } from '@signalbox/core/learn'
import { describeNewFaults } from '@signalbox/core/prove'
import type { LearnedRules } from './learned-rules.ts'
import { UNUSED_WORDS } from './session-logs.ts'

const MOST_IDS = 5

export function describeReport(learned: LearnedRules): readonly string[] {
  const { good, bad, min, kept, refused } = learned
  const sample = [describeSample(learned), ...describeSkipped(learned)]
  if (good < min)
    return [...sample, `${plural(good, 'good session')}: too few. A proposal needs ${min}.`]
  if (kept.length + refused.length === 0) return [...sample, NOTHING_FOUND]
  const offers = kept.filter(({ proposal }) => proposal.kind === 'file_facts')
  const rest = kept.filter(({ proposal }) => proposal.kind !== 'file_facts')
  const inGroup = (group: string) => rest.filter(({ proposal }) => proposal.group === group)
  return [
    ...sample,
    ...describeGroup('First', offers, min),
    ...describeGroup(
      bad === 0 ? 'Guards' : 'Guards: bad sessions broke them',
      inGroup('guard'),
      min,
    ),
    ...describeGroup('Habits: only a correlation', inGroup('habit'), min),
    ...describeGroup(
      'Not kept, because they would have denied too many good sessions',
      refused,
      min,
    ),
    ...describeTogether(learned),
  ]
}

const NOTHING_FOUND = 'No new pattern found: each one is already covered or could be coincidence.'

function describeSample({ prompt, good, bad, unused }: LearnedRules): string {
  const all = [...unused.values()].reduce((sum, count) => sum + count, 0)
  const why = [...unused].map(([reason, count]) => `${countText(count)} ${UNUSED_WORDS[reason]}`)
  const rest = all === 0 ? '' : `; ${countText(all)} not used: ${why.join(', ')}`
  return `${prompt}: from ${plural(good, 'good session')}, ${countText(bad)} marked bad${rest}`
}

function describeSkipped({ skipped }: LearnedRules): readonly string[] {
  const tools = [...skipped.keys()].sort()
  return tools.length === 0 ? [] : [`Not analyzed: ${tools.join(', ')}`]
}

function describeGroup(title: string, tested: readonly TestedProposal[], min: number) {
  return tested.length === 0 ? [] : ['', title, ...tested.flatMap((one) => describeOne(one, min))]
}

function describeOne({ proposal, good }: TestedProposal, min: number): readonly string[] {
  const act = proposal.pointer === '/task_completion_checker' ? 'blocked' : 'denied'
  return [
    `  ${proposal.sentence}.`,
    `    ${describeEvidence(proposal, min)}`,
    ...describeTested(good, act).map((line) => `    ${line}`),
  ]
}

function describeTested(
  { denied, deniedSessions, cannotReplay }: Tested,
  act: string,
): readonly string[] {
  const shown = deniedSessions.slice(0, MOST_IDS).join(', ')
  const more = denied > MOST_IDS ? ` and ${denied - MOST_IDS} more` : ''
  return [
    ...(denied === 0
      ? []
      : [`${plural(denied, 'good session')} would have been ${act}: ${shown}${more}`]),
    ...(cannotReplay === 0
      ? []
      : [`${plural(cannotReplay, 'good session')} cannot be replayed: facts were not recorded`]),
  ]
}

function describeTogether({ together, kept }: LearnedRules): readonly string[] {
  if (together === null || kept.length < 2) return []
  const { good } = together
  return [
    '',
    `All ${kept.length} together: ${good.denied} of ${plural(good.sessions, 'good session')} would have been refused.`,
    ...describeNewFaults(together).map((fault) => `  ${fault}`),
  ]
}

interface PatchOperation {
  readonly op: 'add'
  readonly path: string
  readonly value: JsonValue
}

/** JSON Patch (RFC 6902) that adds the proposals to the present config. */
export function toPatch(
  { present, kept }: LearnedRules,
  hasHabits: boolean,
): readonly PatchOperation[] {
  const chosen = kept.flatMap(({ proposal }) =>
    hasHabits || proposal.group === 'guard' || proposal.kind === 'file_facts' ? [proposal] : [],
  )
  const { document } = present
  const after = addRules(document, chosen, { mode: 'shadow' })
  const checker = after.task_completion_checker
  return [
    ...listAdded(document, after, 'policies'),
    ...listAdded(document, after, 'feedback_providers'),
    ...(checker === undefined || checker === document.task_completion_checker
      ? []
      : [toOperation('/task_completion_checker', checker)]),
  ]
}

function listAdded(
  before: ConfigDocument,
  after: ConfigDocument,
  field: 'policies' | 'feedback_providers',
): readonly PatchOperation[] {
  const [known, all] = [before[field], after[field] ?? []]
  if (known === undefined) return all.length === 0 ? [] : [toOperation(`/${field}`, all)]
  return all.slice(known.length).map((rule) => toOperation(`/${field}/-`, rule))
}

function toOperation(path: string, value: object): PatchOperation {
  // Rules are JSON.
  return { op: 'add', path, value: value as unknown as JsonValue }
}
