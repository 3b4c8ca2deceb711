import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { handleAuth } from '@/server/http/auth.ts'
import { installed, makePerson, postAuth, type TestProject } from '@/server/test/installation.ts'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'

withTestDatabase()

const MARK = 'mark'
const password = 'correct horse battery'
let project: TestProject

beforeAll(async () => {
  // Same mark that server/platform/auth/client-address.ts would draw at the start.
  Object.assign(globalThis, { signalboxClientMark: MARK })
  project = await installed()
})

beforeEach(async () => {
  await database().prisma.throttle.deleteMany()
})

const from = (address: string, more: Readonly<Record<string, string>> = {}) => ({
  'x-signalbox-client': `${MARK} ${address}`,
  ...more,
})

async function guess(email: string, times: number, headers: (i: number) => HeadersInit) {
  const tries = Array.from({ length: times }, (_, i) =>
    postAuth('/sign-in/email', { email, password: 'wrong password' }, headers(i)),
  )
  return (await Promise.all(tries)).map(({ status }) => status).toSorted()
}

const cookies = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

test('after ten wrong passwords an address is refused for any forwarded header, and others can sign in', async () => {
  const email = await makePerson(project, 'admin')
  const forged = (i: number) => from('10.0.0.1', { 'x-forwarded-for': `10.9.9.${i}` })
  const answers = await guess(email, 12, forged)
  expect(answers).toEqual([...Array<number>(10).fill(401), 429, 429])
  const right = { email, password }
  expect((await postAuth('/sign-in/email', right, from('10.0.0.1'))).status).toBe(429)
  expect((await postAuth('/sign-in/email', right, from('10.0.0.2'))).status).toBe(200)
})

test('a known browser has its own limit of sign-in attempts, for its account only', async () => {
  const [email, other] = [await makePerson(project, 'admin'), await makePerson(project, 'viewer')]
  const right = { email, password }
  const cookie = cookies(await postAuth('/sign-in/email', right, from('10.0.1.1')))
  expect(cookie).toContain('signalbox.device=')
  await guess(email, 11, () => from('10.0.1.1'))
  await guess(other, 11, () => from('10.0.1.1'))
  expect((await postAuth('/sign-in/email', right, from('10.0.1.1', { cookie }))).status).toBe(200)
  const elsewhere = { email: other, password }
  expect((await postAuth('/sign-in/email', elsewhere, from('10.0.1.1', { cookie }))).status).toBe(
    429,
  )
})

test('right passwords are not counted, and the login is recorded with the address of the socket', async () => {
  const email = await makePerson(project, 'viewer')
  for (let i = 0; i < 11; i++) {
    const headers = from('10.0.2.1', { 'x-forwarded-for': '10.9.9.9' })
    const answer = await postAuth('/sign-in/email', { email, password }, headers)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  }
  const logins = await database().prisma.authSession.findMany({ where: { user: { email } } })
  expect(new Set(logins.map(({ ipAddress }) => ipAddress))).toEqual(new Set(['10.0.2.1']))
})

test.each([
  { email: `${'a'.repeat(60_000)}@example.test`, password },
  { email: 'no address', password },
  { email: 'a@example.test', password: 'x'.repeat(200) },
  { email: 'a@example.test', password: 'nul \0 nul' },
  { password },
])('a malformed sign-in is refused and stores nothing (%#)', async (body) => {
  const answer = await postAuth('/sign-in/email', body, from('10.0.3.1'))
  expect(answer.status).toBe(422)
  expect(await database().prisma.throttle.count()).toBe(0)
})

test('data of an account request cannot start a log line or cause a server error', async () => {
  const lines: string[] = []
  const heard = (text: unknown) => lines.push(String(text)) > 0
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(heard)
  const print = vi.spyOn(console, 'error').mockImplementation(heard)
  const callbackURL = '//a\nsignalbox: FORGED log line'
  const email = await makePerson(project, 'viewer')
  const bodies = [
    { email, password, callbackURL },
    { provider: 'oidc', callbackURL },
  ]
  const asked = ['/sign-in/email', '/sign-in/social'].map((path, i) =>
    postAuth(path, bodies[i] ?? {}, from('10.0.4.1')),
  )
  const url = 'http://127.0.0.1:3000/api/auth/callback/oidc?code=x&state=a%0Asignalbox:+FORGED'
  const answers = await Promise.all([...asked, handleAuth(new Request(url))])
  write.mockRestore()
  print.mockRestore()
  expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
  expect(lines.filter((line) => /\n./.test(line))).toEqual([])
})
