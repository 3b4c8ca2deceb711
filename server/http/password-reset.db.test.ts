import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { resetAll } from '@/server/platform/base/process-memory.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { installed, makePerson, postAuth, type TestProject } from '@/server/test/installation.ts'

interface Letter {
  readonly to: readonly string[]
  readonly text: string
}

const letters: Letter[] = []
const server = new SMTPServer({
  authOptional: true,
  logger: false,
  disableReverseLookup: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onData(stream, session, done) {
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    stream.on('end', () => {
      const to = session.envelope.rcptTo.map(({ address }) => address)
      letters.push({ to, text: text.replace(/=\r\n/g, '').replace(/=3D/g, '=') })
      done()
    })
  },
})
const listening = server.listen(0, '127.0.0.1')
await new Promise<void>((resolve) => listening.once('listening', () => resolve()))
// `listen` on a TCP port, so that the address is never a path.
const { port } = listening.address() as AddressInfo

const MARK = 'mark'
vi.stubEnv('SIGNALBOX_SMTP_URL', `smtp://127.0.0.1:${port}`)
vi.stubEnv('SIGNALBOX_MAIL_FROM', 'Signalbox <alerts@console.example>')
vi.stubEnv('SIGNALBOX_SMTP_TLS', 'off')
withTestDatabase()

let project: TestProject

beforeAll(async () => {
  // Same mark that server/platform/auth/client-address.ts would draw at the start.
  Object.assign(globalThis, { signalboxClientMark: MARK })
  project = await installed()
})
beforeEach(async () => {
  letters.length = 0
  await database().prisma.throttle.deleteMany()
})
afterAll(() => new Promise<void>((resolve) => server.close(resolve)))

const from = (address: string) => ({ 'x-signalbox-client': `${MARK} ${address}` })

async function ask(email: string, address = '10.0.0.1') {
  const response = await postAuth('/request-password-reset', { email }, from(address))
  return { status: response.status, text: await response.text() }
}

async function sentToken(): Promise<string> {
  await vi.waitUntil(() => letters.length > 0, { timeout: 10_000, interval: 20 })
  const [, token = ''] = /\/reset\?token=(\w+)/.exec(letters[0]?.text ?? '') ?? []
  return token
}

const set = async (token: string, newPassword: string) =>
  (await postAuth('/reset-password', { token, newPassword }, from('10.0.0.1'))).status

const signIn = async (email: string, password: string) =>
  (await postAuth('/sign-in/email', { email, password }, from('10.0.0.1'))).status

async function newAccount() {
  const email = await makePerson(project, 'viewer')
  const user = await database().prisma.user.findUniqueOrThrow({ where: { email } })
  return { email, userId: user.id }
}

