// An approval is bound to a digest, to the live version, and to a user who may approve and was not the last editor. Pure.
import { plural } from '@signalbox/core/analysis'
import type { ApprovalRow } from './release-approvals.sql.ts'

export interface ApprovalStanding {
  readonly required: number
  readonly counted: readonly ApprovalRow[]
  /** Approvals of this content, given while the environment ran another version. */
  readonly outdated: readonly ApprovalRow[]
  /** Approvals by users who have left, or may no longer approve here. */
  readonly lapsed: readonly ApprovalRow[]
  /** A single refusal blocks the release, regardless of approvals. */
  readonly refused: readonly ApprovalRow[]
  /** Approvals since the last release for a content that was edited afterwards. */
  readonly cleared: readonly ApprovalRow[]
}

export interface StandingFacts {
  readonly required: number
  readonly approvals: readonly ApprovalRow[]
  readonly digest: string
  readonly liveVersion: number | null
  /** Time at which the live version was released, epoch ms; null: none is live. */
  readonly liveSince: number | null
  /** Last editor; null when not known. */
  readonly editedBy: string | null
}

export function computeStanding(facts: StandingFacts): ApprovalStanding {
  const { required, approvals, digest, liveVersion, liveSince, editedBy } = facts
  const same = approvals.filter((row) => row.digest === digest && row.personId !== editedBy)
  const given = same.filter(({ decision }) => decision === 'approved')
  const approved = given.filter(({ isEntitled }) => isEntitled)
  return {
    required,
    counted: approved.filter((row) => row.liveVersion === liveVersion),
    outdated: approved.filter((row) => row.liveVersion !== liveVersion),
    lapsed: given.filter(({ isEntitled }) => !isEntitled),
    refused: same.filter(({ decision }) => decision === 'refused'),
    cleared: approvals.filter(
      (row) => row.digest !== digest && row.decision === 'approved' && row.at > (liveSince ?? 0),
    ),
  }
}

export function isApproved({ required, counted, refused }: ApprovalStanding): boolean {
  return required === 0 || (refused.length === 0 && counted.length >= required)
}

function joinApprovers(rows: readonly ApprovalRow[]): string {
  const names = rows.map(({ person }) => person ?? 'a former member')
  return names.length < 2
    ? (names[0] ?? '')
    : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

export function approvalSentence(standing: ApprovalStanding): string {
  const { required, counted, outdated, lapsed, refused, cleared } = standing
  if (required === 0) return 'No approval needed'
  const [refusal] = refused
  if (refusal !== undefined) {
    const said = refusal.note === null ? '' : `: “${refusal.note}”`
    return `Refused by ${joinApprovers(refused)}${said}`
  }
  const count = `${Math.min(counted.length, required)} of ${plural(required, 'approval')} given`
  if (counted.length >= required) return `Approved by ${joinApprovers(counted)}`
  if (outdated.length > 0) {
    return `${count}. ${joinApprovers(outdated)} approved on an older live version`
  }
  if (lapsed.length > 0) return `${count}. ${joinApprovers(lapsed)} may no longer approve here`
  return cleared.length === 0
    ? count
    : `${count}. A later edit cleared the approval of ${joinApprovers(cleared)}`
}
