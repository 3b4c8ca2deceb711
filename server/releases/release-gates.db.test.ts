import { CHECKER_TYPES, POLICY_TYPES, PROVIDER_TYPES } from '@signalbox/core/host'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import type { Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

type Caller = Awaited<ReturnType<typeof createProjectCaller>>

const FREE = {
  requiresNote: false,
  requiresTypedName: false,
  requiresBacktest: false,
  requiredApprovals: 0,
  rollbackSkipsApproval: true,
}

let project: TestProject
const people = {} as Record<Role, Caller>
let second: Caller

beforeAll(async () => {
  project = await installed()
  for (const role of ['viewer', 'editor', 'publisher', 'admin'] as const) {
    people[role] = await createProjectCaller(project, role)
  }
  second = await createProjectCaller(project, 'publisher')
})

const demand = (demands: Partial<typeof FREE>, name = 'staging') =>
  people.admin.environments.change({ ...FREE, ...demands, name })

beforeEach(async () => {
  await demand({})
})

let made = 0

async function newConfig(change: object = { description: 'first' }) {
  const prompt = { ns: 'gates', key: `config-${++made}` }
  const text = JSON.stringify({ schema_version: 1, ...prompt, ...change })
  await people.editor.configs.create({ ...prompt, text })
  const { draft } = await people.editor.drafts.open(prompt)
  return { prompt, draftId: draft?.id ?? '', revision: draft?.revision ?? 0 }
}

type Config = Awaited<ReturnType<typeof newConfig>>

async function edit(config: Config, change: object, by = people.editor): Promise<Config> {
  const { prompt, draftId: id, revision } = config
  const text = JSON.stringify({ schema_version: 1, ...prompt, ...change })
  const saved = await by.drafts.save({ ...prompt, text, seen: { id, revision }, baseVersion: null })
  if (!saved.ok) throw new Error('The draft moved.')
  return { ...config, revision: saved.revision }
}

const toStagingPlace = ({ prompt }: Config) => ({ ...prompt, environment: 'staging' })
const toDraftSubject = ({ draftId, revision }: Config) => ({
  kind: 'draft' as const,
  draftId,
  revision,
})
const publish = (config: Config, more: object = {}, by = people.publisher) => {
  const { draftId, revision } = config
  return by.releases.publish({ ...toStagingPlace(config), draftId, revision, ...more })
}

async function review(config: Config, by = people.publisher) {
  const subject = toDraftSubject(config)
  const result = await by.releases.review({ ...toStagingPlace(config), kind: 'publish', subject })
  if (!result.ok) throw new Error(result.message)
  return result.review
}

const gate = async (config: Config, id: string) =>
  (await review(config)).gates.find((each) => each.id === id)

test('the review of a release states every gate, and a refusal has the same sentence', async () => {
  await demand({ requiresNote: true, requiresTypedName: true })
  const config = await newConfig()
  const { gates } = await review(config, people.viewer)
  expect(gates.map(({ id, state }) => [id, state])).toEqual([
    ['problems', 'passed'],
    ['behind', 'passed'],
    ['backtest', 'open'],
    ['approvals', 'passed'],
    ['runtimes', 'open'],
    ['permission', 'missing'],
    ['note_required', 'ask'],
    ['name_required', 'ask'],
  ])
  const sentence = gates.find(({ id }) => id === 'note_required')?.sentence
  const refused = await publish(config, { note: ' ', typedName: 'staging' })
  expect(refused).toMatchObject({ reason: 'note_required', message: `${sentence}.` })
  const permission = gates.find(({ id }) => id === 'permission')?.sentence
  expect(permission).toContain('You need the publisher role in')
  expect((await review(config)).gates.some(({ id }) => id === 'permission')).toBe(false)
})

test('the review of a text with errors states that it is not valid, next to the gates that can be judged', async () => {
  await demand({ requiresNote: true })
  const config = await edit(await newConfig(), { policies: [{ id: 'x', type: 'magic' }] })
  const subject = toDraftSubject(config)
  const asked = { ...toStagingPlace(config), kind: 'publish' as const, subject }
  const result = await people.publisher.releases.review(asked)
  expect(result).toMatchObject({
    ok: false,
    gates: [
      { id: 'problems', state: 'missing' },
      { id: 'note_required', state: 'ask' },
    ],
    whyOnlyToAll: 'No version runs in staging yet, so there is nothing to compare with',
  })
})

const ask = (config: Config) =>
  people.editor.releaseApprovals.request({
    ...toStagingPlace(config),
    subject: toDraftSubject(config),
    note: 'why',
  })

async function decide(config: Config, by: Caller, more: object = {}) {
  const { digest, live } = await review(config)
  const decision = { digest, expectedLive: live, decision: 'approved' as const, note: null }
  await by.releaseApprovals.decide({ ...toStagingPlace(config), ...decision, ...more })
}

async function approved(config: Config, by = people.publisher): Promise<void> {
  await ask(config)
  await decide(config, by)
}

describe('release approvals', () => {
  beforeEach(async () => {
    await demand({ requiredApprovals: 1 })
  })

  test('release approvals are required before a publish, and the release and the audit log name the approver', async () => {
    const config = await newConfig()
    expect(await publish(config)).toMatchObject({ ok: false, reason: 'approvals' })
    const listed = async () => (await people.viewer.configs.get(config.prompt)).waiting
    const request = { environment: 'staging', version: null, state: 'waiting' }
    expect(await listed()).toEqual([])
    await ask(config)
    expect(await listed()).toEqual([request])
    const asked = async (by: Caller) =>
      (await by.releaseApprovals.list()).find(({ key }) => key === config.prompt.key)
    const state = 'waiting'
    expect(await asked(people.publisher)).toMatchObject({ state, isYourTurn: true, whyNot: null })
    expect(await asked(people.viewer)).toMatchObject({
      state,
      isYourTurn: false,
      whyNot: expect.stringContaining('You need the publisher role in staging.'),
    })
    await decide(config, people.publisher)
    expect(await listed()).toEqual([{ ...request, state: 'approved' }])
    const approved = { state: 'approved', sentence: 'Approved by A publisher', plan: null }
    expect(await asked(people.publisher)).toMatchObject({ ...approved, isYourTurn: true })
    expect(await asked(people.viewer)).toMatchObject({ ...approved, isYourTurn: false })
    const result = await publish(config)
    if (!result.ok) throw new Error(result.message)
    const target = result.release.id
    const { prisma } = database()
    const release = await prisma.release.findUniqueOrThrow({ where: { id: target } })
    expect(release.approvals).toMatchObject([{ person: 'A publisher' }])
    const entries = await prisma.auditEntry.findMany({ where: { target } })
    expect(entries).toMatchObject([{ after: { approved_by: ['A publisher'] } }])
    const waiting = await people.viewer.releaseApprovals.list()
    expect(waiting.some(({ key }) => key === config.prompt.key)).toBe(false)
  })

  test.each([
    ['lost the role', { role: 'viewer' as const }],
    ['may publish elsewhere only', { publishIn: ['dev'] }],
  ])('do not count when their author %s', async (_, data) => {
    const leaver = await createProjectCaller(project, 'publisher')
    const config = await newConfig()
    await approved(config, leaver)
    expect(await gate(config, 'approvals')).toMatchObject({ state: 'passed' })
    const { prisma } = database()
    const { digest } = await review(config)
    const { personId: userId } = await prisma.approval.findFirstOrThrow({ where: { digest } })
    const { projectId } = project
    await prisma.membership.update({
      where: { projectId_userId: { projectId, userId } },
      data,
    })
    expect((await people.viewer.configs.get(config.prompt)).waiting).toMatchObject([
      { environment: 'staging' },
    ])
    expect(await gate(config, 'approvals')).toMatchObject({
      state: 'missing',
      sentence: '0 of 1 approval given. A publisher may no longer approve here',
    })
    expect(await publish(config)).toMatchObject({ ok: false, reason: 'approvals' })
    await prisma.membership.delete({ where: { projectId_userId: { projectId, userId } } })
    expect(await publish(config)).toMatchObject({ ok: false, reason: 'approvals' })
  })

  test('release approvals are not replaced by an acknowledgment', async () => {
    const config = await newConfig()
    const acknowledged = ['runtimes', 'backtest', 'cases']
    expect(await publish(config, { acknowledged })).toMatchObject({ reason: 'approvals' })
    const forged = publish(config, { acknowledged: ['approvals'] })
    await expect(forged).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  test('release approvals cannot be given by the last editor, whose earlier approval does not count either', async () => {
    const config = await newConfig()
    const typed = await edit(config, { description: 'by the publisher' }, people.publisher)
    await ask(typed)
    await expect(decide(typed, people.publisher)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await decide(typed, second)
    // The second person now types the same content in another form: their approval would be of their own text.
    const text = JSON.stringify(
      { description: 'by the publisher', ...config.prompt, schema_version: 1 },
      null,
      2,
    )
    const saved = await second.drafts.save({
      ...config.prompt,
      text,
      baseVersion: null,
      seen: { id: typed.draftId, revision: typed.revision },
    })
    if (!saved.ok) throw new Error('The draft moved.')
    const retyped = { ...typed, revision: saved.revision }
    expect(await publish(retyped)).toMatchObject({ reason: 'approvals' })
  })

  test('release approvals can be requested but not given by an editor', async () => {
    const config = await newConfig()
    await ask(config)
    await expect(decide(config, people.editor)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('release approvals are cleared by a later edit, with the approver named, and restored by the old text', async () => {
    const config = await newConfig()
    await approved(config)
    const later = await edit(config, { description: 'one more word' })
    expect(await publish(later)).toMatchObject({ reason: 'approvals' })
    const { sentence } = (await gate(later, 'approvals')) ?? {}
    expect(sentence).toBe('0 of 1 approval given. A later edit cleared the approval of A publisher')
    const back = await edit(later, { description: 'first' })
    expect(await publish(back)).toMatchObject({ ok: true })
  })

  test('release approvals are refused for a text that is no longer requested', async () => {
    const config = await newConfig()
    await ask(config)
    const { digest } = await review(config)
    const later = await edit(config, { description: 'later' })
    const waiting = await people.publisher.releaseApprovals.list()
    expect(waiting.find(({ key }) => key === config.prompt.key)).toMatchObject({
      isCurrent: false,
      isYourTurn: false,
      whyNot: 'The text was edited after the request.',
    })
    await ask(later)
    await expect(decide(later, people.publisher, { digest })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })

  test('that were given on an older live version do not count, with that reason', async () => {
    const config = await newConfig()
    await demand({ requiredApprovals: 0 })
    await publish(config)
    const next = await edit(config, { description: 'second' })
    await demand({ requiredApprovals: 1 })
    await approved(next)
    expect(await gate(next, 'approvals')).toMatchObject({ state: 'passed' })
    const other = await edit(next, { description: 'third' })
    await demand({ requiredApprovals: 0 })
    await publish(other)
    await demand({ requiredApprovals: 1 })
    const again = await edit(other, { description: 'second' })
    expect(await publish(again)).toMatchObject({ reason: 'approvals' })
    expect(await gate(again, 'approvals')).toMatchObject({
      sentence: '0 of 1 approval given. A publisher approved on an older live version',
    })
    await approved(again)
    expect(await publish(again)).toMatchObject({ ok: true })
  })

  test('release approvals are refused when the difference is not the one that was shown', async () => {
    const config = await newConfig()
    await ask(config)
    await expect(decide(config, people.publisher, { expectedLive: 4 })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })

  test('that are refused need a note, block the release despite enough approvals, and can be withdrawn', async () => {
    const config = await newConfig()
    await ask(config)
    const refused = { decision: 'refused' as const }
    await expect(decide(config, second, refused)).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    })
    await decide(config, second, { ...refused, note: 'too strict' })
    await decide(config, people.publisher)
    const asked = async (by: Caller) =>
      (await by.releaseApprovals.list()).find(({ key }) => key === config.prompt.key)
    // Its author changes or withdraws it; it no longer waits for those who decided.
    const state = 'refused'
    expect(await asked(people.editor)).toMatchObject({ state, isYourTurn: true })
    expect(await asked(second)).toMatchObject({ state, isYourTurn: false })
    expect(await publish(config)).toMatchObject({
      reason: 'approvals',
      message: 'Refused by A publisher: “too strict”.',
    })
    await decide(config, second)
    expect(await publish(config)).toMatchObject({ ok: true })
  })

  test('require two different users when two are required', async () => {
    await demand({ requiredApprovals: 2 })
    const config = await newConfig()
    await ask(config)
    await Promise.all([decide(config, people.publisher), decide(config, people.publisher)])
    expect(await publish(config)).toMatchObject({ reason: 'approvals' })
    await decide(config, second)
    expect(await publish(config)).toMatchObject({ ok: true })
  })

  test('allow one of two concurrent publishes of an approved text', async () => {
    const config = await newConfig()
    await approved(config)
    const results = await Promise.all([publish(config), publish(config, {}, second)])
    expect(results.filter(({ ok }) => ok)).toHaveLength(1)
  })

  test('hold for a concurrent edit and publish, which release the approved text or nothing', async () => {
    const config = await newConfig()
    await approved(config)
    const { digest } = await review(config)
    await Promise.all([publish(config), edit(config, { description: 'sneaked in' })])
    const { pointers } = await people.viewer.configs.get(config.prompt)
    for (const pointer of pointers) expect(pointer.digest).toBe(digest)
  })

  test('release approvals are required for a promotion, too, and are given for the content of the version', async () => {
    const config = await newConfig()
    const { draftId, revision, prompt } = config
    await people.publisher.releases.publish({ ...prompt, environment: 'dev', draftId, revision })
    const move = { ...toStagingPlace(config), version: 1, expectedLive: null }
    expect(await people.publisher.releases.promote(move)).toMatchObject({ reason: 'approvals' })
    const subject = { kind: 'version', version: 1 } as const
    await people.editor.releaseApprovals.request({ ...toStagingPlace(config), subject, note: null })
    await decide(config, second)
    expect(await people.publisher.releases.promote(move)).toMatchObject({ ok: true })
  })

  test('release approvals are skipped for a rollback only where the environment allows it, with an audit log entry', async () => {
    await demand({ requiredApprovals: 0 })
    const config = await newConfig()
    await publish(config)
    await publish(await edit(config, { description: 'second' }))
    await demand({ requiredApprovals: 1, rollbackSkipsApproval: false })
    const back = { ...toStagingPlace(config), version: 1, expectedLive: 2 }
    expect(await people.publisher.releases.rollBack(back)).toMatchObject({ reason: 'approvals' })
    await demand({ requiredApprovals: 1, rollbackSkipsApproval: true })
    const result = await people.publisher.releases.rollBack(back)
    if (!result.ok) throw new Error(result.message)
    const { prisma } = database()
    const entry = await prisma.auditEntry.findFirstOrThrow({ where: { target: result.release.id } })
    expect(entry.after).toMatchObject({ approval: 'skipped by the policy of the environment' })
    const row = await prisma.release.findUniqueOrThrow({ where: { id: result.release.id } })
    expect(row.approvalSkipped).toBe(true)
  })
})

describe('the runtimes gate', () => {
  const ALL = {
    policies: [...POLICY_TYPES],
    feedback_providers: [...PROVIDER_TYPES],
    checkers: [...CHECKER_TYPES],
  }

  async function connect(name: string, hosted: string, capabilities: object): Promise<void> {
    const key = await makeKey(project, { environment: 'staging' })
    const body = {
      name,
      sdk_version: '0.1.0',
      harness: { name: 'test' },
      prompts: [hosted],
      capabilities,
      posture: 'deny',
      now: Date.now(),
    }
    const response = await api.fetch(
      new Request('http://127.0.0.1/api/runtime/v1/register', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      }),
    )
    expect(response.status).toBe(200)
  }

  test('blocks the release for a runtime without a rule type until it is acknowledged, which the release records', async () => {
    const config = await newConfig({ task_completion_checker: { id: 'p', type: 'plan' } })
    const hosted = `${config.prompt.ns}/${config.prompt.key}`
    await connect('worker-1', hosted, ALL)
    await connect('worker-2', hosted, { ...ALL, checkers: [] })
    await connect('elsewhere', 'other/prompt', { ...ALL, checkers: [] })
    const refused = await publish(config)
    expect(refused).toMatchObject({
      reason: 'runtimes',
      message: 'worker-2 does not know checker “plan”.',
    })
    expect(await publish(config, { acknowledged: ['backtest'] })).toMatchObject({
      reason: 'runtimes',
    })
    const result = await publish(config, { acknowledged: ['runtimes', 'cases'] })
    if (!result.ok) throw new Error(result.message)
    const row = await database().prisma.release.findUniqueOrThrow({
      where: { id: result.release.id },
    })
    expect(row.acknowledged).toEqual(['runtimes'])
  })

  test('requires no acknowledgment for an optional rule that a runtime lacks', async () => {
    const rule = { id: 'r', type: 'rate_limit', tools: ['a'], max_calls: 1, per_seconds: 1 }
    const config = await newConfig({ policies: [{ ...rule, optional: true }] })
    const hosted = `${config.prompt.ns}/${config.prompt.key}`
    await connect('old', hosted, { ...ALL, policies: [] })
    expect(await publish(config)).toMatchObject({ ok: true })
  })
})

describe('the backtest gate', () => {
  test('refuses a missing backtest where one is required, despite an acknowledgment', async () => {
    await demand({ requiresBacktest: true })
    const config = await newConfig()
    expect(await publish(config, { acknowledged: ['backtest'] })).toMatchObject({
      reason: 'backtest',
    })
  })
})

describe('environment settings', () => {
  const names = async () => (await people.viewer.environments.list()).map(({ name }) => name)

  test('add environments at the end, order them, and remove them with the typed name', async () => {
    await people.admin.environments.create({ ...FREE, name: 'canary' })
    expect(await names()).toEqual(['dev', 'staging', 'production', 'canary'])
    const order = ['dev', 'canary', 'staging', 'production']
    await people.admin.environments.reorder({ names: order })
    expect(await names()).toEqual(order)
    const wrong = people.admin.environments.remove({ name: 'canary', typedName: 'Canary' })
    await expect(wrong).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
    await people.admin.environments.remove({ name: 'canary', typedName: 'canary' })
    expect(await names()).toEqual(['dev', 'staging', 'production'])
  })

  test('environment settings do not remove an environment that is in use', async () => {
    await people.admin.environments.create({ ...FREE, name: 'used' })
    await makeKey(project, { environment: 'used' })
    const remove = people.admin.environments.remove({ name: 'used', typedName: 'used' })
    await expect(remove).rejects.toMatchObject({ code: 'CONFLICT' })
    await database().prisma.apiKey.deleteMany({ where: { environment: 'used' } })
    await people.admin.environments.remove({ name: 'used', typedName: 'used' })
  })

  test('refuse an order that names other environments', async () => {
    for (const order of [['dev'], ['dev', 'dev', 'staging'], ['dev', 'staging', 'x']]) {
      const reorder = people.admin.environments.reorder({ names: order })
      await expect(reorder).rejects.toMatchObject({ code: 'CONFLICT' })
    }
  })

  test('allow one of two concurrent creations of the same name', async () => {
    const create = () => people.admin.environments.create({ ...FREE, name: 'twice' })
    const results = await Promise.allSettled([create(), create()])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await people.admin.environments.remove({ name: 'twice', typedName: 'twice' })
  })

  test('environment settings do not restore a removed environment at the next start', async () => {
    const [staging] = await database().prisma.environment.findMany({
      where: { projectId: project.projectId, name: 'staging' },
    })
    await database().prisma.environment.update({
      where: { id: staging?.id ?? '' },
      data: { name: 'gone' },
    })
    await installed()
    expect(await names()).not.toContain('staging')
    await database().prisma.environment.update({
      where: { id: staging?.id ?? '' },
      data: { name: 'staging' },
    })
  })

  test('record the requirements before and after in the audit log', async () => {
    await demand({ requiredApprovals: 2 })
    const entry = await database().prisma.auditEntry.findFirstOrThrow({
      where: { action: 'environment.changed' },
      orderBy: { at: 'desc' },
    })
    expect(entry).toMatchObject({
      before: { environment: 'staging', required_approvals: 0 },
      after: { required_approvals: 2 },
    })
  })
})
