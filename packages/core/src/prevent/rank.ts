import type { CandidateKind, Draft } from './draft.ts'
import { computeChance, type Table } from './table.ts'

const MOST_EVIDENCE = 40
const LITTLE_EVIDENCE = 8
const LITTLE_EVIDENCE_COST = 4
/** Evidence that lowers the cost by 1. */
const EVIDENCE_PER_COST = 8
const [LEAST_CHANCE, MOST_CHANCE] = [0.01, 0.999]

/** Evidence of one good call, and of all, at most. Absent: it depends on chance. */
const PER_CALL: Partial<Record<CandidateKind, readonly [number, number]>> = {
  read: [0.2, MOST_EVIDENCE],
  rate: [0.2, MOST_EVIDENCE],
  file: [0.2, MOST_EVIDENCE],
}
const OTHER: readonly [number, number] = [0.1, 20]

export interface Ranked {
  readonly draft: Draft
  /** Share of moments at which the prerequisite holds anyway; null: the change is about no order, or there was no moment. */
  readonly chance: number | null
  /** Small first. */
  readonly score: number
}

export function rankDrafts(drafts: readonly Draft[], table: Table): readonly Ranked[] {
  return drafts.map((draft) => rank(draft, table)).sort(compareRanked)
}

function compareRanked(a: Ranked, b: Ranked): number {
  const [one, other] = [a, b].map(({ draft }) => JSON.stringify(draft.edit))
  return a.score - b.score || ((one ?? '') < (other ?? '') ? -1 : 1)
}

function rank(draft: Draft, table: Table): Ranked {
  const { kind, cost, order } = draft
  const calls = table.rows.length
  if (order === null) {
    const [each, most] = PER_CALL[kind] ?? OTHER
    return { draft, chance: null, score: cost - Math.min(most, calls * each) / EVIDENCE_PER_COST }
  }
  const chance = computeChance(table, order)
  const bounded = Math.min(MOST_CHANCE, Math.max(LEAST_CHANCE, chance ?? MOST_CHANCE))
  const evidence = Math.min(MOST_EVIDENCE, calls * -Math.log10(bounded))
  const penalty = evidence < LITTLE_EVIDENCE ? LITTLE_EVIDENCE_COST : 0
  return { draft, chance, score: cost - evidence / EVIDENCE_PER_COST + penalty }
}