test('the link sets a new password once, ends every login, and is stored as a digest', async () => {
  const { email, userId } = await newAccount()
  await signIn(email, 'correct horse battery')
  expect(await database().prisma.authSession.count({ where: { userId } })).toBe(1)
  expect((await ask(email.toUpperCase())).status).toBe(200)
  const token = await sentToken()
  expect(letters[0]?.to).toEqual([email])
  const stored = await database().prisma.authVerification.findMany()
  expect(JSON.stringify(stored)).not.toContain(token)
  const [row] = stored.filter(({ value }) => value === userId)
  expect((row?.expiresAt.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(30 * 60_000)

  expect(await set(token, 'short')).toBe(400)
  expect(await set(token, 'another long password')).toBe(200)
  expect(await set(token, 'a third long password')).toBe(400)
  expect(await database().prisma.authSession.count({ where: { userId } })).toBe(0)
  expect(await signIn(email, 'correct horse battery')).toBe(401)
  expect(await signIn(email, 'another long password')).toBe(200)
})

test('a new password by one link ends the links before it', async () => {
  const { email } = await newAccount()
  await ask(email)
  const earlier = await sentToken()
  letters.length = 0
  await ask(email)
  expect(await set(await sentToken(), 'another long password')).toBe(200)
  expect(await set(earlier, 'a third long password')).toBe(400)
  expect(await signIn(email, 'another long password')).toBe(200)
})

test('the answer is the same without an account, without a password, and after too many links; then nothing is sent', async () => {
  const { email } = await newAccount()
  const single = await newAccount()
  await database().prisma.authAccount.deleteMany({ where: { userId: single.userId } })
  const known = await ask(email)
  expect(await ask('nobody@example.test')).toEqual(known)
  expect(await ask(single.email)).toEqual(known)
  for (let more = 0; more < 4; more++) expect(await ask(email)).toEqual(known)
  await vi.waitUntil(() => letters.length === 3, { timeout: 10_000, interval: 20 })
  expect(new Set(letters.flatMap(({ to }) => to))).toEqual(new Set([email]))
})

test('a new password is in the audit log of each project with the user and the address of the request, but not the link; a request is not', async () => {
  const { email, userId } = await newAccount()
  await ask(email)
  const token = await sentToken()
  const entries = () => database().prisma.auditEntry.findMany({ where: { target: userId } })
  expect(await entries()).toEqual([])
  expect(await set(token, 'another long password')).toBe(200)
  expect(await entries()).toMatchObject([
    {
      ...{ action: 'member.password_reset', projectId: project.projectId, actorId: userId },
      ...{ actor: 'A viewer', after: { email }, origin: '10.0.0.1' },
    },
  ])
  expect(JSON.stringify(await entries())).not.toContain(token)
})

test('a stranger who asks for links cannot stop those of the user, and every link sent before still works', async () => {
  const { email } = await newAccount()
  for (let more = 0; more < 6; more++) await ask(email, '10.0.0.66')
  await vi.waitUntil(() => letters.length === 3, { timeout: 10_000, interval: 20 })
  const earlier = await sentToken()
  await ask(email, '10.0.0.1')
  await vi.waitUntil(() => letters.length === 4, { timeout: 10_000, interval: 20 })
  for (let more = 0; more < 12; more++) {
    expect((await ask(email, `10.0.1.${more}`)).status).toBe(200)
  }
  await vi.waitUntil(() => letters.length === 12, { timeout: 10_000, interval: 20 })
  expect(await set(earlier, 'another long password')).toBe(200)
})

test('the answer does not wait for the look-up of the account', async () => {
  const { email } = await newAccount()
  let release = () => {}
  let locked: Promise<void> = Promise.resolve()
  await new Promise<void>((hold, fail) => {
    locked = database().prisma.$transaction(
      async (tx) => {
        await tx.$executeRaw`LOCK TABLE users, auth_verifications IN ACCESS EXCLUSIVE MODE`
        await new Promise<void>((resolve) => {
          release = resolve
          hold()
        })
      },
      { timeout: 60_000 },
    )
    locked.catch(fail)
  })
  try {
    expect((await ask(email)).status).toBe(200)
    expect((await ask('nobody@example.test')).status).toBe(200)
  } finally {
    release()
    await locked
  }
  expect(await sentToken()).not.toBe('')
})

test('links that are being sent are waited for before their database is left', async () => {
  const { email } = await newAccount()
  await ask(email)
  await resetAll()
  expect(letters).toHaveLength(1)
})

test('an expired link is refused, and so are more than ten requests of an address a minute', async () => {
  const { email } = await newAccount()
  await ask(email)
  const token = await sentToken()
  await database().prisma.authVerification.updateMany({ data: { expiresAt: new Date(0) } })
  expect(await set(token, 'another long password')).toBe(400)
  const statuses = []
  for (let more = 0; more < 9; more++) statuses.push((await ask(`n${more}@example.test`)).status)
  expect(statuses).toEqual([...Array<number>(8).fill(200), 429])
  expect((await ask(email, '10.0.0.2')).status).toBe(200)
})
