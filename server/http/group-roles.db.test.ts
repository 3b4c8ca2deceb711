// Two real identity providers: the groups of `company` decide about roles, `partner` only says who someone is.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Claims,
  type IdentityProvider,
  startIdentityProvider,
} from '@/scripts/identity-provider.ts'
import { resetAll } from '@/server/platform/base/process-memory.ts'
import { database } from '@/server/platform/db/client.ts'
import { setTestEnvironment, withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  installed,
  makePerson,
  otherProject,
  postAuth,
  signedIn,
  signIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { ORIGIN, SignInBrowser } from '@/server/test/sign-in-browser.ts'

withTestDatabase()

let company: IdentityProvider
let partner: IdentityProvider
let project: TestProject
let payments: TestProject
let admin: Awaited<ReturnType<typeof createProjectCaller>>
let people = 0
/** Nothing listens here until a test starts a provider. */
let latePort = 0

const callback = (id: string) => `${ORIGIN}/api/auth/callback/${id}`

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return port
}

beforeAll(async () => {
  ;[company, partner, latePort] = await Promise.all([
    startIdentityProvider([callback('company')]),
    startIdentityProvider([callback('partner')]),
    findFreePort(),
  ])
  project = await installed()
  payments = await otherProject()
  const entry = (id: string, label: string, { issuer, clientId, clientSecret } = company) => ({
    ...{ id, label, issuer, client_id: clientId, client_secret: clientSecret },
  })
  const map = [
    { group: 'sb-viewers', role: 'viewer' },
    { group: 'sb-admins', role: 'admin' },
    {
      group: 'sb-payments',
      role: 'publisher',
      project: payments.slug,
      environments: ['dev'],
    },
  ]
  setTestEnvironment({
    OIDC_PROVIDERS: JSON.stringify([
      { ...entry('company', 'Company', company), groups: { map, session_hours: 8 } },
      { ...entry('partner', 'Partner', partner), allowed_domains: ['partner.test'] },
      { ...entry('late', 'Late'), issuer: `http://127.0.0.1:${latePort}` },
    ]),
  })
  // The variables were read when the projects were made.
  await resetAll()
  admin = await createProjectCaller(project, 'admin')
})
afterAll(() => Promise.all([company.stop(), partner.stop()]))
beforeEach(() => database().prisma.throttle.deleteMany())

function person(groups?: unknown, changes: Partial<Claims> = {}): Claims {
  const sub = `person-${++people}`
  return {
    sub,
    email: `${sub}@company.test`,
    email_verified: true,
    name: 'Ana',
    groups,
    ...changes,
  }
}

async function enter(as: Claims, id = 'company', provider = company) {
  provider.become(as)
  const browser = new SignInBrowser()
  const at = await browser.follow(await browser.start('/sign-in/social', id))
  return { browser, at, error: at.searchParams.get('error') }
}

async function findMemberships(email = '') {
  const rows = await database().prisma.membership.findMany({
    where: { user: { email } },
    orderBy: { projectId: 'asc' },
  })
  return new Map(rows.map((row) => [row.projectId, row]))
}

async function listEntries(email: string) {
  const { id } = await database().prisma.user.findUniqueOrThrow({ where: { email } })
  return await database().prisma.auditEntry.findMany({
    where: { target: id, actorId: 'signalbox' },
    orderBy: [{ at: 'asc' }, { id: 'asc' }],
  })
}

