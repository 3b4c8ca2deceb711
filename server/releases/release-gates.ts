// The gates are shown before a release and decide it inside its transaction (specs/releases.md).

import { plural } from '@signalbox/core/analysis'
import { type BacktestForDigest, findBacktestForDigest } from '@/server/backtests/backtests.ts'
import { listClaims } from '@/server/claims/claims.sql.ts'
import type { ConfigRow } from '@/server/configs/configs.sql.ts'
import type { VersionRow } from '@/server/configs/versions.sql.ts'
import type { EnvironmentRow } from '@/server/environments/environments.sql.ts'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import { loadRuntimes } from '@/server/runtimes/runtime-list.ts'
import { claimGates, type JudgedContent } from './claim-gates.ts'
import {
  type ApprovalStanding,
  approvalSentence,
  computeStanding,
  isApproved,
} from './release-approval-standing.ts'
import { listApprovals } from './release-approvals.sql.ts'
import type { Gate } from './release-input.ts'
import { toPointerPlace } from './release-place.ts'
import type { Content } from './release-subject.ts'
import { findCurrentRelease } from './releases.sql.ts'
import { type RuleType, typesMissing, typesNeeded } from './rule-types.ts'

export interface UnsupportedRuntime {
  readonly id: string
  readonly name: string
  readonly missing: readonly RuleType[]
}

/** Read before the transaction, whose locks do not keep runtimes from reporting. */
export interface OutsideFacts {
  readonly runtimes: Awaited<ReturnType<typeof loadRuntimes>>
}

const KIND_WORD = { policy: 'policy', feedback_provider: 'feedback provider', checker: 'checker' }

function typeText({ kind, type }: RuleType): string {
  return `${KIND_WORD[kind]} “${type}”`
}

function unsupportedBy(
  content: Pick<Content, 'document'>,
  config: Pick<ConfigRow, 'ns' | 'key'>,
  runtimes: OutsideFacts['runtimes'],
): readonly UnsupportedRuntime[] {
  if (content.document === null) return []
  const needed = typesNeeded(content.document)
  return selectHosts(config, runtimes).flatMap(({ id, name, capabilities }) => {
    const missing = typesMissing(needed, capabilities)
    return missing.length === 0 ? [] : [{ id, name, missing }]
  })
}

function selectHosts(
  { ns, key }: Pick<ConfigRow, 'ns' | 'key'>,
  runtimes: OutsideFacts['runtimes'],
) {
  return runtimes.filter(
    ({ connection, prompts }) => connection === 'connected' && prompts.includes(`${ns}/${key}`),
  )
}

function runtimesGate(unsupported: readonly UnsupportedRuntime[], hosts: number): Gate {
  const id = 'runtimes'
  if (unsupported.length === 0) {
    const sentence =
      hosts === 0
        ? 'No connected runtime hosts this prompt'
        : `${hosts === 1 ? 'The connected runtime knows' : `All ${plural(hosts, 'connected runtime')} know`} every rule type used`
    return { id, state: hosts === 0 ? 'open' : 'passed', sentence, question: null }
  }
  const lines = unsupported
    .slice(0, 3)
    .map(({ name, missing }) => `${name} does not know ${missing.map(typeText).join(', ')}`)
  const more = unsupported.length > 3 ? ` and ${unsupported.length - 3} more` : ''
  const others = hosts - unsupported.length
  const question = `Publish to ${others} of ${hosts}: ${unsupported.length === 1 ? 'the other one refuses' : `${unsupported.length} refuse`} it and ${unsupported.length === 1 ? 'keeps' : 'keep'} what ${unsupported.length === 1 ? 'it runs' : 'they run'}`
  return { id, state: 'ask', sentence: `${lines.join('; ')}${more}`, question }
}

