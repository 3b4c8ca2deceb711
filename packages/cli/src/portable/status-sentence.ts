import { plural } from '@signalbox/core/analysis'
import type { BundleDivergence, OpenedBundle } from './open-bundle.ts'

const WHY: { readonly [Name in BundleDivergence['why']]: string } = {
  other_decision: 'the recomputed decision differs',
  unexpected_decision: 'nothing led to this decision',
  acted_before_decision: 'the call continued before its decision was recorded',
  ended_before_decision: 'the session ended before a decision was recorded',
  unknown_version: 'the session moved to a version that is not in the file',
  too_many_open: 'too many decisions are not recorded',
  broken_chain: 'the event does not contain the hash of the event before it',
}

/** Ends with a period. */
export function statusSentence(opened: OpenedBundle): string {
  switch (opened.status) {
    case 'refused':
      return `${opened.message} Do not trust anything in the file.`
    case 'verified': {
      const { decisions, events } = opened
      const counted = plural(decisions, 'decision')
      return `All ${plural(events.length, 'event')} are as signed, their hashes form an unbroken chain, and ${counted} up to this one recomputed to the same result.`
    }
    case 'diverged':
      return `Event #${opened.divergence.at} does not agree: ${WHY[opened.divergence.why]}.`
    case 'not_replayable':
      return `The file is as signed, but nothing was recomputed. ${opened.why.join(' ')}`
    default:
      return opened satisfies never
  }
}
