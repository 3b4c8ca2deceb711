import type { EventRow } from '../rows/session-rows.ts'

export interface StepPair {
  /** From 0. */
  readonly index: number
  /** Null: only the other session has this step. */
  readonly a: EventRow | null
  readonly b: EventRow | null
  /** `verdict`: the same request was decided differently. */
  readonly kind: 'same' | 'verdict' | 'step'
}

/** Number of steps in which a step missing from one session is searched; without a match, the two steps count as different. */
const LOOK_AHEAD = 40

const DECIDED = ['tool.decided', 'stop.decided']

function selectDecidedSteps(rows: readonly EventRow[]): readonly EventRow[] {
  return rows.filter(({ type }) => DECIDED.includes(type))
}

const toStepKey = ({ type, subject, asked }: EventRow): string => `${type} ${subject} ${asked}`

/** Number of steps to skip in each session to reach the next common step; null: none within `LOOK_AHEAD`. */
function findNextCommonStep(
  a: readonly EventRow[],
  b: readonly EventRow[],
): { readonly skipA: number; readonly skipB: number } | null {
  for (let skipped = 1; skipped <= LOOK_AHEAD; skipped += 1) {
    for (let skipA = 0; skipA <= skipped; skipA += 1) {
      const [one, other] = [a[skipA], b[skipped - skipA]]
      if (one === undefined || other === undefined) continue
      if (toStepKey(one) === toStepKey(other)) return { skipA, skipB: skipped - skipA }
    }
  }
  return null
}

type Pair = Omit<StepPair, 'index'>

function firstPairs(a: readonly EventRow[], b: readonly EventRow[]): readonly Pair[] {
  const [one = null, other = null] = [a[0], b[0]]
  if (one === null || other === null) return [{ a: one, b: other, kind: 'step' }]
  if (toStepKey(one) === toStepKey(other)) {
    return [{ a: one, b: other, kind: one.verdict === other.verdict ? 'same' : 'verdict' }]
  }
  const meeting = findNextCommonStep(a, b)
  if (meeting === null) return [{ a: one, b: other, kind: 'step' }]
  return [
    ...a.slice(0, meeting.skipA).map((step) => ({ a: step, b: null, kind: 'step' }) as const),
    ...b.slice(0, meeting.skipB).map((step) => ({ a: null, b: step, kind: 'step' }) as const),
  ]
}

function comparedSteps(a: readonly EventRow[], b: readonly EventRow[]): readonly StepPair[] {
  const pairs: StepPair[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const reach = LOOK_AHEAD + 1
    for (const pair of firstPairs(a.slice(i, i + reach), b.slice(j, j + reach))) {
      pairs.push({ index: pairs.length, ...pair })
      if (pair.a !== null) i += 1
      if (pair.b !== null) j += 1
    }
  }
  return pairs
}

export interface Comparison {
  readonly pairs: readonly StepPair[]
  readonly different: readonly StepPair[]
  /** Null: both sessions have the same steps and decisions. */
  readonly first: StepPair | null
}

export function comparison(a: readonly EventRow[], b: readonly EventRow[]): Comparison {
  const pairs = comparedSteps(selectDecidedSteps(a), selectDecidedSteps(b))
  const different = pairs.filter(({ kind }) => kind !== 'same')
  return { pairs, different, first: different[0] ?? null }
}
