import { assertType, expectTypeOf, test } from 'vitest'
import * as z from 'zod/v4'
import {
  type HandleContext,
  InMemoryMailbox,
  type LoopReply,
  MainLoop,
  type Message,
} from './index.ts'

interface Task {
  readonly path: string
}

declare const tasks: InMemoryMailbox<Task, LoopReply<number>>
declare const replies: InMemoryMailbox<LoopReply<number>>
declare const texts: InMemoryMailbox<string>
declare const context: HandleContext

test('a mailbox accepts its own bodies and addresses for its replies', () => {
  assertType<Promise<string>>(tasks.send({ path: 'a' }, { replyTo: replies }))
  // @ts-expect-error a task is not a string
  assertType(tasks.send('a'))
  // @ts-expect-error strings are not replies to tasks
  assertType(tasks.send({ path: 'a' }, { replyTo: texts }))
  expectTypeOf(tasks.receive).returns.resolves.toEqualTypeOf<
    readonly Message<Task, LoopReply<number>>[]
  >()
})

test('the body of a received message is the output of the schema', () => {
  const schema = z.object({ at: z.string().transform(Number) })
  const mailbox = new InMemoryMailbox({ name: 'timed', schema })
  expectTypeOf(mailbox.receive).returns.resolves.items.toHaveProperty('body')
  expectTypeOf<Awaited<ReturnType<typeof mailbox.receive>>[number]['body']>().toEqualTypeOf<{
    at: number
  }>()
})

test('a handler of a main loop gets the body and returns the reply', () => {
  assertType(new MainLoop({ mailbox: tasks, handle: async ({ path }) => path.length }))
  // @ts-expect-error replies of the mailbox are numbers
  assertType(new MainLoop({ mailbox: tasks, handle: async ({ path }) => path }))
})

test('a handler of a main loop cannot settle its message', () => {
  expectTypeOf(context.message).not.toHaveProperty('acknowledge')
  expectTypeOf(context.message).not.toHaveProperty('nack')
})
