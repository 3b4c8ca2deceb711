import { beforeAll, expect, test } from 'vitest'
import { installed, otherProject, type TestProject } from '@/server/test/installation.ts'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Hint } from './hint.ts'
import { notify, subscribe } from './live-bus.ts'

withTestDatabase()

let project: TestProject

beforeAll(async () => {
  project = await installed()
})

/** Reads hints until one matches. */
async function until(hints: AsyncGenerator<Hint>, matches: (hint: Hint) => boolean): Promise<Hint> {
  for await (const hint of hints) if (matches(hint)) return hint
  throw new Error('The hints ended.')
}

function createHint(id: string, seq = 1, of = project): Hint {
  return { project: of.projectId, kind: 'session', id, seq }
}

const send = (hint: Hint) => inTransaction((tx) => notify(tx, hint))

/** Iterates by hand, so that the subscription outlives one search. */
function listening(signal: AbortSignal, of = project) {
  const hints = subscribe(of.projectId, signal)
  const next = async (matches: (hint: Hint) => boolean) => {
    for (;;) {
      const result = await hints.next()
      if (result.done === true) throw new Error('The hints ended.')
      if (matches(result.value)) return result.value
    }
  }
  return { next, end: () => hints.return(undefined) }
}

test('a notification arrives after its commit and not after a rollback', async () => {
  const control = new AbortController()
  const ours = listening(control.signal)
  const heard = ours.next(({ id }) => id === 'sess_kept' || id === 'sess_lost')
  await inTransaction(async (tx) => {
    await notify(tx, createHint('sess_lost'))
    throw new Error('rolled back')
  }).catch(() => undefined)
  // The listening connection may still be on its way up; a hint that is sent before is not kept for anyone.
  const timer = setInterval(() => void send(createHint('sess_kept')), 50)
  expect(await heard).toMatchObject({ id: 'sess_kept' })
  clearInterval(timer)
  control.abort()
  await ours.end()
})

test('another project does not receive it', async () => {
  const control = new AbortController()
  const theirs = await otherProject()
  const strangers = listening(control.signal, theirs)
  const heard = strangers.next(({ kind, id }) => kind === 'session' && id !== undefined)
  await send(createHint('sess_ours'))
  await send(createHint('sess_theirs', 1, theirs))
  expect(await heard).toMatchObject({ id: 'sess_theirs' })
  control.abort()
  await strangers.end()
})

test('a lost connection is reopened, and every subscriber is told to read again', async () => {
  const control = new AbortController()
  const ours = listening(control.signal)
  const again = ours.next(({ id }) => id === undefined)
  await database().pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
  )
  expect((await again).id).toBeUndefined()
  const after = ours.next(({ id }) => id === 'sess_after')
  await send(createHint('sess_after'))
  expect(await after).toMatchObject({ id: 'sess_after' })
  control.abort()
  await ours.end()
})

test('an aborted subscription ends', async () => {
  const control = new AbortController()
  const hints = subscribe(project.projectId, control.signal)
  const rest = until(hints, () => false).catch((error: Error) => error.message)
  control.abort()
  expect(await rest).toBe('The hints ended.')
})
