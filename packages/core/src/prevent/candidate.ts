import type { ConfigChange } from '../analysis/config-changes.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { CandidateKind } from './draft.ts'
import type { Edit } from './edit.ts'
import type { Outcome } from './incident.ts'

export interface Candidate {
  readonly kind: CandidateKind
  /** Change of one rule, which `applyEdit` can make to a newer version of the document, too. */
  readonly edit: Edit
  readonly changes: readonly ConfigChange[]
  readonly document: ConfigDocument
  /** Markdown code spans mark names. */
  readonly sentence: string
  readonly cost: number
  /** Small first. */
  readonly score: number
  readonly evidence: {
    /** Good calls of the tool, or good stops, and their sessions. */
    readonly goodCalls: number
    readonly goodSessions: number
    /** Share of the moments of good sessions at which the prerequisite holds anyway; null: the change is about no order. */
    readonly chance: number | null
  }
  /** Outcome of the marked call or stop, folded again. */
  readonly outcome: Outcome
  /** Ids of good sessions in which it refuses a call or stop, newest first. */
  readonly denied: readonly string[]
  readonly denies: number
  /** Good sessions whose log does not contain what decides it. */
  readonly cannotReplay: number
  /** Good calls about which a reviewer would have been asked. */
  readonly asks: number
  readonly asksPerDay: number
  /** CEL of each part of a condition. Empty: there is none. */
  readonly atoms: readonly string[]
}

export interface Findings {
  /** Best first. Each refuses the marked call or stop, and no more good sessions than allowed. */
  readonly candidates: readonly Candidate[]
  /** They refuse few good sessions: these may not be good, or the change is no answer. */
  readonly nearMisses: readonly Candidate[]
  readonly used: {
    readonly sessions: number
    /** Calls of the tool, or stops. */
    readonly calls: number
    readonly sessionsLeftOut: number
    readonly callsLeftOut: number
  }
  /** Changes that were compared with the good calls. */
  readonly tried: number
  /** True: the caller ended the search, and better candidates may exist. */
  readonly isCut: boolean
}
