import { beforeAll, expect, test } from 'vitest'
import {
  createProjectCaller,
  installed,
  makePerson,
  signedIn,
  type TestProject,
} from '@/server/test/installation.ts'
import { createCaller } from '@/server/trpc/root.ts'
import { database } from '../db/client.ts'
import { withTestDatabase } from '../db/test-database.ts'
import { inTransaction } from '../db/transaction.ts'
import { createContext } from '../trpc/context.ts'
import { notify, subscribe } from './live-bus.ts'

withTestDatabase()

let project: TestProject

beforeAll(async () => {
  project = await installed()
  // Until the listening connection is up, notifications are lost.
  const control = new AbortController()
  const notifications = subscribe(project.projectId, control.signal)
  const timer = setInterval(() => void notification(), 50)
  await notifications.next()
  clearInterval(timer)
  control.abort()
})

const notification = () =>
  inTransaction((tx) => notify(tx, { project: project.projectId, kind: 'view' }))

async function viewer() {
  const email = await makePerson(project, 'viewer')
  const { id } = await database().prisma.user.findUniqueOrThrow({ where: { email } })
  return { email, id, caller: createCaller(createContext(await signedIn(email))) }
}

async function ended(notifications: AsyncIterable<unknown>): Promise<'ended'> {
  for await (const _ of notifications);
  return 'ended'
}

test("a member's open streams end when the member is removed or changes role", async () => {
  const admin = await createProjectCaller(project, 'admin')
  const { email, id, caller } = await viewer()
  const first = ended(await caller.live.notifications())
  await admin.members.setRole({ userId: id, role: 'editor', publishIn: null })
  expect(await first).toBe('ended')
  const second = ended(await caller.live.notifications())
  await admin.members.remove({ userId: id, typedEmail: email })
  expect(await second).toBe('ended')
})

test('a user can have 20 live streams, the next is refused, and an ended stream makes room', async () => {
  const { caller } = await viewer()
  const other = await viewer()
  const streams = await Promise.all(Array.from({ length: 20 }, () => caller.live.notifications()))
  await expect(caller.live.notifications()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  await expect(other.caller.live.notifications()).resolves.toBeDefined()
  const [one] = streams
  const iterator = one?.[Symbol.asyncIterator]()
  const reading = iterator?.next()
  await notification()
  await reading
  await iterator?.return?.()
  await expect(caller.live.notifications()).resolves.toBeDefined()
})