describe('roles by group', () => {
  test('are given at the first sign-in without an invitation, in each project of the map, and are logged', async () => {
    const ana = person(['sb-viewers', 'sb-payments', 'unmapped'])
    const { browser, error } = await enter(ana)
    expect(error).toBeNull()
    const memberships = await findMemberships(ana.email)
    expect(memberships.get(project.projectId)).toMatchObject({
      ...{ role: 'viewer', grantedBy: 'company', grantedGroups: ['sb-viewers'] },
    })
    expect(memberships.get(payments.projectId)).toMatchObject({
      ...{ role: 'publisher', publishIn: ['dev'], grantedGroups: ['sb-payments'] },
    })
    expect(await browser.caller().projects.mine()).toHaveLength(2)
    const entries = await listEntries(ana.email ?? '')
    expect(entries).toHaveLength(2)
    expect(entries.find(({ projectId }) => projectId === payments.projectId)).toMatchObject({
      action: 'member.joined',
      actor: 'groups of Company',
      after: {
        role: 'publisher',
        publish_in: ['dev'],
        groups: ['sb-payments'],
        provider: 'company',
      },
    })
  })

  test('change, and end with the last group together with every login, at the next sign-in', async () => {
    const ana = person(['sb-viewers'])
    const email = ana.email ?? ''
    await enter(ana)
    const { browser } = await enter({ ...ana, groups: ['sb-admins', 'sb-viewers'] })
    expect(await browser.caller().members.me()).toMatchObject({ role: 'admin' })

    expect(await enter({ ...ana, groups: [] })).toMatchObject({ error: 'no_group' })
    expect(await findMemberships(email)).toEqual(new Map())
    await expect(browser.caller().members.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(await listEntries(email)).toMatchObject([
      { action: 'member.joined' },
      {
        action: 'member.role_changed',
        before: { role: 'viewer' },
        after: { role: 'admin', groups: ['sb-admins'], provider: 'company' },
      },
      {
        action: 'member.removed',
        before: { email, role: 'admin' },
        after: { groups: [], provider: 'company' },
      },
    ])

    const back = await enter(ana)
    expect(await back.browser.caller().members.me()).toMatchObject({ role: 'viewer', name: 'Ana' })
  })

  test('are not logged again when nothing changed', async () => {
    const ana = person(['sb-viewers'])
    await enter(ana)
    await enter(ana)
    expect(await listEntries(ana.email ?? '')).toHaveLength(1)
  })

  test('never take the role of the last admin of a project, which is logged', async () => {
    const only = await otherProject()
    const ana = person(['sb-payments'])
    await enter(ana)
    const user = await database().prisma.user.findUniqueOrThrow({
      where: { email: ana.email ?? '' },
    })
    const place = { projectId: only.projectId, userId: user.id }
    const given = { role: 'admin' as const, grantedBy: 'company', grantedGroups: ['gone'] }
    await database().prisma.membership.create({ data: { ...place, ...given } })
    const { error, browser } = await enter({ ...ana, groups: [] })
    expect(error).toBeNull()
    const left = await findMemberships(ana.email)
    expect([...left.values()]).toMatchObject([{ ...place, role: 'admin' }])
    expect(await browser.caller().members.me()).toMatchObject({ role: 'admin' })
    const kept = (await listEntries(ana.email ?? '')).at(-1)
    expect(kept).toMatchObject({
      action: 'member.last_admin_kept',
      projectId: only.projectId,
      after: { role: 'admin', groups: [], provider: 'company' },
    })

    await makePerson(only, 'admin')
    expect(await enter({ ...ana, groups: [] })).toMatchObject({ error: 'no_group' })
    expect(await findMemberships(ana.email)).toEqual(new Map())
  })

  test.each([
    ['an unreadable claim', { admins: true }, 'groups_unreadable'],
    ['no claim', undefined, 'no_group'],
    ['only groups that are not mapped', ['SB-VIEWERS', 'sb-view'], 'no_group'],
  ])(
    'are refused for a newcomer with %s, who gets no account, even with an invitation',
    async (_, groups, code) => {
      const claims = person(groups)
      const email = claims.email ?? ''
      await admin.invitations.create({ email, role: 'admin' })
      expect(await enter(claims)).toMatchObject({ error: code })
      expect(await database().prisma.user.count({ where: { email } })).toBe(0)
    },
  )

  test('stay as they are when the claim cannot be read', async () => {
    const ana = person(['sb-viewers'])
    await enter(ana)
    expect(await enter({ ...ana, groups: [7] })).toMatchObject({ error: 'groups_unreadable' })
    expect((await findMemberships(ana.email)).size).toBe(1)
  })

  test('are not given where an admin removed the person, until another invitation', async () => {
    const ana = person(['sb-viewers'])
    const email = ana.email ?? ''
    const { userId } = await (await enter(ana)).browser.caller().members.me()
    await admin.members.remove({ userId, typedEmail: email })
    expect(await enter(ana)).toMatchObject({ error: 'removed' })
    expect(await database().prisma.user.count({ where: { email } })).toBe(0)
  })

  test('end their session after the stated hours, also when it is used meanwhile', async () => {
    const ana = person(['sb-viewers'])
    const { browser } = await enter(ana)
    const findEnd = async () => {
      const [login] = await database().prisma.authSession.findMany({
        where: { user: { email: ana.email ?? '' } },
      })
      return login?.expiresAt.getTime() ?? 0
    }
    const end = await findEnd()
    expect(end - Date.now()).toBeLessThanOrEqual(8 * 3_600_000)
    await browser.start('/link-social', 'partner')
    expect(await findEnd()).toBe(end)
  })
})

describe('a role that a person gave', () => {
  test('is replaced at a sign-in by groups in a project of the map, and stays elsewhere', async () => {
    const email = await makePerson(project, 'publisher')
    const browser = new SignInBrowser()
    browser.signedInAs(await signIn(email))
    const { userId } = await browser.caller().members.me()
    const elsewhere = await otherProject()
    const own = { projectId: elsewhere.projectId, userId, role: 'editor' as const }
    await database().prisma.membership.create({ data: own })

    const claims = person(['sb-viewers'], { email })
    company.become(claims)
    await browser.follow(await browser.start('/link-social', 'company'))
    expect((await findMemberships(email)).get(project.projectId)).toMatchObject({
      ...{ role: 'publisher', grantedBy: null },
    })

    expect(await enter(claims)).toMatchObject({ error: null })
    const after = await findMemberships(email)
    expect(after.get(project.projectId)).toMatchObject({ role: 'viewer', grantedBy: 'company' })
    expect(after.get(elsewhere.projectId)).toMatchObject({ role: 'editor', grantedBy: null })

    // The password would keep roles that the groups no longer give.
    const refused = await postAuth('/sign-in/email', { email, password: 'correct horse battery' })
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('Sign in with Company.')
    const headers = await headersOf(claims)
    const change = { currentPassword: 'correct horse battery', newPassword: 'another long one' }
    expect((await postAuth('/change-password', change, headers)).status).toBe(409)
  })

  test('cannot replace one by group, and the list says why', async () => {
    const ana = person(['sb-viewers'])
    const { userId } = await (await enter(ana)).browser.caller().members.me()
    const listed = (await admin.members.list()).find((member) => member.userId === userId)
    expect(listed?.byGroup).toEqual({ provider: 'Company', groups: ['sb-viewers'] })
    const change = admin.members.setRole({ userId, role: 'admin', publishIn: null })
    await expect(change).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'The role of Ana comes from Company (group sb-viewers). Change it there.',
    })
  })
})