function backtestGate(
  backtest: BacktestForDigest | null,
  digest: string,
  isRequired: boolean,
): Gate {
  const id = 'backtest'
  const state = isRequired ? 'missing' : 'open'
  if (backtest === null) {
    return { id, state, sentence: 'No backtest was run', question: null }
  }
  if (backtest.isRunning && backtest.digest === digest) {
    return { id, state, sentence: 'The backtest is still running', question: null }
  }
  if (backtest.digest !== digest) {
    const sentence = 'The last backtest is older than this text'
    return isRequired
      ? { id, state, sentence, question: null }
      : { id, state: 'ask', sentence, question: 'Release without a new backtest' }
  }
  const { wouldDeny, wouldBlock } = backtest
  if (wouldDeny + wouldBlock === 0) {
    return {
      id,
      state: 'passed',
      sentence: 'The backtest of this text shows no new violation',
      question: null,
    }
  }
  const parts = [
    ...(wouldDeny === 0 ? [] : [`would deny ${plural(wouldDeny, 'call')}`]),
    ...(wouldBlock === 0 ? [] : [`would block ${plural(wouldBlock, 'stop')}`]),
  ]
  const said = parts.join(', ')
  const sentence = `In the sample it ${said}`
  return {
    id,
    state: 'ask',
    sentence,
    question: `${said.charAt(0).toUpperCase()}${said.slice(1)}: release anyway`,
  }
}

function casesGate(backtest: BacktestForDigest | null, digest: string): readonly Gate[] {
  if (backtest === null || backtest.digest !== digest || backtest.failingCases.length === 0)
    return []
  const names = backtest.failingCases.slice(0, 3).map(({ name }) => `“${name}”`)
  const more =
    backtest.failingCases.length > 3 ? ` and ${backtest.failingCases.length - 3} more` : ''
  const sentence = `${plural(backtest.failingCases.length, 'pinned case')} not as expected: ${names.join(', ')}${more}`
  return [{ id: 'cases', state: 'ask', sentence, question: 'Release with these cases failing' }]
}

export interface Standing {
  readonly gates: readonly Gate[]
  readonly approvals: ApprovalStanding
  readonly unsupported: readonly UnsupportedRuntime[]
  readonly hosts: number
}

export interface StandingQuestion extends OutsideFacts {
  readonly environment: EnvironmentRow
  readonly config: ConfigRow
  readonly live: VersionRow | null
  readonly content: Content
  readonly kind: 'publish' | 'promote' | 'rollback'
  /** Null: no claim was judged. */
  readonly judged: JudgedContent | null
}

async function backtestGates(
  tx: Tx,
  { environment, config, content }: StandingQuestion,
): Promise<readonly Gate[]> {
  const { digest } = content
  const { projectId, requiresBacktest } = environment
  const backtest = await findBacktestForDigest({ projectId }, { configId: config.id, digest }, tx)
  return [backtestGate(backtest, digest, requiresBacktest), ...casesGate(backtest, digest)]
}

/** A rollback requires only approvals, and these only if the environment does not exempt rollbacks. */
export async function standingGates(tx: Tx, question: StandingQuestion): Promise<Standing> {
  const { environment, config, live, content, kind, runtimes } = question
  const place = toPointerPlace(question)
  const current = await findCurrentRelease(place, tx)
  const isSkipped = kind === 'rollback' && environment.rollbackSkipsApproval
  const approvals = computeStanding({
    required: isSkipped ? 0 : environment.requiredApprovals,
    approvals: await listApprovals(place, tx),
    digest: content.digest,
    liveVersion: live?.number ?? null,
    liveSince: current?.createdAt ?? null,
    editedBy: content.editedBy,
  })
  const approval: Gate = {
    id: 'approvals',
    state: isApproved(approvals) ? 'passed' : 'missing',
    sentence: approvalSentence(approvals),
    question: null,
  }
  const hosts = selectHosts(config, runtimes).length
  const unsupported = unsupportedBy(content, config, runtimes)
  const gates =
    kind === 'rollback'
      ? [approval]
      : [
          ...(await backtestGates(tx, question)),
          ...claimGates(await listClaims(place, tx), content, question.judged),
          approval,
          runtimesGate(unsupported, hosts),
        ]
  return { gates, approvals, unsupported, hosts }
}

export async function outsideFacts(
  scope: ConfigReader,
  where: { readonly environment: string },
): Promise<OutsideFacts> {
  const runtimes = await loadRuntimes(scope, where.environment)
  return { runtimes }
}
