import { assertType, expectTypeOf, test } from 'vitest'
import {
  append,
  defineEvent,
  defineSlice,
  on,
  Plan,
  Session,
  type SliceView,
  upsertBy,
} from '../index.ts'

interface Task {
  readonly id: string
  readonly done: boolean
}

const Done = defineEvent<{ readonly id: string }>('done')
const Tasks = defineSlice<Task>('tasks', {
  reduce: upsertBy(({ id }) => id),
  on: [on(Done, (_: SliceView<Task>, { id }) => append({ id, done: true }))],
})
const session = new Session({ slices: [Tasks] })

test('a slice returns values of its definition', () => {
  expectTypeOf(session.slice(Tasks).latest()).toEqualTypeOf<Task | null>()
  expectTypeOf(session.slice(Tasks).all()).toEqualTypeOf<readonly Task[]>()
  expectTypeOf(session.slice(Plan).latest()).toEqualTypeOf<Plan | null>()
})

test('an event is created with the data of its type', () => {
  session.dispatch(Done({ id: '1' }))
  session.dispatch(Tasks({ id: '1', done: false }))
  // @ts-expect-error an id is not a number
  assertType(Done({ id: 1 }))
  // @ts-expect-error a task must have `done`
  assertType(Tasks({ id: '1' }))
})

test('a reducer can only add values of the type of its slice', () => {
  assertType(
    defineSlice<Task>('wrong', {
      // @ts-expect-error the slice holds tasks
      on: [on(Done, (_: SliceView<string>, { id }) => append(id))],
    }),
  )
})

test('a listener gets the data of its event', () => {
  session.subscribe(Done, (data) => expectTypeOf(data).toEqualTypeOf<{ readonly id: string }>())
  session.observe(Tasks, (latest) => expectTypeOf(latest).toEqualTypeOf<Task | null>())
})