async function headersOf(claims: Claims): Promise<Headers> {
  const { browser } = await enter(claims)
  return new Headers({ cookie: browser.cookies(new URL(ORIGIN).host) })
}

describe('several identity providers', () => {
  test('are listed in their order for the sign-in page, without secrets', async () => {
    const { browser } = await enter(person(['sb-viewers']))
    const caller = browser.caller()
    expect((await caller.account.ways()).providers).toEqual([
      { id: 'company', label: 'Company' },
      { id: 'partner', label: 'Partner' },
      { id: 'late', label: 'Late' },
    ])
    expect(JSON.stringify(await caller.account.singleSignOn())).not.toMatch(/secret|sb-/)
  })

  test('an account of one provider is not entered by another that claims the address as verified', async () => {
    const ana = person(['sb-admins'])
    await enter(ana)
    const forged = person(undefined, { email: ana.email })
    expect(await enter(forged, 'partner', partner)).toMatchObject({ error: 'account_not_linked' })
    const accounts = await database().prisma.authAccount.findMany({
      where: { user: { email: ana.email ?? '' } },
    })
    expect(accounts).toMatchObject([{ providerId: 'company' }])
  })

  test('an account is found again when its only provider gave the person another id', async () => {
    const ana = person(['sb-viewers'])
    const { userId } = await (await enter(ana)).browser.caller().members.me()
    const again = await enter({ ...ana, sub: 'another-id', groups: ['sb-admins'] })
    expect(await again.browser.caller().members.me()).toMatchObject({ userId, role: 'admin' })
  })

  test('another connected provider cannot keep the roles that groups gave', async () => {
    const ana = person(['sb-viewers'])
    const { browser } = await enter(ana)
    const claims = person(undefined, { email: ana.email })
    partner.become(claims)
    await browser.follow(await browser.start('/link-social', 'partner'))
    expect(await enter(claims, 'partner', partner)).toMatchObject({
      error: 'other_provider_decides',
    })
  })

  test('each refusal has its own code', async () => {
    expect(await enter(person(undefined, { email: undefined }), 'partner', partner)).toMatchObject({
      error: 'email_not_found',
    })
    const unverified = person(undefined, { email: 'a@partner.test', email_verified: false })
    expect(await enter(unverified, 'partner', partner)).toMatchObject({
      error: 'email_not_verified',
    })
    expect(await enter(person(), 'partner', partner)).toMatchObject({ error: 'not_invited' })

    partner.deny()
    const browser = new SignInBrowser()
    const at = await browser.follow(await browser.start('/sign-in/social', 'partner'))
    expect([at.pathname, at.searchParams.get('error')]).toEqual(['/login', 'access_denied'])
  })

  test('a state that has expired leads to the sign-in page with its code', async () => {
    partner.become(person(undefined, { email: 'late@partner.test' }))
    const browser = new SignInBrowser()
    const address = await browser.start('/sign-in/social', 'partner')
    await database().prisma.authVerification.deleteMany()
    const at = await browser.follow(address)
    expect([at.pathname, at.searchParams.get('error')]).toEqual(['/login', 'state_mismatch'])
  })

  test('one that is away holds up no other, and works once it is reached', async () => {
    const browser = new SignInBrowser()
    await expect(browser.start('/sign-in/social', 'late')).rejects.toThrow(/No address/)
    expect(await enter(person(['sb-viewers']))).toMatchObject({ error: null })
    await signedIn(await makePerson(project, 'viewer'))
    const late = await startIdentityProvider([callback('late')], latePort)
    try {
      const email = 'late@elsewhere.test'
      await admin.invitations.create({ email, role: 'viewer' })
      expect(await enter(person(undefined, { email }), 'late', late)).toMatchObject({ error: null })
    } finally {
      await late.stop()
    }
  })

  test('an unknown provider is not found', async () => {
    await expect(new SignInBrowser().start('/sign-in/social', 'credential')).rejects.toThrow(
      /no such identity provider/,
    )
    const unknown = await new SignInBrowser().ask(new URL(callback('nobody')))
    expect(unknown.status).toBe(404)
  })
})
