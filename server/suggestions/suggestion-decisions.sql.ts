// What members decided about suggested rules. A decision is about the rule, and holds in all environments.
import 'server-only'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export interface PromptKey {
  readonly ns: string
  readonly key: string
}

export interface SuggestionDecision {
  /** Digest of the rule. */
  readonly id: string
  readonly state: 'dismissed' | 'taken'
  readonly sentence: string
  /** Empty: none was asked for. */
  readonly reason: string
  readonly by: string
  /** Epoch ms. */
  readonly at: number
}

/** Newest first. */
export async function listDecisions(
  projectId: AuthorizedProjectId,
  { ns, key }: PromptKey,
): Promise<readonly SuggestionDecision[]> {
  const rows = await reader().suggestionDecision.findMany({
    where: { projectId, ns, key },
    orderBy: [{ decidedAt: 'desc' }, { suggestion: 'asc' }],
  })
  return rows.map(({ suggestion, state, sentence, reason, decidedName, decidedAt }) => ({
    id: suggestion,
    // Only this module writes the column.
    state: state as SuggestionDecision['state'],
    ...{ sentence, reason, by: decidedName, at: decidedAt.getTime() },
  }))
}

export interface NewDecision
  extends PromptKey,
    Pick<SuggestionDecision, 'id' | 'state' | 'sentence' | 'reason'> {
  readonly projectId: AuthorizedProjectId
  readonly decidedBy: string
  readonly decidedName: string
}

/** A later decision about the same rule replaces the earlier one. */
export async function storeDecision(tx: Tx, decision: NewDecision): Promise<void> {
  const { projectId, ns, key, id: suggestion, ...decided } = decision
  const place = { projectId, ns, key, suggestion }
  const data = { ...decided, decidedAt: new Date() }
  await tx.suggestionDecision.upsert({
    where: { projectId_ns_key_suggestion: place },
    create: { ...place, ...data },
    update: data,
  })
}

/** False: the rule was not dismissed. */
export async function deleteDismissal(
  tx: Tx,
  projectId: AuthorizedProjectId,
  { ns, key, id: suggestion }: PromptKey & { readonly id: string },
): Promise<boolean> {
  const where = { projectId, ns, key, suggestion, state: 'dismissed' }
  return (await tx.suggestionDecision.deleteMany({ where })).count === 1
}
