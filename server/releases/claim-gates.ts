// Claims of the config are judged for the content before the transaction of a release (specs/releases.md).
import { plural } from '@signalbox/core/analysis'
import { describeQuestion, describeTraceEvent } from '@signalbox/core/prove'
import { type ClaimRow, listClaims } from '@/server/claims/claims.sql.ts'
import { type Judgment, judgeClaims } from '@/server/claims/judge-claims.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { toGate } from './place-gates.ts'
import type { Gate, UnmetClaim } from './release-input.ts'
import type { Content } from './release-subject.ts'

export interface JudgedContent {
  readonly digest: string
  /** By digest of the question. */
  readonly judgments: ReadonlyMap<string, Judgment>
}

/** Takes seconds if the config has claims that were not judged for this content before. */
export async function judgeContent(
  where: { readonly projectId: AuthorizedProjectId; readonly configId: string },
  content: Pick<Content, 'digest' | 'document'>,
): Promise<JudgedContent> {
  const { digest } = content
  return { digest, judgments: await judgeClaims(content, await listClaims(where)) }
}

/** Takes as long as `judgeContent`. */
export async function judgeClaimGates(
  where: { readonly projectId: AuthorizedProjectId; readonly configId: string },
  content: Pick<Content, 'digest' | 'document'>,
): Promise<readonly Gate[]> {
  const judged = await judgeContent(where, content)
  return claimGates(await listClaims(where), content, judged)
}

const LATE: Judgment = {
  state: 'unknown',
  sentence: 'Not known: it was added during the release.',
  events: null,
}

/** Claims that were added since `judged`, or judged for other content, are not known. */
export function claimGates(
  claims: readonly ClaimRow[],
  { digest }: Pick<Content, 'digest'>,
  judged: JudgedContent | null,
): readonly Gate[] {
  const judgments = judged?.digest === digest ? judged.judgments : null
  const found = claims.map((claim) => ({
    claim,
    judgment: judgments?.get(claim.questionDigest) ?? LATE,
  }))
  const unmet = (state: Judgment['state']) =>
    found.filter(({ judgment }) => judgment.state === state).map(toUnmetClaim)
  const [broken, unknown] = [unmet('broken'), unmet('unknown')]
  if (broken.length + unknown.length === 0) {
    if (claims.length === 0) return []
    return [toGate('claim_broken', 'passed', describeHolding(claims.length))]
  }
  return [
    ...(broken.length === 0
      ? []
      : [{ ...toGate('claim_broken', 'missing', describeBroken(broken)), claims: broken }]),
    ...(unknown.length === 0
      ? []
      : [
          {
            ...toGate('claim_unknown', 'ask', describeUnknown(unknown)),
            question: 'Release although it is not known',
            claims: unknown,
          },
        ]),
  ]
}

function toUnmetClaim({
  claim: { id, question, expect },
  judgment: { sentence, events },
}: {
  readonly claim: ClaimRow
  readonly judgment: Judgment
}): UnmetClaim {
  const example = events === null ? null : { events, lines: events.map(describeTraceEvent) }
  return { id, question: describeQuestion(question), expect, answer: sentence, example }
}

function describeHolding(count: number): string {
  return count === 1 ? 'The claim holds' : `All ${count} claims hold`
}

const EXPECTED = { never: 'no run may do it', possible: 'some run must be able to' } as const
const MOST_LINES = 10

/** The first claim with its shortest session on one line, for programs; the console shows all of them. */
function describeBroken(broken: readonly UnmetClaim[]): string {
  const [{ question, expect, answer, example } = EMPTY] = broken
  const lines = example?.lines ?? []
  const more = lines.length > MOST_LINES ? '; …' : ''
  const session =
    lines.length === 0 ? '' : ` Example: ${lines.slice(0, MOST_LINES).join('; ')}${more}`
  return withoutPeriod(
    `${plural(broken.length, 'claim')} broken. ${question} Claimed: ${EXPECTED[expect]}. ${answer}${session}`,
  )
}

function describeUnknown(unknown: readonly UnmetClaim[]): string {
  const [{ question, answer } = EMPTY] = unknown
  return withoutPeriod(
    `${plural(unknown.length, 'claim')} not known to hold. ${question} ${answer}`,
  )
}

const EMPTY: UnmetClaim = { id: '', question: '', expect: 'never', answer: '', example: null }

function withoutPeriod(text: string): string {
  return text.replace(/[.]$/, '')
}
