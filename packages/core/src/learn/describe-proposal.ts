import { quoted } from '../kinds/base/judgment.ts'
import { plural, shareText } from '../model/count-text.ts'
import { MIN_SESSIONS, type Proposal, YOUNG_DAYS } from './propose.ts'

/** The evidence of the proposal, as sentences. `minSessions`: as for `propose`. */
export function describeEvidence(proposal: Proposal, minSessions = MIN_SESSIONS): string {
  const { kind, sessions, broken, chance, badSessions, brokenByBad } = proposal
  const { unknownEffects, youngTools } = proposal
  if (kind === 'file_facts')
    return `This rule only records what the tools find, and denies nothing. Learn again after ${plural(minSessions, 'session')} with it.`
  const expected = chance === null ? '' : ` (${shareText(chance, 1)} expected by chance)`
  const kept =
    broken === 0
      ? `Held in all ${plural(sessions, 'good session')}${expected}.`
      : `Held in ${sessions - broken} of ${plural(sessions, 'good session')}${expected}.`
  const bad =
    badSessions === 0 ? '' : ` Broken in ${brokenByBad} of ${plural(badSessions, 'bad session')}.`
  const doubt = unknownEffects.map(
    (tool) => ` It is not known whether \`${tool}\` changes anything.`,
  )
  const young =
    youngTools.length === 0
      ? ''
      : ` First seen less than ${YOUNG_DAYS} days ago: ${quoted(youngTools)}.`
  return `${kept}${bad}${doubt.join('')}${young}`
}
