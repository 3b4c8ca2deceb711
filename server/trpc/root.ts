// The console's whole API, one router per domain noun. Components import its type only.
import { accountRouter } from '../routers/account.ts'
import { approvalsRouter } from '../routers/approvals.ts'
import { auditRouter } from '../routers/audit.ts'
import { backtestsRouter } from '../routers/backtests.ts'
import { cohortsRouter } from '../routers/cohorts.ts'
import { configsRouter } from '../routers/configs.ts'
import { decisionsRouter } from '../routers/decisions.ts'
import { draftsRouter } from '../routers/drafts.ts'
import { environmentsRouter } from '../routers/environments.ts'
import { invitationsRouter } from '../routers/invitations.ts'
import { keysRouter } from '../routers/keys.ts'
import { liveRouter } from '../routers/live.ts'
import { membersRouter } from '../routers/members.ts'
import { overviewRouter } from '../routers/overview.ts'
import { projectsRouter } from '../routers/projects.ts'
import { releasesRouter } from '../routers/releases.ts'
import { retentionRouter } from '../routers/retention.ts'
import { rolloutsRouter } from '../routers/rollouts.ts'
import { runtimesRouter } from '../routers/runtimes.ts'
import { schedulesRouter } from '../routers/schedules.ts'
import { sessionsRouter } from '../routers/sessions.ts'
import { signingKeysRouter } from '../routers/signing-keys.ts'
import { stopsRouter } from '../routers/stops.ts'
import { createCallerFactory, router } from './init.ts'

export const appRouter = router({
  account: accountRouter,
  approvals: approvalsRouter,
  audit: auditRouter,
  backtests: backtestsRouter,
  cohorts: cohortsRouter,
  configs: configsRouter,
  decisions: decisionsRouter,
  drafts: draftsRouter,
  environments: environmentsRouter,
  invitations: invitationsRouter,
  keys: keysRouter,
  live: liveRouter,
  members: membersRouter,
  overview: overviewRouter,
  projects: projectsRouter,
  releases: releasesRouter,
  retention: retentionRouter,
  rollouts: rolloutsRouter,
  runtimes: runtimesRouter,
  schedules: schedulesRouter,
  sessions: sessionsRouter,
  signingKeys: signingKeysRouter,
  stops: stopsRouter,
})

export type AppRouter = typeof appRouter

/** For server components: the same procedures without HTTP. */
export const createCaller = createCallerFactory(appRouter)
