// Endpoints that the console does not use are answered with 404, even after an update of the library. A user of another project calls each
// available one with all data of the victim that this user could know.
import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '@/server/platform/auth/auth.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { otherProject, type TestProject } from '@/server/test/installation.ts'
import { makeTenant, newPerson, type Tenant } from '@/server/test/tenant.ts'
import { collectWords, fingerprintRows, tracesIn } from '@/server/test/traces.ts'
import { AUTH_ENDPOINTS, handleAuth } from './auth.ts'

withTestDatabase()

const PATHS = [
  'GET /account-info',
  'GET /callback/:id',
  'GET /delete-user/callback',
  'GET /error',
  'GET /get-session',
  'GET /list-accounts',
  'GET /list-sessions',
  'GET /ok',
  'GET /reset-password/:token',
  'GET /verify-email',
  'POST /callback/:id',
  'POST /change-email',
  'POST /change-password',
  'POST /delete-user',
  'POST /get-access-token',
  'POST /get-session',
  'POST /link-social',
  'POST /refresh-token',
  'POST /request-password-reset',
  'POST /reset-password',
  'POST /revoke-other-sessions',
  'POST /revoke-session',
  'POST /revoke-sessions',
  'POST /send-verification-email',
  'POST /sign-in/email',
  'POST /sign-in/social',
  'POST /sign-out',
  'POST /sign-up/email',
  'POST /unlink-account',
  'POST /update-session',
  'POST /update-user',
  'POST /verify-password',
]

const OPEN = Object.keys(AUTH_ENDPOINTS)
const CLOSED = PATHS.filter((route) => !OPEN.includes(route))

let victim: Tenant
let elsewhere: TestProject
let token: string

beforeAll(async () => {
  victim = await makeTenant(await otherProject(), 'kestrel')
  elsewhere = await otherProject()
  const { userId } = victim.people.admin
  token = (await database().prisma.authSession.findFirstOrThrow({ where: { userId } })).token
})

function paths(): readonly string[] {
  return (
    Object.values(auth().api)
      // Endpoints without a path are for the server's own use.
      .filter(({ path }) => path !== undefined)
      .flatMap(({ path, options }) => [options.method].flat().map((method) => `${method} ${path}`))
      .toSorted()
  )
}

function ask(route: string, headers: Headers): Promise<Response> {
  const [method = '', path = ''] = route.split(' ')
  const { userId, email } = victim.people.admin
  const known = { token, userId, email, id: userId, providerId: 'credential', accountId: userId }
  const body = JSON.stringify({
    ...known,
    newEmail: email,
    name: 'taken',
    password: 'x',
    newPassword: 'a long one',
  })
  const url = new URL(`http://127.0.0.1:3000/api/auth${path.replace(/:\w+/, userId)}`)
  for (const [name, value] of Object.entries(known)) url.searchParams.set(name, value)
  const sent = new Headers(headers)
  sent.set('origin', 'http://127.0.0.1:3000')
  sent.set('content-type', 'application/json')
  sent.set('content-length', String(Buffer.byteLength(body)))
  return handleAuth(
    new Request(url, { method, headers: sent, ...(method === 'GET' ? {} : { body }) }),
  )
}

describe('account endpoints', () => {
  test('the authentication library has exactly these endpoints, including the enabled ones', () => {
    expect(paths()).toEqual(PATHS)
    expect(OPEN.filter((route) => !PATHS.includes(route))).toEqual([])
  })

  test('endpoints that the console does not use are not served', async () => {
    const { headers } = victim.people.admin
    for (const route of [...CLOSED, 'GET ', 'POST /sign-in/email/', 'PUT /sign-out']) {
      const answer = await ask(route, headers)
      expect([route, answer.status]).toEqual([route, 404])
    }
  })

  test.each(OPEN)('%s reads and changes nothing of another user', async (route) => {
    const before = await fingerprintRows(victim.project.projectId)
    const words = await collectWords(victim)
    // An id in the address may come back in a redirection.
    const sent = route.includes(':') ? victim.people.admin.userId : ''
    const stranger = await newPerson(elsewhere, 'admin')
    for (const headers of [stranger.headers, new Headers()]) {
      const answer = await ask(route, headers)
      const text = `${[...answer.headers].join('\n')}\n${await answer.text()}`
      expect(answer.status, text).toBeLessThan(500)
      expect(tracesIn(text, { words, sent }), text).toEqual([])
    }
    expect(await fingerprintRows(victim.project.projectId)).toEqual(before)
  })
})
