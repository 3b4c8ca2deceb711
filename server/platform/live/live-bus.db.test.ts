import { beforeAll, expect, test } from 'vitest'
import { installed, otherProject, type TestProject } from '@/server/test/installation.ts'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { inTransaction } from '../db/transaction.ts'
import type { ChangeNotification } from './change-notification.ts'
import { notify, subscribe } from './live-bus.ts'

withTestDatabase()

let project: TestProject

beforeAll(async () => {
  project = await installed()
})

async function until(
  notifications: AsyncGenerator<ChangeNotification>,
  matches: (notification: ChangeNotification) => boolean,
): Promise<ChangeNotification> {
  for await (const notification of notifications) if (matches(notification)) return notification
  throw new Error('The notifications ended.')
}

function createNotification(id: string, seq = 1, of = project): ChangeNotification {
  return { project: of.projectId, kind: 'session', id, seq }
}

const send = (notification: ChangeNotification) => inTransaction((tx) => notify(tx, notification))

/** Iterates by hand, so that the subscription outlives one search. */
function listening(signal: AbortSignal, of = project) {
  const notifications = subscribe(of.projectId, signal)
  const next = async (matches: (notification: ChangeNotification) => boolean) => {
    for (;;) {
      const result = await notifications.next()
      if (result.done === true) throw new Error('The notifications ended.')
      if (matches(result.value)) return result.value
    }
  }
  return { next, end: () => notifications.return(undefined) }
}

test('a notification arrives after the commit, and not after a rollback', async () => {
  const control = new AbortController()
  const ours = listening(control.signal)
  const heard = ours.next(({ id }) => id === 'sess_kept' || id === 'sess_lost')
  await inTransaction(async (tx) => {
    await notify(tx, createNotification('sess_lost'))
    throw new Error('rolled back')
  }).catch(() => undefined)
  // The listening connection may not be up yet; an earlier notification is not stored for later listeners.
  const timer = setInterval(() => void send(createNotification('sess_kept')), 50)
  expect(await heard).toMatchObject({ id: 'sess_kept' })
  clearInterval(timer)
  control.abort()
  await ours.end()
})

test('a notification does not reach another project', async () => {
  const control = new AbortController()
  const theirs = await otherProject()
  const strangers = listening(control.signal, theirs)
  const heard = strangers.next(({ kind, id }) => kind === 'session' && id !== undefined)
  await send(createNotification('sess_ours'))
  await send(createNotification('sess_theirs', 1, theirs))
  expect(await heard).toMatchObject({ id: 'sess_theirs' })
  control.abort()
  await strangers.end()
})

test('a lost connection is reopened, and every subscriber is notified to read again', async () => {
  const control = new AbortController()
  const ours = listening(control.signal)
  const again = ours.next(({ id }) => id === undefined)
  await database().pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
  )
  expect((await again).id).toBeUndefined()
  const after = ours.next(({ id }) => id === 'sess_after')
  await send(createNotification('sess_after'))
  expect(await after).toMatchObject({ id: 'sess_after' })
  control.abort()
  await ours.end()
})

test('an aborted subscription to notifications ends', async () => {
  const control = new AbortController()
  const notifications = subscribe(project.projectId, control.signal)
  const rest = until(notifications, () => false).catch((error: Error) => error.message)
  control.abort()
  expect(await rest).toBe('The notifications ended.')
})
