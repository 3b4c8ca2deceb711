import { describeChecker } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { describeContent } from '../kinds/content/content-words.ts'
import { placeDocument } from '../kinds/placed.ts'
import { describePolicy } from '../kinds/policies.ts'
import { countText, plural, shareText } from '../model/count-text.ts'
import type { Candidate, Findings } from './candidate.ts'
import type { Draft } from './draft.ts'
import type { IncidentFault } from './incident.ts'

/** The change as one sentence, without a period; Markdown code spans mark names. `document`: the changed one. */
export function describeCandidate(document: ConfigDocument, { edit }: Pick<Draft, 'edit'>): string {
  switch (edit.kind) {
    case 'enforce':
      return `Enforce \`${edit.rule}\`: ${describeRule(document, edit.rule)}`
    case 'change_policy':
      return `Change \`${edit.policy.id}\`: ${describePolicy(edit.policy)}`
    case 'change_checker':
      return `Change \`${edit.checker.id}\`: a stop passes only if ${describeChecker(edit.checker)}`
    case 'add_policy':
      return describePolicy(edit.policy)
    case 'add_checker':
      return `A stop passes only if ${describeChecker(edit.checker)}`
    default:
      return edit satisfies never
  }
}

function describeRule(document: ConfigDocument, rule: string): string {
  const { policies, content } = placeDocument(document)
  const policy = policies.find(({ item }) => item.id === rule)
  if (policy !== undefined) return describePolicy(policy.item)
  const inspected = content.find(({ item }) => item.id === rule)
  return inspected === undefined ? '' : describeContent(inspected.item)
}

const FEW_CALLS = 20

/** What the candidate rests on, and what it costs, in one or two sentences. */
export function describeEvidence({ evidence, ...found }: Candidate): string {
  const { goodCalls, goodSessions, chance } = evidence
  const noun = found.outcome === 'blocked' ? 'stop' : 'call'
  if (found.outcome === 'waits') return describeAsks(found)
  const few = goodCalls < FEW_CALLS ? ' This is little evidence.' : ''
  const missing =
    found.cannotReplay === 0
      ? ''
      : ` The logs of ${plural(found.cannotReplay, 'session')} do not contain what decides it.`
  const share = chance === null ? '' : ` Chance alone gives ${shareText(chance, 1)}.`
  const denied = `Refuses nothing in ${plural(goodSessions, 'good session')}`
  const first =
    found.denies === 0
      ? `${denied} with ${plural(goodCalls, `good ${noun}`)}.`
      : `Would have refused something in ${countText(found.denies)} of ${plural(goodSessions, 'good session')}.`
  return `${first}${share}${missing}${few}`
}

function describeAsks({ asks, asksPerDay }: Pick<Candidate, 'asks' | 'asksPerDay'>): string {
  return `A reviewer would have been asked about ${plural(asks, 'good call')}, about ${plural(Math.ceil(asksPerDay), 'call')} a day.`
}

/** One sentence for the case that no candidate, or only a reviewer, tells the incident from good sessions; null: a candidate does. */
export function describeNoAnswer({ candidates, used }: Findings): string | null {
  const [first] = candidates
  if (first === undefined)
    return `No recorded difference separates this from ${plural(used.calls, 'good one')}.`
  if (candidates.some(({ outcome }) => outcome !== 'waits')) return null
  return `No recorded difference separates this call from ${plural(used.calls, 'good call')}. A reviewer can decide each one (about ${plural(Math.ceil(first.asksPerDay), 'call')} a day).`
}

export function describeFault(fault: IncidentFault): string {
  if (fault.code === 'event_decides_nothing')
    return 'This event decides neither a call nor a stop. Name the request of a call, or a stop.'
  return fault.rule === null
    ? 'This was already refused by a user.'
    : `This was already refused by \`${fault.rule}\`.`
}
