// The console's whole API, one router per domain noun. Components import only its type.

import { destinationsRouter } from '@/server/alerts/destinations-router.ts'
import { alertsRouter } from '@/server/alerts/router.ts'
import { analyticsRouter } from '@/server/analytics/router.ts'
import { annotationsRouter } from '@/server/annotations/router.ts'
import { auditLogRouter } from '@/server/audit-log/router.ts'
import { backtestsRouter } from '@/server/backtests/router.ts'
import { callApprovalsRouter } from '@/server/call-approvals/router.ts'
import { claimsRouter } from '@/server/claims/router.ts'
import { draftsRouter } from '@/server/configs/drafts-router.ts'
import { configsRouter } from '@/server/configs/router.ts'
import { demoRouter } from '@/server/demo/router.ts'
import { docsRouter } from '@/server/docs/router.ts'
import { environmentsRouter } from '@/server/environments/router.ts'
import { eventLogRouter } from '@/server/event-log/router.ts'
import { decisionsRouter } from '@/server/explanations/decisions-router.ts'
import { refusalsRouter } from '@/server/explanations/refusals-router.ts'
import { reportsRouter } from '@/server/explanations/reports-router.ts'
import { stopsRouter } from '@/server/explanations/stops-router.ts'
import { feedbackRouter } from '@/server/feedback/router.ts'
import { labelsRouter } from '@/server/labels/router.ts'
import { overviewRouter } from '@/server/overview/router.ts'
import { accountRouter } from '@/server/people/account-router.ts'
import { invitationsRouter } from '@/server/people/invitations-router.ts'
import { keysRouter } from '@/server/people/keys-router.ts'
import { membersRouter } from '@/server/people/members-router.ts'
import { projectsRouter } from '@/server/people/projects-router.ts'
import { liveRouter } from '@/server/platform/live/router.ts'
import { createCallerFactory, router } from '@/server/platform/trpc/init.ts'
import { preventionRouter } from '@/server/prevention/router.ts'
import { releaseApprovalsRouter } from '@/server/releases/release-approvals-router.ts'
import { releasesRouter } from '@/server/releases/router.ts'
import { schedulesRouter } from '@/server/releases/schedules-router.ts'
import { retentionRouter } from '@/server/retention/router.ts'
import { runtimesRouter } from '@/server/runtimes/router.ts'
import { savedViewsRouter } from '@/server/saved-views/router.ts'
import { searchRouter } from '@/server/search/router.ts'
import { sessionOrdersRouter } from '@/server/session-orders/router.ts'
import { sessionsRouter } from '@/server/sessions/router.ts'
import { signingKeysRouter } from '@/server/signing-keys/router.ts'
import { stagedRolloutsRouter } from '@/server/staged-rollouts/router.ts'
import { suggestionsRouter } from '@/server/suggestions/router.ts'
import { webhookStreamsRouter } from '@/server/webhook-streams/router.ts'

export const appRouter = router({
  account: accountRouter,
  alerts: alertsRouter,
  analytics: analyticsRouter,
  annotations: annotationsRouter,
  auditLog: auditLogRouter,
  backtests: backtestsRouter,
  callApprovals: callApprovalsRouter,
  claims: claimsRouter,
  configs: configsRouter,
  decisions: decisionsRouter,
  demo: demoRouter,
  destinations: destinationsRouter,
  docs: docsRouter,
  drafts: draftsRouter,
  environments: environmentsRouter,
  eventLog: eventLogRouter,
  feedback: feedbackRouter,
  invitations: invitationsRouter,
  keys: keysRouter,
  labels: labelsRouter,
  live: liveRouter,
  members: membersRouter,
  overview: overviewRouter,
  projects: projectsRouter,
  refusals: refusalsRouter,
  prevention: preventionRouter,
  suggestions: suggestionsRouter,
  releaseApprovals: releaseApprovalsRouter,
  releases: releasesRouter,
  reports: reportsRouter,
  retention: retentionRouter,
  runtimes: runtimesRouter,
  savedViews: savedViewsRouter,
  schedules: schedulesRouter,
  search: searchRouter,
  sessionOrders: sessionOrdersRouter,
  sessions: sessionsRouter,
  signingKeys: signingKeysRouter,
  stagedRollouts: stagedRolloutsRouter,
  stops: stopsRouter,
  webhookStreams: webhookStreamsRouter,
})

export type AppRouter = typeof appRouter

export const createCaller = createCallerFactory(appRouter)
