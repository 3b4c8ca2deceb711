import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { env } from '@/server/platform/base/env.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { type MailServer, sendByServer } from '@/server/platform/mail.ts'
import { enqueue } from '@/server/platform/queue/enqueue.ts'
import { createProjectCaller, installed } from '@/server/test/installation.ts'
import { workOffJobs } from '@/server/test/jobs.ts'

interface Letter {
  readonly to: readonly string[]
  readonly head: string
  readonly body: string
}

const letters: Letter[] = []
/** Answer of the server to a recipient; null: it accepts the letter. */
let answer: { readonly status: number; readonly text: string } | null = null
let failsAfterwards = false

const quiet: SMTPServerOptions = { authOptional: true, logger: false, disableReverseLookup: true }
const server = new SMTPServer({
  ...quiet,
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo(_address, _session, done) {
    if (answer === null) return done()
    done(Object.assign(new Error(answer.text), { responseCode: answer.status }))
  },
  onData(stream, session, done) {
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    stream.on('end', () => {
      const end = text.indexOf('\r\n\r\n')
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const head = text.slice(0, end).replace(/\r\n[ \t]+/g, ' ')
      letters.push({ to, head, body: text.slice(end).replace(/=\r\n/g, '').replace(/=3D/g, '=') })
      done(failsAfterwards ? Object.assign(new Error('Disk full'), { responseCode: 452 }) : null)
    })
  },
})

async function listenOnPort(one: SMTPServer): Promise<number> {
  const listening = one.listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => listening.once('listening', () => resolve()))
  // `listen` on a TCP port, so that the address is never a path.
  return (listening.address() as AddressInfo).port
}

vi.stubEnv('SIGNALBOX_SMTP_URL', `smtp://127.0.0.1:${await listenOnPort(server)}`)
vi.stubEnv('SIGNALBOX_MAIL_FROM', 'Signalbox <alerts@console.example>')
vi.stubEnv('SIGNALBOX_SMTP_TLS', 'off')
withTestDatabase()

let project: Awaited<ReturnType<typeof installed>>
let admin: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  project = await installed()
  admin = await createProjectCaller(project, 'admin')
})
beforeEach(async () => {
  await database().prisma.alertRule.deleteMany()
  letters.length = 0
  answer = null
  failsAfterwards = false
})
afterAll(() => new Promise<void>((resolve) => server.close(resolve)))

const RULE = {
  signal: 'lost_sessions' as const,
  environment: null,
  ns: null,
  key: null,
  code: null,
  windowMinutes: 15,
  threshold: 1,
  destinations: [{ kind: 'email' as const, url: 'mailto:team@example.com' }],
}

async function fired(name: string, reason: string): Promise<string> {
  const { id: ruleId } = await admin.alerts.create({ ...RULE, name })
  // The evaluation of a new rule would find nothing, and resolve the alert.
  await workOffJobs()
  await inTransaction(async (tx) => {
    const alert = await tx.alert.create({
      data: {
        id: `alr_${ruleId}`,
        projectId: project.projectId,
        ruleId,
        scope: 'dev team/agent',
        firing: true,
        value: 3,
        threshold: 1,
        reason,
        evidence: '/stops/stop_1',
      },
    })
    const deliveryId = `dlv_${ruleId}`
    await tx.alertDelivery.create({
      data: {
        id: deliveryId,
        projectId: project.projectId,
        alertId: alert.id,
        event: 'firing',
        kind: 'email',
        url: 'mailto:team@example.com',
      },
    })
    await enqueue(tx, { task: 'alerts.deliver', payload: { deliveryId }, maxAttempts: 8 })
  })
  await workOffJobs()
  return ruleId
}

const told = async (ruleId: string) => {
  const { rows } = await admin.alerts.list({ filter: {} })
  return rows.find((alert) => alert.ruleId === ruleId)?.deliveries
}

