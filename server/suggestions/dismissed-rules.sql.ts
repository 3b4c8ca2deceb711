// Suggested rules that no search suggests again. A dismissal is about the rule, and holds in all environments.
import 'server-only'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'

export interface PromptKey {
  readonly ns: string
  readonly key: string
}

export interface DismissedRule {
  /** Digest of what the rule says. */
  readonly id: string
  readonly sentence: string
  readonly reason: string
  readonly by: string
  /** Epoch ms. */
  readonly at: number
}

/** Newest first. */
export async function listDismissedRules(
  projectId: AuthorizedProjectId,
  { ns, key }: PromptKey,
): Promise<readonly DismissedRule[]> {
  const rows = await reader().dismissedRule.findMany({
    where: { projectId, ns, key },
    orderBy: [{ dismissedAt: 'desc' }, { rule: 'asc' }],
  })
  return rows.map(({ rule: id, sentence, reason, dismissedName: by, dismissedAt }) => ({
    ...{ id, sentence, reason, by },
    at: dismissedAt.getTime(),
  }))
}

export interface NewDismissal extends PromptKey, Pick<DismissedRule, 'id' | 'sentence' | 'reason'> {
  readonly projectId: AuthorizedProjectId
  readonly dismissedBy: string
  readonly dismissedName: string
}

/** Dismissed again, it has the newer reason. */
export async function storeDismissal(tx: Tx, dismissal: NewDismissal): Promise<void> {
  const { projectId, ns, key, id: rule, ...rest } = dismissal
  const place = { projectId, ns, key, rule }
  const data = { ...rest, dismissedAt: new Date() }
  await tx.dismissedRule.upsert({
    where: { projectId_ns_key_rule: place },
    create: { ...place, ...data },
    update: data,
  })
}

/** False: the rule was not dismissed. */
export async function deleteDismissal(
  tx: Tx,
  projectId: AuthorizedProjectId,
  { ns, key, id: rule }: PromptKey & { readonly id: string },
): Promise<boolean> {
  return (await tx.dismissedRule.deleteMany({ where: { projectId, ns, key, rule } })).count === 1
}
