import { computeDigest } from '@signalbox/wire'
import { loadBases } from '@/server/configs/bases.sql.ts'
import { resolveConfigText } from '@/server/configs/config-text-input.ts'
import type { PromptName } from '@/server/configs/configs.sql.ts'
import { requireConfig } from '@/server/configs/configs.ts'
import { findOpenDraft } from '@/server/configs/drafts.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { reader, type Tx } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import {
  type BacktestRow,
  type CaseResult,
  type ChangeFilter,
  type ChangePlace,
  findBacktest,
  findRunFor,
  groupChanges,
  type ListedChange,
  type ListedUnit,
  listBacktests,
  listCaseResults,
  listChanges,
  listFailingCases,
  listOlderSemantics,
  listTestedVersions,
  listUnits,
  listUnreplayedRules,
  listUnreplayedSessions,
  type OlderSemantics,
  type RuleChanges,
  type TestedVersion,
  type UnreplayedRule,
} from './backtest-list.sql.ts'
import { listCases, type PinnedCase } from './pinned-case-list.sql.ts'

/**
 * `older`: the draft was changed afterwards. `gone`: it was published or discarded. `version`: the run used a version, which never changes.
 */
export type Freshness = 'current' | 'older' | 'gone' | 'version'

export interface BacktestView extends BacktestRow {
  readonly freshness: Freshness
  readonly groups: readonly RuleChanges[]
  readonly caseResults: readonly CaseResult[]
  readonly unreplayedRules: readonly UnreplayedRule[]
  readonly unreplayedSessions: readonly { readonly reason: string; readonly sessions: number }[]
  readonly olderSemantics: readonly OlderSemantics[]
}

/** Runs count what agents did, and cases are what they did, so a key sees those of its environment only. Null: a user sees all. */
function limitToKey(scope: ConfigReader): string | null {
  return 'keyId' in scope ? scope.environment : null
}

export function isSeen(scope: ConfigReader, environment: string | undefined): boolean {
  const own = limitToKey(scope)
  return own === null || environment === own
}

/** Rejects with `not_found`, also for a run that the key does not see. */
export async function requireBacktest(scope: ConfigReader, id: string): Promise<BacktestRow> {
  const row = await findBacktest(scope.projectId, id)
  if (row === null || !isSeen(scope, row.sample.environment))
    throw new ServiceError('not_found', `There is no backtest ${id}.`)
  return row
}

export async function loadBacktestView(scope: ConfigReader, id: string): Promise<BacktestView> {
  const { projectId } = scope
  const row = await requireBacktest(scope, id)
  const [freshness, groups, caseResults, unreplayedRules, unreplayedSessions, olderSemantics] =
    await Promise.all([
      computeFreshness(projectId, row),
      groupChanges(projectId, id),
      listCaseResults(projectId, id, limitToKey(scope)),
      listUnreplayedRules(projectId, id),
      listUnreplayedSessions(projectId, id),
      listOlderSemantics(projectId, id),
    ])
  const unreplayed = { unreplayedRules, unreplayedSessions, olderSemantics }
  return { ...row, freshness, groups, caseResults, ...unreplayed }
}

async function computeFreshness(
  projectId: AuthorizedProjectId,
  row: BacktestRow,
): Promise<Freshness> {
  if (row.draftId === null) return 'version'
  const draft = await findOpenDraft({ projectId, configId: row.configId })
  if (draft?.id !== row.draftId) return 'gone'
  const resolved = resolveConfigText(draft.text, await loadBases({ projectId }, [draft.text]))
  return resolved.ok && computeDigest(resolved.value) === row.digest ? 'current' : 'older'
}

export interface BacktestOverview {
  readonly runs: readonly BacktestRow[]
  readonly cases: readonly PinnedCase[]
}

/** Rejects with `not_found` when there is no such config. */
export async function loadBacktests(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<BacktestOverview> {
  const { id: configId } = await requireConfig(scope, prompt)
  const environment = limitToKey(scope)
  const [runs, cases] = await Promise.all([
    listBacktests(scope.projectId, configId, environment),
    listCases(scope.projectId, configId, environment),
  ])
  return { runs, cases }
}

const CHANGES_PAGE = 200

export async function loadBacktestChanges(
  scope: ConfigReader,
  id: string,
  page: { readonly filter: ChangeFilter; readonly after: ChangePlace | null },
): Promise<{ readonly changes: readonly ListedChange[]; readonly next: ChangePlace | null }> {
  await requireBacktest(scope, id)
  const changes = await listChanges(scope.projectId, id, { ...page, limit: CHANGES_PAGE })
  const last = changes.length < CHANGES_PAGE ? undefined : changes.at(-1)
  if (last === undefined) return { changes, next: null }
  const { position, seq, subject } = last
  return { changes, next: { position, seq, subject } }
}

const UNITS_PAGE = 200

export async function loadBacktestSessions(
  scope: ConfigReader,
  id: string,
  after: number,
): Promise<{ readonly sessions: readonly ListedUnit[]; readonly next: number | null }> {
  await requireBacktest(scope, id)
  const sessions = await listUnits(scope.projectId, id, { after, limit: UNITS_PAGE })
  const last = sessions.length < UNITS_PAGE ? undefined : sessions.at(-1)
  return { sessions, next: last?.position ?? null }
}

export interface BacktestForDigest {
  readonly id: string
  readonly isRunning: boolean
  /** Digest of the tested text; differs from the requested one if that was never tested. */
  readonly digest: string
  readonly finishedAt: number | null
  /** Over the whole sample, up to the first divergence of each session. */
  readonly wouldDeny: number
  readonly wouldBlock: number
  readonly failingCases: readonly { readonly id: string; readonly name: string }[]
}

/** Backtest for a release of the text with this digest: the run and its predicted effect. Null: there is no run. */
export async function findBacktestForDigest(
  scope: { readonly projectId: AuthorizedProjectId },
  subject: { readonly configId: string; readonly digest: string },
  tx: Tx = reader(),
): Promise<BacktestForDigest | null> {
  const { projectId } = scope
  const run = await findRunFor({ projectId, ...subject }, tx)
  if (run === null) return null
  const { id, digest, status, finishedAt, wouldDeny, wouldBlock } = run
  const failingCases = await listFailingCases(projectId, id, tx)
  const isRunning = status !== 'done'
  return { id, isRunning, digest, finishedAt, wouldDeny, wouldBlock, failingCases }
}

/** Results of the newest finished run of each version's content. Rejects with `not_found` when there is no such config. */
export async function loadTestedVersions(
  scope: ConfigReader,
  prompt: PromptName,
): Promise<readonly TestedVersion[]> {
  const { id: configId } = await requireConfig(scope, prompt)
  return await listTestedVersions(scope.projectId, configId)
}

/** Backtest for the console's draft. Rejects with `not_found` when there is no such config. */
export async function findBacktestForDraft(
  scope: ConfigReader,
  asked: PromptName & { readonly digest: string },
): Promise<BacktestForDigest | null> {
  const { id: configId } = await requireConfig(scope, asked)
  return await findBacktestForDigest(scope, { configId, digest: asked.digest })
}