describe('an alert by email', () => {
  test('starts with the reason and links to it, in plain text and in HTML', async () => {
    const rule = await fired('Stuck <b>agents</b>', '2 of 5 plan steps are not done.')
    const [letter, ...others] = letters
    expect(others).toEqual([])
    expect(letter?.to).toEqual(['team@example.com'])
    expect(letter?.head).toMatch(/^Subject: Alert: 2 of 5 plan steps are not done\./m)
    expect(letter?.head).toContain('From: Signalbox <alerts@console.example>')
    expect(letter?.body.split('2 of 5 plan steps are not done.')).toHaveLength(3)
    expect(letter?.body).toContain(`href="${env().SIGNALBOX_URL}/stops/stop_1"`)
    expect(letter?.body).toContain('Stuck &lt;b&gt;agents&lt;/b&gt;')
    expect(await told(rule)).toMatchObject([
      { kind: 'email', to: 'team@example.com', attempts: 1, last: 'delivered' },
    ])
  })

  test('an alert by email cannot get a header injected by a name or a reason', async () => {
    await fired('Rule\r\nBcc: thief@example.com', 'Read\r\n\r\nthis\u2028now.')
    expect(letters).toHaveLength(1)
    expect(letters[0]?.to).toEqual(['team@example.com'])
    expect(letters[0]?.head).not.toMatch(/^Bcc:/im)
    expect(letters[0]?.head).toMatch(/^Subject: .*Read this now.*Rule Bcc: thief/m)
  })

  test('an alert by email is not sent again after a permanent refusal, whose reason is stored', async () => {
    answer = { status: 550, text: 'No such mailbox' }
    const rule = await fired('Refused', 'Why.')
    const [delivery] = (await told(rule)) ?? []
    expect(delivery).toMatchObject({ attempts: 1, deliveredAt: null })
    expect(delivery?.failedAt).not.toBeNull()
    expect(delivery?.last).toContain('550 No such mailbox')
    expect((await database().pool.query('SELECT 1 FROM graphile_worker.jobs')).rowCount).toBe(0)
  })

  test('an alert by email is sent again after a temporary refusal, with a message id from its delivery', async () => {
    answer = { status: 451, text: 'Later' }
    const rule = await fired('Later', 'Why.')
    expect(await told(rule)).toMatchObject([{ attempts: 1, failedAt: null, deliveredAt: null }])
    answer = null
    await database().pool.query('UPDATE graphile_worker._private_jobs SET run_at = now()')
    await workOffJobs()
    expect(await told(rule)).toMatchObject([{ attempts: 2, last: 'delivered' }])
    expect(letters[0]?.head).toContain(`Message-ID: <dlv_${rule}@`)
  })

  test('an alert by email has the same message id when it is sent again, because the server may have kept the first letter', async () => {
    failsAfterwards = true
    const rule = await fired('Twice', 'Why.')
    expect(await told(rule)).toMatchObject([{ attempts: 1, failedAt: null, deliveredAt: null }])
    failsAfterwards = false
    await database().pool.query('UPDATE graphile_worker._private_jobs SET run_at = now()')
    await workOffJobs()
    expect(await told(rule)).toMatchObject([{ attempts: 2, last: 'delivered' }])
    const ids = letters.map(({ head }) => /^Message-ID: .*$/im.exec(head)?.[0])
    expect(ids).toEqual([expect.stringContaining(`<dlv_${rule}@`), ids[0]])
  })

  test('an alert by email is tried by "Send a test", which reports the refusal of the mail server', async () => {
    const { id } = await admin.alerts.create({ ...RULE, name: 'Tried' })
    const place = { kind: 'email', to: 'team@example.com' }
    expect(await admin.alerts.test({ id })).toEqual([{ ...place, why: null }])
    expect(letters[0]?.head).toContain('Subject: Test: ')
    answer = { status: 550, text: 'No such mailbox' }
    expect(await admin.alerts.test({ id })).toMatchObject([
      { ...place, why: expect.stringContaining('No such mailbox') },
    ])
  })
})

test.each([
  'mailto:a@b.example, c@d.example',
  'mailto:a@b.example\r\nBcc: c@d.example',
  'a@b.example',
])('an alert rule with the email address %j is refused', async (url) => {
  const destinations = [{ kind: 'email' as const, url }]
  await expect(admin.alerts.create({ ...RULE, name: 'Bad', destinations })).rejects.toThrow(
    'one email address',
  )
})

describe('a mail server', () => {
  const MAIL = {
    to: 'team@example.com',
    subject: 'S',
    text: 'T',
    html: '<p>T</p>',
    id: 'dlv_1',
    thread: 'alr_1',
  }

  async function refusalFrom(options: SMTPServerOptions, tls: MailServer['tls']) {
    const taken: string[] = []
    const other = new SMTPServer({
      ...quiet,
      ...options,
      onAuth: ({ password }, _session, done) => {
        taken.push(password ?? '')
        done(new Error('Wrong password'))
      },
      onMailFrom: (_address, _session, done) => {
        taken.push('a letter')
        done()
      },
    })
    // The server reports an error when the client closes the connection.
    other.on('error', () => undefined)
    onTestFinished(() => new Promise<void>((resolve) => other.close(resolve)))
    const url = `smtp://ana:open-sesame@127.0.0.1:${await listenOnPort(other)}`
    const why = await sendByServer(MAIL, { url, from: 'alerts@console.example', tls }).then(
      () => null,
      (error: Error) => error.message,
    )
    return { why, taken }
  }

  test.each([
    ['without TLS', { disabledCommands: ['STARTTLS'] }],
    ['with an untrusted certificate', {}],
  ])('%s receives neither password nor letter when TLS is required', async (_, options) => {
    const { why, taken } = await refusalFrom(options, 'required')
    expect(why).toContain('could not be made secure')
    expect(taken).toEqual([])
  })

  test('that refuses the login is reported without the password', async () => {
    const options = { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }
    const { why, taken } = await refusalFrom(options, 'off')
    expect(taken).toEqual(['open-sesame'])
    expect(why).toBe('The mail server refused the login (535).')
  })
})

describe('an invitation by email', () => {
  const invite = (email: string) => admin.invitations.create({ email, role: 'viewer' })

  test('sends the link to the invited address, and returns it to the author as well', async () => {
    const { link, mail } = await invite('New.Person@example.com')
    expect(mail).toEqual({ state: 'sent' })
    const [letter, ...others] = letters
    expect(others).toEqual([])
    expect(letter?.to).toEqual(['new.person@example.com'])
    expect(letter?.head).toMatch(/^Subject: A admin invites you to /m)
    expect(letter?.body.split(link)).toHaveLength(3)
    expect(letter?.head).not.toContain(new URL(link).searchParams.get('token'))
  })

  test('an invitation by email stays valid when the mail server refuses the message, and reports the reason without the link', async () => {
    answer = { status: 550, text: 'No such mailbox' }
    const { id, link, mail } = await invite('nobody@example.com')
    expect(mail).toMatchObject({ state: 'failed', why: expect.stringContaining('550') })
    expect(JSON.stringify(mail)).not.toContain(new URL(link).searchParams.get('token'))
    expect(await admin.invitations.list()).toContainEqual(
      expect.objectContaining({ id, state: 'pending' }),
    )
  })
})
