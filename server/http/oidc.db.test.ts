import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Claims,
  type IdentityProvider,
  startIdentityProvider,
} from '@/scripts/identity-provider.ts'
import { database } from '@/server/platform/db/client.ts'
import { setTestEnvironment, withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import {
  createProjectCaller,
  installed,
  makePerson,
  signIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { ORIGIN, SignInBrowser } from '@/server/test/sign-in-browser.ts'
import { createCaller } from '@/server/trpc/root.ts'

withTestDatabase()

const CALLBACK = `${ORIGIN}/api/auth/callback/oidc`

let provider: IdentityProvider
let project: TestProject
let admin: Awaited<ReturnType<typeof createProjectCaller>>
let people = 0
const logged: string[] = []

beforeAll(async () => {
  provider = await startIdentityProvider([CALLBACK])
  const { issuer, clientId, clientSecret } = provider
  setTestEnvironment({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_ALLOWED_DOMAINS: 'allowed.test, other.test',
    OIDC_DEFAULT_ROLE: 'editor',
  })
  project = await installed()
  admin = await createProjectCaller(project, 'admin')
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => logged.push(String(text)) > 0)
})

afterAll(async () => {
  vi.restoreAllMocks()
  await provider.stop()
})

function person(email: string, changes: Partial<Claims> = {}): Claims {
  return { sub: `sub-${++people}`, email, email_verified: true, name: 'Ana Ruiz', ...changes }
}

async function signsIn(as: Claims): Promise<{ readonly browser: SignInBrowser; readonly at: URL }> {
  provider.become(as)
  const browser = new SignInBrowser()
  return { browser, at: await browser.follow(await browser.start()) }
}

const findAccounts = (email: string) =>
  database().prisma.authAccount.findMany({ where: { user: { email } } })

describe('a user admitted by single sign-on', () => {
  test('becomes a member with the role of the invitation, which is then used up', async () => {
    const email = 'invited@elsewhere.test'
    const { id } = await admin.invitations.create({ email, role: 'publisher', publishIn: ['dev'] })
    const { browser, at } = await signsIn(person('Invited@elsewhere.test'))
    expect(at.pathname).toBe('/')
    expect(await browser.caller().members.me()).toMatchObject({
      name: 'Ana Ruiz',
      role: 'publisher',
      publishIn: ['dev'],
    })
    const listed = await admin.invitations.list()
    expect(listed.find((one) => one.id === id)).toMatchObject({ state: 'accepted' })
  })

  test('gets the default role in the oldest project through an allowed domain, which is logged', async () => {
    const { browser } = await signsIn(person('new@allowed.test'))
    const me = await browser.caller().members.me()
    expect(me).toMatchObject({ role: 'editor' })
    const entry = await database().prisma.auditEntry.findFirstOrThrow({
      where: { target: me.userId },
    })
    expect(entry).toMatchObject({ action: 'member.joined', projectId: project.projectId })
  })

  test('a user admitted by single sign-on has the same account at the next login, found by the id of the provider', async () => {
    const ana = person('again@allowed.test')
    const first = await (await signsIn(ana)).browser.caller().members.me()
    const second = await (await signsIn({ ...ana, name: 'Renamed' })).browser.caller().members.me()
    expect(second.userId).toBe(first.userId)
    expect(await findAccounts('again@allowed.test')).toHaveLength(1)
  })

  test('leaves no token of the provider in the database', async () => {
    await signsIn(person('tokens@allowed.test'))
    expect(await findAccounts('tokens@allowed.test')).toMatchObject([
      { providerId: 'oidc', accessToken: null, refreshToken: null, idToken: null, password: null },
    ])
  })
})

describe('a user refused by single sign-on', () => {
  test.each([
    ['without invitation or allowed domain', person('mallory@evil.test'), 'not_invited'],
    ['of a domain that only ends alike', person('mallory@notallowed.test'), 'not_invited'],
    [
      'whose address the provider did not verify',
      person('unverified@allowed.test', { email_verified: false }),
      'email_not_verified',
    ],
  ])('creates no user: %s', async (_, claims, code) => {
    const users = await database().prisma.user.count()
    const { browser, at } = await signsIn(claims)
    expect([at.pathname, at.searchParams.get('error')]).toEqual(['/login', code])
    expect(await database().prisma.user.count()).toBe(users)
    await expect(browser.caller().projects.mine()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('a user refused by single sign-on does not get into a password account with the same address', async () => {
    const email = await makePerson(project, 'admin')
    const { at } = await signsIn(person(email))
    expect([at.pathname, at.searchParams.get('error')]).toEqual(['/login', 'account_not_linked'])
    expect(await findAccounts(email)).toMatchObject([{ providerId: 'credential' }])
  })

  test('a user refused by single sign-on stays locked out after removal by an admin until invited again, even with an allowed domain', async () => {
    const claims = person('removed@allowed.test')
    const { userId } = await (await signsIn(claims)).browser.caller().members.me()
    await admin.members.remove({ userId, typedEmail: 'removed@allowed.test' })
    expect((await signsIn(claims)).at.searchParams.get('error')).toBe('removed')
    await admin.invitations.create({ email: 'removed@allowed.test', role: 'viewer' })
    const { browser } = await signsIn(claims)
    expect(await browser.caller().members.me()).toMatchObject({ role: 'viewer' })
  })

  test('a user refused by single sign-on stays locked out after the invitation was revoked', async () => {
    const email = 'revoked@elsewhere.test'
    const { id } = await admin.invitations.create({ email, role: 'admin' })
    await admin.invitations.revoke({ id })
    expect((await signsIn(person(email))).at.searchParams.get('error')).toBe('not_invited')
  })
})

describe('connecting an account to single sign-on', () => {
  test('works for its signed-in owner, who can then sign in both ways', async () => {
    const email = await makePerson(project, 'publisher')
    const browser = new SignInBrowser()
    browser.signedInAs(await signIn(email))
    const before = await browser.caller().members.me()
    const claims = person(email)
    provider.become(claims)
    await browser.follow(await browser.start('/link-social'))
    expect(await browser.caller().account.get()).toMatchObject({
      hasPassword: true,
      providers: [{ id: 'oidc', isConnected: true, hasGroups: false }],
      decidedBy: null,
    })
    expect(await (await signsIn(claims)).browser.caller().members.me()).toEqual(before)
    await expect(signIn(email)).resolves.toBeInstanceOf(Headers)
  })

  test('connecting an account to single sign-on is refused when the provider has another address', async () => {
    const email = await makePerson(project, 'viewer')
    const browser = new SignInBrowser()
    browser.signedInAs(await signIn(email))
    provider.become(person('somebody@allowed.test'))
    const at = await browser.follow(await browser.start('/link-social'))
    expect(at.searchParams.get('error')).toBe('email_does_not_match')
    expect(await findAccounts(email)).toHaveLength(1)
  })
})

describe('the single sign-on exchange', () => {
  test('uses PKCE, state and nonce, and requests only the identity', async () => {
    const url = new URL(await new SignInBrowser().start())
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'signalbox',
      code_challenge_method: 'S256',
      redirect_uri: CALLBACK,
      state: expect.any(String),
      nonce: expect.any(String),
      scope: 'openid email profile',
    })
  })

  test('signs no one in when it is answered in another browser', async () => {
    provider.become(person('stolen@allowed.test'))
    const victim = new SignInBrowser()
    const callback = await throughProvider(await victim.start())
    const thief = new SignInBrowser()
    const at = await thief.follow(callback).catch(String)
    expect(at instanceof URL ? at.searchParams.get('error') : at).toBe('state_mismatch')
    await expect(thief.caller().projects.mine()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('logs no secret, code or token', async () => {
    expect(logged.join('')).not.toMatch(/oidc-secret|eyJ|code=|access_token/)
  })
})

async function throughProvider(from: string): Promise<string> {
  const browser = new SignInBrowser()
  let url = new URL(from)
  while (url.origin !== ORIGIN) {
    const response = await browser.ask(url)
    url = new URL(response.headers.get('location') ?? '', url)
  }
  return url.href
}

test('Settings describe single sign-on by its issuer, without its secret', async () => {
  const told = await admin.account.singleSignOn()
  expect(told).toEqual([
    {
      id: 'oidc',
      label: 'single sign-on',
      issuer: provider.issuer,
      clientId: 'signalbox',
      callback: CALLBACK,
      allowedDomains: ['allowed.test', 'other.test'],
      defaultRole: 'editor',
      groups: null,
    },
  ])
  expect(await createCaller(createContext(new Headers())).account.ways()).toEqual({
    providers: [{ id: 'oidc', label: 'single sign-on' }],
    passwordReset: false,
  })
})

// Must be the last test, because the provider sends no more id tokens.
test('single sign-on signs no one in when the provider sends no id token', async () => {
  provider.leaveOutIdTokens()
  const email = 'unsigned@allowed.test'
  const { browser, at } = await signsIn(person(email))
  expect(at.searchParams.get('error')).not.toBeNull()
  await expect(browser.caller().members.me()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await findAccounts(email)).toEqual([])
})
