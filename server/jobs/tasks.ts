// Maps jobs to their handlers. Handlers run at least once: after a crash or an error the job is retried.

import { deliver } from '@/server/alerts/deliver.ts'
import { evaluateAlerts } from '@/server/alerts/evaluate.ts'
import { checkChains } from '@/server/audit-log/audit-log.ts'
import { failBacktest, runBacktest } from '@/server/backtests/run-backtest.ts'
import { forgetEarlierTexts } from '@/server/configs/draft-history.ts'
import { countUncounted, foldRollups, listDeliveries } from '@/server/ingest/keep-rollups.ts'
import { mergeShards } from '@/server/ingest/projectors/shared-counts.sql.ts'
import { completeRowProjects } from '@/server/operations/row-projects.sql.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { deleteFailedJobs } from '@/server/platform/queue/jobs.sql.ts'
import type { PayloadOf, TaskName } from '@/server/platform/queue/payloads.ts'
import { failPrevention, runPrevention } from '@/server/prevention/run-prevention.ts'
import { runSchedule } from '@/server/releases/run-schedule.ts'
import { runRetention } from '@/server/retention/retention.ts'
import { judgeRollouts } from '@/server/staged-rollouts/judge.ts'
import { enqueueDueRuns, failLearning, runLearning } from '@/server/suggestions/run-learning.ts'
import { deliverStream, requestDeliveries } from '@/server/webhook-streams/deliver.ts'

export interface JobRun {
  /** Aborts when the server stops. Reject soon; the job is retried. */
  readonly signal: AbortSignal
  /** Starts at 1. */
  readonly attempt: number
  readonly isLastAttempt: boolean
}

interface Task<Name extends TaskName> {
  /** Jobs wait only for those of their lane. `quick` ones take about a second at most; `messages` wait for servers that users chose. */
  readonly lane: 'quick' | 'long' | 'messages'
  /** Crontab times in UTC at which it runs automatically, on one replica, with an empty payload. Null: only when enqueued. */
  readonly recurs: string | null
  readonly run: (payload: PayloadOf<Name>, run: JobRun) => Promise<void>
}

const FAILED_KEPT_MS = 14 * 24 * 60 * 60 * 1000

/** Undefined: every project. */
function payloadProject(projectId: string | undefined): AuthorizedProjectId | undefined {
  return projectId === undefined ? undefined : systemProject(projectId)
}

export const TASKS: { readonly [Name in TaskName]: Task<Name> } = {
  'release.scheduled': {
    lane: 'quick',
    recurs: null,
    run: ({ scheduleId }) => runSchedule(scheduleId),
  },
  'alerts.deliver': {
    // A request takes at most 5 seconds and an email 15, so that no due message waits long for an unresponsive receiver.
    lane: 'messages',
    recurs: null,
    run: ({ deliveryId }, { isLastAttempt }) => deliver(deliveryId, isLastAttempt),
  },
  'alerts.evaluate': {
    lane: 'quick',
    recurs: '* * * * *',
    run: ({ projectId, only }, { signal }) =>
      evaluateAlerts(payloadProject(projectId), { now: Date.now(), signal, only }),
  },
  'audit.check': {
    lane: 'long',
    recurs: '0 * * * *',
    run: ({ projectId }, { signal }) =>
      checkChains(payloadProject(projectId), { now: Date.now(), signal }),
  },
  'backtest.run': {
    lane: 'long',
    recurs: null,
    run: async ({ backtestId }, { signal, isLastAttempt }) => {
      try {
        await runBacktest(backtestId, signal)
      } catch (error) {
        if (isLastAttempt) {
          await failBacktest(
            backtestId,
            'The server could not finish the run. Its log has the reason. Results so far are kept.',
          )
        }
        throw error
      }
    },
  },
  'counts.merge': {
    lane: 'quick',
    recurs: '*/5 * * * *',
    run: (_, { signal }) => mergeShards(signal),
  },
  'drafts.forget': {
    lane: 'quick',
    recurs: '30 3 * * *',
    run: () => forgetEarlierTexts(),
  },
  'jobs.tidy': {
    lane: 'quick',
    recurs: '40 3 * * *',
    run: async () => {
      await deleteFailedJobs(Date.now() - FAILED_KEPT_MS)
    },
  },
  'learn.due': {
    lane: 'quick',
    recurs: '10 3 * * *',
    run: () => enqueueDueRuns(),
  },
  'learn.run': {
    lane: 'long',
    recurs: null,
    run: async ({ runId }, { signal }) => {
      try {
        await runLearning(runId, signal)
      } catch (error) {
        // As for a prevention.
        if (!signal.aborted) await failLearning(runId)
        throw error
      }
    },
  },
  'prevention.run': {
    lane: 'long',
    recurs: null,
    run: async ({ preventionId }, { signal }) => {
      try {
        await runPrevention(preventionId, signal)
      } catch (error) {
        // Only a server that stops leaves it for another attempt: each one would need as much memory and time.
        if (!signal.aborted) await failPrevention(preventionId)
        throw error
      }
    },
  },
  'projects.fill': {
    lane: 'long',
    recurs: '10 4 * * *',
    run: (_, { signal }) => completeRowProjects(signal),
  },
  'retention.run': {
    lane: 'long',
    recurs: '20 2 * * *',
    run: (_, { signal }) => runRetention(signal),
  },
  'rollups.count': {
    lane: 'long',
    recurs: '*/5 * * * *',
    run: async (_, { signal }) => {
      await countUncounted(signal)
      await listDeliveries(signal)
    },
  },
  'rollups.fold': {
    lane: 'long',
    recurs: '50 3 * * *',
    run: (_, { signal }) => foldRollups(signal),
  },
  'rollouts.judge': {
    lane: 'quick',
    recurs: '* * * * *',
    run: (_, { signal }) => judgeRollouts(Date.now(), signal),
  },
  'streams.deliver': {
    lane: 'messages',
    recurs: null,
    run: ({ projectId, streamId: id }) =>
      deliverStream({ id, projectId: systemProject(projectId) }),
  },
  'streams.request': {
    lane: 'quick',
    recurs: '* * * * *',
    run: () => requestDeliveries(Date.now()),
  },
}
