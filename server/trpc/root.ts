// The console's whole API, one router per domain noun. Components import its type only.
import { accountRouter } from '../routers/account.ts'
import { alertsRouter } from '../routers/alerts.ts'
import { analyticsRouter } from '../routers/analytics.ts'
import { annotationsRouter } from '../routers/annotations.ts'
import { approvalsRouter } from '../routers/approvals.ts'
import { auditRouter } from '../routers/audit.ts'
import { backtestsRouter } from '../routers/backtests.ts'
import { callApprovalsRouter } from '../routers/call-approvals.ts'
import { cohortsRouter } from '../routers/cohorts.ts'
import { configsRouter } from '../routers/configs.ts'
import { decisionsRouter } from '../routers/decisions.ts'
import { destinationsRouter } from '../routers/destinations.ts'
import { draftsRouter } from '../routers/drafts.ts'
import { environmentsRouter } from '../routers/environments.ts'
import { feedbackRouter } from '../routers/feedback.ts'
import { invitationsRouter } from '../routers/invitations.ts'
import { keysRouter } from '../routers/keys.ts'
import { liveRouter } from '../routers/live.ts'
import { membersRouter } from '../routers/members.ts'
import { overviewRouter } from '../routers/overview.ts'
import { projectsRouter } from '../routers/projects.ts'
import { refusalsRouter } from '../routers/refusals.ts'
import { releasesRouter } from '../routers/releases.ts'
import { retentionRouter } from '../routers/retention.ts'
import { rolloutsRouter } from '../routers/rollouts.ts'
import { runtimesRouter } from '../routers/runtimes.ts'
import { schedulesRouter } from '../routers/schedules.ts'
import { searchRouter } from '../routers/search.ts'
import { sessionsRouter } from '../routers/sessions.ts'
import { signingKeysRouter } from '../routers/signing-keys.ts'
import { stopsRouter } from '../routers/stops.ts'
import { viewsRouter } from '../routers/views.ts'
import { createCallerFactory, router } from './init.ts'

export const appRouter = router({
  account: accountRouter,
  alerts: alertsRouter,
  analytics: analyticsRouter,
  annotations: annotationsRouter,
  approvals: approvalsRouter,
  audit: auditRouter,
  backtests: backtestsRouter,
  callApprovals: callApprovalsRouter,
  cohorts: cohortsRouter,
  configs: configsRouter,
  decisions: decisionsRouter,
  destinations: destinationsRouter,
  drafts: draftsRouter,
  environments: environmentsRouter,
  feedback: feedbackRouter,
  invitations: invitationsRouter,
  keys: keysRouter,
  live: liveRouter,
  members: membersRouter,
  overview: overviewRouter,
  projects: projectsRouter,
  refusals: refusalsRouter,
  releases: releasesRouter,
  retention: retentionRouter,
  rollouts: rolloutsRouter,
  runtimes: runtimesRouter,
  schedules: schedulesRouter,
  search: searchRouter,
  sessions: sessionsRouter,
  signingKeys: signingKeysRouter,
  stops: stopsRouter,
  views: viewsRouter,
})

export type AppRouter = typeof appRouter

/** For server components: the same procedures without HTTP. */
export const createCaller = createCallerFactory(appRouter)
