// Expected access, separate from the code: the matrix test compares every procedure with its row, and fails for one without. Tests only.
import { toEventId } from '@signalbox/wire'
import { api } from '@/server/http/api.ts'
import type { Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { freshId } from '@/server/platform/ids.ts'
import {
  chained,
  type Draft,
  eventsRequest,
  makeKey,
  ndjson,
  newSessionId,
  started,
} from './installation.ts'
import { configText, createAdmin, newMember, publishedConfig, type Tenant } from './tenant.ts'

export interface ProcedureRow {
  /** The lowest role that may call it; `anyone`: signed in or not; `user`: signed in, with or without a project. */
  readonly needs: 'anyone' | 'user' | Role
  /** Status when the caller may and the rows are their own project's. Absent: 200. */
  readonly passes?: number
  /** The environment whose pointer the input moves: a publisher of others only is refused. */
  readonly releasesTo?: string
  /** The environment is read from the named row, so that a row of another project is not found first. */
  readonly placeInRow?: true
  /** Status when the rows are another project's: not found, or 200 with what is the caller's own. */
  readonly foreign: 404 | 409 | 200
  /** Called for each call that may change something. Absent: no input. */
  readonly input?: (tenant: Tenant) => object | Promise<object>
}

const freshKey = (): string => freshId('x').replaceAll('_', '-')

export async function freshConfig({ people, mark }: Tenant) {
  const prompt = { ns: `ns-${mark}`, key: freshKey() }
  return { prompt, ...(await publishedConfig(people, prompt, `${mark} words ${prompt.key}`)) }
}

async function freshDraft(tenant: Tenant) {
  const { prompt, draftId: id, revision } = await freshConfig(tenant)
  return { ...prompt, id, revision }
}

async function replacedText(tenant: Tenant) {
  const { texts } = await createAdmin(tenant).drafts.history(tenant.prompt)
  return { ...tenant.prompt, id: texts[0]?.id ?? '' }
}

export async function twoVersions(tenant: Tenant) {
  const { prompt, draftId, revision } = await freshConfig(tenant)
  const to = { ...prompt, environment: 'dev', note: `${tenant.mark} note` }
  const second = await createAdmin(tenant).releases.publish({ ...to, draftId, revision })
  if (!second.ok) throw new Error(second.message)
  return to
}

async function releasedOver(tenant: Tenant): Promise<string> {
  const { prompt, draftId, revision } = await freshConfig(tenant)
  const to = { ...prompt, environment: 'dev', note: `${tenant.mark} note` }
  const made = await createAdmin(tenant).releases.publish({ ...to, draftId, revision })
  if (!made.ok) throw new Error(made.message)
  return made.release.id
}

const LONG = { from: 0, until: 4_000_000_000_000 }

const GUARD = { metric: 'denials', ratio: 1.5, minSessions: 20 } as const

export async function staged(tenant: Tenant): Promise<string> {
  const { prompt, draftId, revision } = await freshConfig(tenant)
  const made = await createAdmin(tenant).releases.publish({
    ...prompt,
    draftId,
    revision,
    environment: 'dev',
    note: `${tenant.mark} note`,
    stage: { share: 100, guard: GUARD },
  })
  if (!made.ok) throw new Error(made.message)
  return made.release.id
}

async function askedFor(tenant: Tenant) {
  const { prompt, draftId, revision } = await freshConfig(tenant)
  const subject = { kind: 'draft' as const, draftId, revision }
  return { ...prompt, environment: 'staging', subject, note: `${tenant.mark} note` }
}

async function requested(tenant: Tenant) {
  const asked = await askedFor(tenant)
  const { ns, key, environment } = asked
  await createAdmin(tenant).releaseApprovals.request(asked)
  await database().prisma.approvalRequest.updateMany({
    where: { projectId: tenant.project.projectId, config: { ns, key } },
    data: { editedBy: 'somebody else' },
  })
  const request = await database().prisma.approvalRequest.findFirstOrThrow({
    where: { projectId: tenant.project.projectId, config: { ns, key } },
  })
  return { ns, key, environment, digest: request.digest }
}

async function planned(tenant: Tenant) {
  return { ...(await askedFor(tenant)), dueAt: Date.now() + 3_600_000, zone: 'UTC' }
}

async function freshPlan(tenant: Tenant): Promise<string> {
  const made = await createAdmin(tenant).schedules.create(await planned(tenant))
  if (!made.ok) throw new Error(made.message)
  return made.id
}

async function freshEnvironment(tenant: Tenant) {
  const { projectId } = tenant.project
  await database().prisma.environment.deleteMany({
    where: { projectId, name: { startsWith: 'e-' } },
  })
  const name = `e-${freshKey().toLowerCase().slice(-20)}`
  const demands = { requiredApprovals: 0, rollbackSkipsApproval: true, requiresBacktest: false }
  const row = { name, requiresNote: false, requiresTypedName: false, ...demands }
  await createAdmin(tenant).environments.create(row)
  return row
}

export async function invited(tenant: Tenant) {
  const email = `${freshKey()}@${tenant.mark}.test`
  return await createAdmin(tenant).invitations.create({ email, role: 'viewer' })
}

export async function delivered({ project, prompt, mark }: Tenant): Promise<string> {
  const session = newSessionId()
  const told: Draft = {
    type: 'feedback.delivered',
    data: {
      provider: 'words',
      name: `${mark} words`,
      pointer: '/feedback_providers/0',
      mode: 'enforce',
      conditions: ['every_n_calls'],
      severity: 'info',
      summary: `${mark} says`,
      observations: [],
      suggestions: [],
      call_index: 1,
      prompt: `${prompt.ns}/${prompt.key}`,
      call_id: 'c1',
      delivery: 'message',
    },
  }
  const events = chained(session, [started(prompt), told])
  await api.fetch(eventsRequest(await makeKey(project), ndjson(events)))
  return toEventId(session, 2)
}

export async function unpublished(tenant: Tenant) {
  const prompt = { ns: `ns-${tenant.mark}`, key: freshKey() }
  const text = configText(prompt, `${tenant.mark} words`)
  await createAdmin(tenant).configs.create({ ...prompt, text })
  return prompt
}

async function freshBacktest(tenant: Tenant) {
  const { projectId } = tenant.project
  // A project has a limit of those that wait.
  await database().prisma.backtest.updateMany({
    where: { projectId, status: 'queued' },
    data: { status: 'cancelled' },
  })
  const { id, revision, ...prompt } = await freshDraft(tenant)
  const subject = { kind: 'draft', id, revision } as const
  const wish = { ...prompt, sample: { kind: 'cases' } as const, subject }
  const started = await createAdmin(tenant).backtests.start(wish)
  if (!started.ok) throw new Error(started.reason)
  return { id: started.id }
}

/** A run that a key of dev started. */
export async function runOfKey(tenant: Tenant) {
  const { id } = await freshBacktest(tenant)
  const data = { sample: { kind: 'cases', environment: 'dev' } }
  await database().prisma.backtest.update({ where: { id }, data })
  return { id }
}

export async function freshCase(tenant: Tenant) {
  const { id } = await createAdmin(tenant).backtests.pin({ id: tenant.decisionId })
  return { id }
}

let asked = 0

export const freshQuestion = () =>
  ({ ask: 'run_without', tool: 'deploy', needs: `test-${++asked}` }) as const

/** Of a config that is live nowhere else than in dev. */
export async function freshClaim(tenant: Tenant) {
  const { prompt } = await freshConfig(tenant)
  const claim = { ...prompt, question: freshQuestion(), expect: 'possible' } as const
  return await createAdmin(tenant).claims.add(claim)
}

export async function anAuditEntry({ project: { projectId } }: Tenant) {
  return await database().prisma.auditEntry.findFirstOrThrow({
    where: { projectId },
    select: { id: true },
  })
}

async function prepared(tenant: Tenant): Promise<string> {
  return (await createAdmin(tenant).signingKeys.prepare()).id
}

/** Session whose runtime takes orders. */
export async function controllableSession(tenant: Tenant): Promise<string> {
  const key = await makeKey(tenant.project)
  const id = freshId('rt')
  const { projectId } = tenant.project
  await database().prisma.runtime.create({
    data: {
      ...{
        id,
        projectId,
        environment: 'dev',
        apiKeyId: key.slice(4, 12),
        name: `${tenant.mark} rt`,
      },
      ...{ sdkVersion: '0.1.0', harness: {}, prompts: [], capabilities: {}, posture: 'deny' },
      takesOrders: true,
    },
  })
  const session = newSessionId()
  const place = { ...tenant.prompt, environment: 'dev', runtime: id }
  const data = { ...place, harness: { name: 'test' } }
  const events = chained(session, [{ type: 'session.started', data }], { at: Date.now() })
  await api.fetch(eventsRequest(key, ndjson(events)))
  return session
}

export async function waitingCall(tenant: Tenant) {
  const key = await makeKey(tenant.project)
  const session = newSessionId()
  const at = Date.now()
  const call = { call_id: 'c1', tool: 'deploy' }
  const events = chained(
    session,
    [
      started(tenant.prompt),
      { type: 'tool.requested', data: { ...call, args: { to: `${tenant.mark} host` } } },
      {
        type: 'approval.requested',
        data: { ...call, rules: ['ask'], expires_at: at + 600_000 },
      },
    ],
    { at },
  )
  await api.fetch(eventsRequest(key, ndjson(events)))
  const { calls } = await createAdmin(tenant).callApprovals.waiting({})
  const { id = '', input = '' } = calls.find(({ sessionId: of }) => of === session) ?? {}
  return { id, input, decision: 'approved' }
}

async function alertRule(tenant: Tenant) {
  const rule = {
    name: `${tenant.mark} rule`,
    signal: 'blocked_stops' as const,
    environment: 'dev',
    ns: null,
    key: null,
    windowMinutes: 60,
    threshold: 1,
    destinations: [],
  }
  const { id } = await createAdmin(tenant).alerts.create(rule)
  return { id, rule }
}

async function destination(tenant: Tenant) {
  const { id, rule } = await alertRule(tenant)
  const url = `https://hooks.invalid/${freshKey()}`
  const destinations = [{ kind: 'webhook' as const, url }]
  await createAdmin(tenant).alerts.change({ ...rule, id, destinations })
  const listed = await createAdmin(tenant).destinations.list()
  return { id: listed.find(({ rules }) => rules.some((each) => each.id === id))?.id ?? '' }
}

const newStream = (tenant: Tenant) => ({
  name: `${tenant.mark} ${freshKey()}`,
  url: 'https://hooks.invalid/',
  audit: true,
  decisions: true,
  environment: null,
})

async function webhookStream(tenant: Tenant) {
  // A project has a limited number of streams.
  const { projectId } = tenant.project
  await database().prisma.webhookStream.deleteMany({ where: { projectId } })
  return await createAdmin(tenant).webhookStreams.create(newStream(tenant))
}

export async function firingAlert(tenant: Tenant) {
  const { id: ruleId } = await alertRule(tenant)
  const id = freshId('alr')
  const { projectId } = tenant.project
  await database().prisma.alert.create({
    data: {
      id,
      projectId,
      ruleId,
      scope: 'dev a/b',
      firing: true,
      value: 1,
      threshold: 1,
      reason: `${tenant.mark} reason`,
      evidence: `/stops/${tenant.stopId}`,
    },
  })
  return { id }
}

/** Text by an author who has no login here: no other user may change it, with any role. */
export async function annotation({ session, mark, project: { projectId } }: Tenant) {
  const id = freshId('ann')
  const written = { text: `${mark} wrote`, authorId: 'somebody else', author: mark }
  await database().prisma.annotation.create({
    data: { ...written, id, projectId, sessionId: session },
  })
  return { id }
}

const decision = ({ session }: Tenant) => ({ sessionId: session, seq: 3 })

/** A search for rules that is not over. */
export async function learning({ prompt, mark, project: { projectId } }: Tenant) {
  const place = { ...prompt, environment: 'dev' }
  const data = { status: 'queued', error: mark, finishedAt: null }
  await database().prisma.learnRun.upsert({
    where: { projectId_ns_key_environment: { projectId, ...place } },
    create: { id: freshId('lrn'), projectId, ...place, ...data },
    update: data,
  })
  return place
}

export async function dismissed({ prompt, mark, project: { projectId } }: Tenant) {
  const place = { projectId, ...prompt, rule: 'r1' }
  const data = { sentence: mark, reason: mark, dismissedBy: 'somebody else', dismissedName: mark }
  await database().prisma.dismissedRule.upsert({
    where: { projectId_ns_key_rule: place },
    create: { ...place, ...data },
    update: data,
  })
  return { ...prompt, environment: 'dev', id: 'r1' }
}

/** A search that no one has run, about another decision than a new one: else that would be returned. */
export async function prevention({ session, project: { projectId } }: Tenant) {
  const id = freshId('prv')
  await database().prisma.prevention.create({
    data: { id, projectId, sessionId: session, seq: 2, createdBy: 'somebody else' },
  })
  return { id }
}

/** Like annotations: its owner may change it. */
async function sharedView({ mark, project: { projectId } }: Tenant) {
  const id = freshId('view')
  await database().prisma.savedView.create({
    data: {
      id,
      projectId,
      list: 'stops',
      name: `${mark} ${id}`,
      query: 'by=all',
      shared: true,
      ownerId: 'somebody else',
      owner: mark,
    },
  })
  return { id }
}

const own = { foreign: 200 } as const
const named = { foreign: 404 } as const
const sessionId = ({ session }: Tenant) => ({ sessionId: session })

export const PROCEDURES: Readonly<Record<string, ProcedureRow>> = {
  'releaseApprovals.list': { needs: 'viewer', ...own },
  'releaseApprovals.request': { needs: 'editor', ...named, input: askedFor },
  'releaseApprovals.withdraw': {
    needs: 'editor',
    ...named,
    input: async (tenant) => {
      const { ns, key, environment } = await requested(tenant)
      return { ns, key, environment }
    },
  },
  'releaseApprovals.decide': {
    needs: 'publisher',
    releasesTo: 'staging',
    ...named,
    input: async (tenant) => {
      const { ns, key, environment, digest } = await requested(tenant)
      return { ns, key, environment, digest, expectedLive: null, decision: 'approved' }
    },
  },

  'annotations.list': { needs: 'viewer', ...named, input: sessionId },
  'annotations.write': {
    needs: 'editor',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), seq: 1, text: `${tenant.mark} wrote` }),
  },
  'annotations.edit': {
    needs: 'editor',
    passes: 403,
    ...named,
    input: async (tenant) => ({ ...(await annotation(tenant)), text: `${tenant.mark} again` }),
  },
  'annotations.remove': { needs: 'editor', passes: 403, ...named, input: annotation },
  'annotations.removeAny': { needs: 'admin', ...named, input: annotation },

  'prevention.find': { needs: 'viewer', ...named, input: decision },
  // A session without a config of this server is refused.
  'prevention.start': { needs: 'editor', passes: 422, ...named, input: decision },
  'prevention.startExample': {
    needs: 'editor',
    ...named,
    input: async (tenant) => {
      // Two searches may run in a project at once.
      await database().prisma.prevention.updateMany({
        where: { projectId: tenant.project.projectId },
        data: { status: 'done', finishedAt: new Date() },
      })
      const { prompt } = tenant
      const question = { ask: 'run_without', tool: 'deploy', needs: 'test' }
      return { ...prompt, environment: 'dev', text: configText(prompt, tenant.mark), question }
    },
  },
  'prevention.cancel': { needs: 'editor', ...named, input: prevention },
  'prevention.take': {
    needs: 'editor',
    passes: 422,
    ...named,
    input: async (tenant) => ({ ...(await prevention(tenant)), candidate: 1 }),
  },

  'suggestions.find': { needs: 'viewer', foreign: 200, input: learning },
  'suggestions.environment': { needs: 'viewer', foreign: 200, input: ({ prompt }) => prompt },
  'suggestions.prompts': { needs: 'viewer', foreign: 200 },
  'suggestions.start': {
    needs: 'editor',
    ...named,
    input: ({ prompt }) => ({ ...prompt, environment: 'dev' }),
  },
  'suggestions.cancel': { needs: 'editor', ...named, input: learning },
  // No search found the rule.
  'suggestions.take': {
    needs: 'editor',
    passes: 422,
    ...named,
    input: async (tenant) => ({ ...(await learning(tenant)), ids: ['none'] }),
  },
  'suggestions.dismiss': {
    needs: 'editor',
    passes: 404,
    ...named,
    input: async (tenant) => ({ ...(await learning(tenant)), id: 'none', reason: 'why' }),
  },
  'suggestions.restore': { needs: 'editor', ...named, input: dismissed },

  'labels.list': { needs: 'viewer', ...named, input: sessionId },
  'labels.set': {
    needs: 'editor',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), seq: 0, label: 'bad' }),
  },

  'alerts.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'alerts.rows': {
    needs: 'viewer',
    ...own,
    input: async (tenant) => ({ filter: {}, ids: [(await firingAlert(tenant)).id] }),
  },
  'alerts.unread': { needs: 'viewer', ...own },
  'alerts.acknowledge': {
    needs: 'editor',
    ...named,
    input: async (tenant) => ({ ...(await firingAlert(tenant)), note: null }),
  },
  // Only for the user who acknowledged it, and no one did.
  'alerts.unacknowledge': { needs: 'editor', passes: 409, ...named, input: firingAlert },
  'alerts.rules': { needs: 'admin', ...own },
  'alerts.values': { needs: 'admin', ...own },
  'alerts.recommended': { needs: 'viewer', ...own },
  'alerts.summary': { needs: 'viewer', ...own },
  'alerts.mail': { needs: 'admin', ...own },
  'alerts.preview': {
    needs: 'viewer',
    ...own,
    input: () => ({
      signal: 'blocked_stops',
      environment: null,
      ns: null,
      key: null,
      windowMinutes: 60,
      threshold: 1,
    }),
  },
  'alerts.create': {
    needs: 'admin',
    ...own,
    input: () => ({
      name: 'new',
      signal: 'lost_sessions',
      environment: null,
      ns: null,
      key: null,
      windowMinutes: 60,
      threshold: 1,
      destinations: [],
    }),
  },
  'alerts.change': {
    needs: 'admin',
    ...named,
    input: async (tenant) => {
      const { id, rule } = await alertRule(tenant)
      return { ...rule, id, threshold: 2 }
    },
  },
  'alerts.mute': {
    needs: 'editor',
    ...named,
    input: async (tenant) => ({ id: (await alertRule(tenant)).id, until: null }),
  },
  'alerts.enable': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ id: (await alertRule(tenant)).id, enabled: false }),
  },
  'alerts.remove': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ id: (await alertRule(tenant)).id }),
  },
  'alerts.test': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ id: (await alertRule(tenant)).id }),
  },
  'alerts.secret': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ id: (await alertRule(tenant)).id }),
  },

  'eventLog.state': { needs: 'viewer', ...own },
  'eventLog.deadLetters': { needs: 'viewer', ...own },

  'destinations.list': { needs: 'admin', ...own },
  'destinations.add': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({
      destination: { kind: 'chat', url: 'https://hooks.invalid/' },
      rules: [(await alertRule(tenant)).id],
    }),
  },
  'destinations.change': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({
      ...(await destination(tenant)),
      destination: { kind: 'chat', url: 'https://hooks.invalid/' },
    }),
  },
  'destinations.remove': { needs: 'admin', ...named, input: destination },
  'destinations.test': { needs: 'admin', ...named, input: destination },

  'webhookStreams.list': { needs: 'admin', ...own },
  'webhookStreams.create': { needs: 'admin', ...own, input: newStream },
  'webhookStreams.change': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ ...(await webhookStream(tenant)), stream: newStream(tenant) }),
  },
  'webhookStreams.remove': { needs: 'admin', ...named, input: webhookStream },
  'webhookStreams.resume': { needs: 'admin', ...named, input: webhookStream },
  'webhookStreams.test': { needs: 'admin', ...named, input: webhookStream },
  'webhookStreams.secret': { needs: 'admin', ...named, input: webhookStream },

  'account.ways': { needs: 'anyone', ...own },
  'account.get': { needs: 'user', ...own },
  // Their own logins only: another person's is not found.
  'account.endLogin': {
    needs: 'user',
    passes: 404,
    ...own,
    input: ({ people }) => ({ id: people.admin.userId }),
  },
  'account.endOtherLogins': { needs: 'user', ...own },
  'account.singleSignOn': { needs: 'viewer', ...own },

  'auditLog.list': { needs: 'admin', ...own, input: () => ({ filter: {} }) },
  'auditLog.entry': { needs: 'admin', ...named, input: anAuditEntry },
  'auditLog.choices': { needs: 'admin', ...own },
  'auditLog.chain': { needs: 'admin', ...own },
  'auditLog.check': { needs: 'admin', ...own },

  'backtests.of': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'backtests.argumentNames': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'backtests.tryRule': {
    needs: 'viewer',
    ...named,
    input: ({ prompt }) => ({ ...prompt, kind: 'policy', text: '{}' }),
  },
  'backtests.get': { needs: 'viewer', ...named, input: freshBacktest },
  'backtests.changes': {
    needs: 'viewer',
    ...named,
    input: async (tenant) => ({ ...(await freshBacktest(tenant)), filter: {} }),
  },
  'backtests.sessions': { needs: 'viewer', ...named, input: freshBacktest },
  'backtests.forDraft': {
    needs: 'viewer',
    ...named,
    input: ({ prompt }) => ({ ...prompt, digest: 'sha256:none' }),
  },
  'backtests.ofVersions': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'backtests.start': {
    needs: 'editor',
    ...named,
    input: async (tenant) => {
      const { id, revision, ...prompt } = await freshDraft(tenant)
      return { ...prompt, sample: { kind: 'cases' }, subject: { kind: 'draft', id, revision } }
    },
  },
  'backtests.cancel': { needs: 'editor', ...named, input: freshBacktest },
  'backtests.pinned': { needs: 'viewer', ...own, input: ({ decisionId }) => ({ id: decisionId }) },
  'backtests.pin': { needs: 'editor', ...named, input: ({ stopId }) => ({ id: stopId }) },
  'backtests.changeCase': {
    needs: 'editor',
    ...named,
    input: async (tenant) => ({ ...(await freshCase(tenant)), expected: 'denied', note: null }),
  },
  'backtests.unpin': { needs: 'editor', ...named, input: freshCase },
  'claims.of': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'claims.add': {
    needs: 'publisher',
    ...named,
    input: async (tenant) => ({
      ...(await freshConfig(tenant)).prompt,
      question: freshQuestion(),
      expect: 'never',
    }),
  },
  'claims.remove': {
    needs: 'publisher',
    ...named,
    releasesTo: 'dev',
    placeInRow: true,
    input: freshClaim,
  },
  'callApprovals.rights': { needs: 'viewer', ...own },
  'callApprovals.waiting': { needs: 'viewer', ...own, input: () => ({}) },
  'callApprovals.count': { needs: 'viewer', ...own, input: () => ({}) },
  'callApprovals.settled': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'callApprovals.decide': {
    needs: 'publisher',
    releasesTo: 'dev',
    placeInRow: true,
    ...named,
    input: waitingCall,
  },

  'sessionOrders.control': { needs: 'viewer', ...named, input: sessionId },
  'sessionOrders.give': {
    needs: 'publisher',
    releasesTo: 'dev',
    placeInRow: true,
    ...named,
    input: async (tenant) => ({
      sessionId: await controllableSession(tenant),
      action: 'pause',
      reason: `${tenant.mark} waits`,
    }),
  },

  'stagedRollouts.ended': { needs: 'viewer', ...own },
  'stagedRollouts.of': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'stagedRollouts.running': { needs: 'viewer', ...own },
  'stagedRollouts.share': {
    needs: 'publisher',
    releasesTo: 'dev',
    placeInRow: true,
    ...named,
    input: async (tenant) => ({
      rolloutId: await staged(tenant),
      share: 50,
      note: null,
      typedName: null,
    }),
  },
  'stagedRollouts.stop': {
    needs: 'publisher',
    releasesTo: 'dev',
    placeInRow: true,
    ...named,
    input: async (tenant) => ({ rolloutId: await staged(tenant), note: null }),
  },
  'stagedRollouts.watch': {
    needs: 'publisher',
    releasesTo: 'dev',
    placeInRow: true,
    ...named,
    input: async (tenant) => ({
      releaseId: await releasedOver(tenant),
      watch: { hours: 24, guard: GUARD },
      note: null,
    }),
  },
  'stagedRollouts.shadow': {
    needs: 'publisher',
    releasesTo: 'dev',
    ...named,
    input: ({ prompt }) => ({ ...prompt, environment: 'dev', version: null }),
  },

  'analytics.frame': { needs: 'viewer', ...own, input: () => ({ filter: LONG }) },
  'analytics.chart': { needs: 'viewer', ...own, input: () => ({ chart: 'denials', filter: LONG }) },
  'analytics.summary': {
    needs: 'viewer',
    ...own,
    input: () => ({ topic: 'denials', filter: LONG }),
  },
  'analytics.compare': {
    needs: 'viewer',
    ...own,
    input: ({ prompt }) => ({ filter: { ...LONG, prompt }, versions: [1, 2] }),
  },

  'configs.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'configs.unmanaged': { needs: 'viewer', ...own },
  'configs.reported': { needs: 'viewer', ...own, input: ({ prompt }) => prompt },
  'configs.recent': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'configs.get': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'configs.version': {
    needs: 'viewer',
    ...named,
    input: ({ prompt }) => ({ ...prompt, number: 1 }),
  },
  'configs.inheritance': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'configs.templates': { needs: 'viewer', ...own },
  'configs.template': { needs: 'viewer', ...own, input: () => ({ name: 'coding-agent' }) },
  'configs.base': { needs: 'viewer', ...own, input: () => ({ reference: 'acme/base@1' }) },
  'configs.checkConditions': {
    needs: 'viewer',
    ...own,
    input: () => ({ conditions: [{ source: 'args.n > 1', variables: ['args'] }] }),
  },
  'configs.mandatoryBase': { needs: 'viewer', ...own },
  'configs.setMandatoryBase': { needs: 'admin', ...own, input: () => ({ base: null }) },
  'configs.create': { needs: 'editor', ...own, input: () => ({ ns: 'new', key: freshKey() }) },
  'configs.setArchived': {
    needs: 'publisher',
    ...named,
    input: async (tenant) => ({ ...(await unpublished(tenant)), archived: true }),
  },

  'decisions.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'decisions.explanation': {
    needs: 'viewer',
    ...named,
    input: ({ decisionId }) => ({ decisionId }),
  },

  'drafts.open': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'drafts.activity': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'drafts.present': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'drafts.sayPresence': {
    needs: 'editor',
    ...named,
    input: ({ prompt }) => ({ ...prompt, tab: 'tab-1', part: 'Policies', leaving: false }),
  },
  'drafts.history': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },
  'drafts.earlierText': { needs: 'viewer', ...named, input: replacedText },
  'drafts.trash': { needs: 'editor', ...named, input: ({ prompt }) => prompt },
  'drafts.save': {
    needs: 'editor',
    ...named,
    input: async (tenant) => {
      const { ns, key, ...seen } = await freshDraft(tenant)
      return { ns, key, seen, baseVersion: 1, text: 'not mine' }
    },
  },
  'drafts.rebase': {
    needs: 'editor',
    ...named,
    input: async (tenant) => ({ ...(await freshDraft(tenant)), baseVersion: 1 }),
  },
  'drafts.discard': { needs: 'editor', ...named, input: freshDraft },
  'drafts.restore': {
    needs: 'editor',
    ...named,
    input: async (tenant) => {
      const { ns, key, id, revision } = await freshDraft(tenant)
      await createAdmin(tenant).drafts.discard({ ns, key, id, revision })
      return { ns, key, id }
    },
  },

  'environments.list': { needs: 'viewer', ...own },
  'environments.create': {
    needs: 'admin',
    ...own,
    input: () => ({
      name: `e-${freshKey().toLowerCase().slice(-20)}`,
      requiresNote: false,
      requiresTypedName: false,
      requiredApprovals: 0,
      rollbackSkipsApproval: true,
      requiresBacktest: false,
    }),
  },
  'environments.change': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ ...(await freshEnvironment(tenant)), requiresNote: true }),
  },
  // Another project's list is not the caller's: the answer is that it changed.
  'environments.reorder': {
    needs: 'admin',
    foreign: 409,
    input: async (tenant) => {
      const { name } = await freshEnvironment(tenant)
      const rows = await createAdmin(tenant).environments.list()
      return { names: [name, ...rows.map((row) => row.name).filter((each) => each !== name)] }
    },
  },
  'environments.remove': {
    needs: 'admin',
    ...named,
    input: async (tenant) => {
      const { name } = await freshEnvironment(tenant)
      return { name, typedName: name }
    },
  },

  'feedback.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'feedback.get': {
    needs: 'viewer',
    ...named,
    input: async (tenant) => ({ id: await delivered(tenant) }),
  },

  'invitations.list': { needs: 'admin', ...own },
  'invitations.create': {
    needs: 'admin',
    ...own,
    input: () => ({ email: `${freshKey()}@new.test`, role: 'viewer' }),
  },
  'invitations.revoke': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ id: (await invited(tenant)).id }),
  },
  // The token admits its holder; the matrix has one that no one received.
  'invitations.preview': {
    needs: 'anyone',
    passes: 404,
    ...own,
    input: () => ({ token: 'inv_x' }),
  },
  'invitations.accept': {
    needs: 'anyone',
    passes: 404,
    ...own,
    input: () => ({ token: 'inv_x', name: 'New', password: 'correct horse battery' }),
  },
  'invitations.join': { needs: 'user', passes: 404, ...own, input: () => ({ token: 'inv_x' }) },

  'keys.list': { needs: 'admin', ...own },
  'keys.create': {
    needs: 'admin',
    ...own,
    input: () => ({ name: 'new', environment: 'dev', scopes: ['read'] }),
  },
  'keys.revoke': {
    needs: 'admin',
    ...named,
    input: async (tenant) => {
      const key = { name: `${tenant.mark} key`, environment: 'dev', scopes: ['read' as const] }
      return { id: (await createAdmin(tenant).keys.create(key)).id }
    },
  },

  'keys.rotate': {
    needs: 'admin',
    ...named,
    input: async (tenant) => {
      const key = { name: `${tenant.mark} key`, environment: 'dev', scopes: ['read' as const] }
      return { id: (await createAdmin(tenant).keys.create(key)).id, overlapHours: 1 }
    },
  },

  'live.notifications': { needs: 'viewer', ...own },

  'members.setupState': { needs: 'anyone', ...own },
  // The right token, but an admin exists.
  'members.setup': {
    needs: 'anyone',
    passes: 409,
    ...own,
    input: () => ({
      token: 'test-setup-token',
      name: 'New',
      email: 'new@example.test',
      password: 'correct horse battery',
    }),
  },
  'members.me': { needs: 'viewer', ...own },
  'members.list': { needs: 'viewer', ...own },
  'members.setRole': {
    needs: 'admin',
    ...named,
    input: async ({ project }) => ({
      userId: (await newMember(project, 'viewer')).userId,
      role: 'editor',
    }),
  },
  'members.removal': {
    needs: 'admin',
    ...named,
    input: ({ people }) => ({ userId: people.viewer.userId }),
  },
  'members.remove': {
    needs: 'admin',
    ...named,
    input: async ({ project }) => {
      const { userId, email } = await newMember(project, 'viewer')
      return { userId, typedEmail: email }
    },
  },

  'overview.attention': { needs: 'viewer', ...own, input: () => ({}) },
  'overview.figures': { needs: 'viewer', ...own, input: () => ({}) },
  'overview.steps': { needs: 'viewer', ...own },
  'demo.stories': { needs: 'viewer', ...own },
  // Admitted; but a test's server has no key for the demo agent.
  'demo.run': { needs: 'editor', passes: 503, ...own, input: () => ({ story: 'release-notes' }) },

  'projects.mine': { needs: 'user', ...own },
  'projects.ofId': { needs: 'user', ...own, input: ({ session }) => ({ id: session }) },
  'projects.current': { needs: 'viewer', ...own },
  'projects.create': { needs: 'admin', ...own, input: () => ({ name: 'New' }) },
  'projects.rename': { needs: 'admin', ...own, input: () => ({ name: 'Renamed' }) },
  'projects.deletion': { needs: 'admin', ...own },
  // Admitted; but the name was not typed. people.db.test.ts deletes.
  'projects.delete': { needs: 'admin', passes: 422, ...own, input: () => ({ typedName: '' }) },

  'refusals.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },

  'releases.rights': { needs: 'viewer', ...own },
  'releases.publish': {
    needs: 'publisher',
    releasesTo: 'dev',
    ...named,
    input: async (tenant) => {
      const { prompt, draftId, revision } = await freshConfig(tenant)
      return { ...prompt, draftId, revision, environment: 'dev', note: 'not mine' }
    },
  },
  'releases.promote': {
    needs: 'publisher',
    releasesTo: 'staging',
    ...named,
    input: async (tenant) => ({
      ...(await twoVersions(tenant)),
      environment: 'staging',
      version: 1,
      expectedLive: null,
    }),
  },
  'releases.rollBack': {
    needs: 'publisher',
    releasesTo: 'dev',
    ...named,
    input: async (tenant) => ({ ...(await twoVersions(tenant)), version: 1, expectedLive: 2 }),
  },
  'releases.review': {
    needs: 'viewer',
    ...named,
    input: ({ prompt }) => ({
      ...prompt,
      environment: 'dev',
      kind: 'promote',
      subject: { kind: 'version', version: 1 },
    }),
  },
  'releases.adoption': { needs: 'viewer', ...named, input: ({ releaseId }) => ({ releaseId }) },

  'retention.get': { needs: 'viewer', ...own },
  'retention.preview': {
    needs: 'admin',
    ...own,
    input: () => ({ archiveDays: null, eventsDays: 30, decisionsDays: null }),
  },
  'retention.change': {
    needs: 'admin',
    ...own,
    input: () => ({ archiveDays: null, eventsDays: null, decisionsDays: null, typed: null }),
  },

  'releases.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'releases.partlyApplied': { needs: 'viewer', ...own },
  'releases.work': { needs: 'viewer', ...own },
  'releases.get': { needs: 'viewer', ...named, input: ({ releaseId }) => ({ releaseId }) },
  'releases.timeline': { needs: 'viewer', ...named, input: ({ prompt }) => prompt },

  'runtimes.names': { needs: 'viewer', ...own },
  'runtimes.commandPackage': { needs: 'viewer', ...own },
  'runtimes.list': { needs: 'viewer', ...own },
  'runtimes.groups': { needs: 'viewer', ...own },
  'runtimes.page': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'runtimes.get': { needs: 'viewer', ...named, input: ({ runtimeId }) => ({ id: runtimeId }) },
  'runtimes.refresh': { needs: 'editor', ...named, input: ({ runtimeId }) => ({ id: runtimeId }) },
  'runtimes.environments': { needs: 'viewer', ...own },

  'schedules.list': { needs: 'viewer', ...own },
  'schedules.create': { needs: 'publisher', releasesTo: 'staging', ...named, input: planned },
  'schedules.cancel': {
    needs: 'publisher',
    releasesTo: 'staging',
    placeInRow: true,
    ...named,
    input: async (tenant) => ({ id: await freshPlan(tenant) }),
  },
  'schedules.move': {
    needs: 'publisher',
    releasesTo: 'staging',
    placeInRow: true,
    ...named,
    input: async (tenant) => ({
      id: await freshPlan(tenant),
      expectedLive: null,
      dueAt: Date.now() + 7_200_000,
      zone: 'UTC',
    }),
  },

  'docs.find': { needs: 'viewer', ...own, input: () => ({ q: 'stop' }) },
  'search.find': { needs: 'viewer', ...own, input: ({ prompt }) => ({ q: prompt.ns }) },

  'sessions.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'sessions.rows': {
    needs: 'viewer',
    ...own,
    input: ({ session }) => ({ filter: {}, ids: [session] }),
  },
  'sessions.total': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'sessions.narrowings': {
    needs: 'viewer',
    ...own,
    input: ({ session }) => ({ filter: { q: session } }),
  },
  'sessions.prompts': { needs: 'viewer', ...own },
  'sessions.head': { needs: 'viewer', ...named, input: sessionId },
  'sessions.index': {
    needs: 'viewer',
    ...own,
    input: (tenant) => ({ ...sessionId(tenant), afterSeq: 0 }),
  },
  'sessions.events': {
    needs: 'viewer',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), seqs: [1, 2, 3] }),
  },
  'sessions.search': {
    needs: 'viewer',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), words: ['session'] }),
  },
  'sessions.files': { needs: 'viewer', ...named, input: sessionId },
  'sessions.plans': { needs: 'viewer', ...named, input: sessionId },
  'reports.session': { needs: 'viewer', ...named, input: sessionId },
  'sessions.fold': {
    needs: 'viewer',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), seq: 3, toSeq: 5 }),
  },
  'sessions.foldEvents': {
    needs: 'viewer',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), afterSeq: 1, toSeq: 3 }),
  },
  'sessions.foldConfig': {
    needs: 'viewer',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), digest: `sha256:${'0'.repeat(64)}` }),
  },
  'sessions.stateDigest': {
    needs: 'viewer',
    ...named,
    input: (tenant) => ({ ...sessionId(tenant), seq: 3 }),
  },

  'signingKeys.list': { needs: 'viewer', ...own },
  'signingKeys.prepare': { needs: 'admin', ...own },
  'signingKeys.activate': {
    needs: 'admin',
    foreign: 409,
    input: async (tenant) => ({ id: await prepared(tenant), typedName: tenant.project.slug }),
  },
  'signingKeys.revoke': {
    needs: 'admin',
    ...named,
    input: async (tenant) => ({ id: await prepared(tenant), typedName: tenant.project.slug }),
  },

  'stops.groups': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'stops.list': { needs: 'viewer', ...own, input: () => ({ filter: {} }) },
  'stops.underLive': { needs: 'viewer', ...named, input: ({ stopId }) => ({ stopId }) },
  'stops.progress': { needs: 'viewer', ...own, input: ({ stopId }) => ({ stopIds: [stopId] }) },
  'stops.explanation': { needs: 'viewer', ...named, input: ({ stopId }) => ({ stopId }) },

  'savedViews.list': { needs: 'viewer', ...own },
  'savedViews.save': {
    needs: 'viewer',
    ...own,
    input: ({ mark }) => ({
      list: 'stops',
      name: `${mark} ${freshKey()}`,
      query: 'by=all',
      shared: false,
    }),
  },
  'savedViews.change': {
    needs: 'viewer',
    passes: 403,
    ...named,
    input: async (tenant) => ({ ...(await sharedView(tenant)), query: 'by=config' }),
  },
  'savedViews.unshare': { needs: 'admin', ...named, input: sharedView },
  'savedViews.remove': { needs: 'viewer', passes: 403, ...named, input: sharedView },
  'savedViews.restore': { needs: 'viewer', passes: 403, ...named, input: sharedView },
  'savedViews.setDefault': {
    needs: 'viewer',
    ...named,
    input: async (tenant) => ({ list: 'stops', ...(await sharedView(tenant)) }),
  },
}
