import type { Diagnostic } from '@signalbox/runtime/base'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { Session } from './session.ts'
import { append, defineEvent, defineSlice, on, replace, replaceLatest, upsertBy } from './slice.ts'

interface Task {
  readonly id: string
  readonly title: string
}

const Note = defineSlice<string>('note')
const Goal = defineSlice<{ readonly text: string }>('goal', { reduce: replaceLatest() })
const Tasks = defineSlice<Task>('task', { reduce: upsertBy(({ id }) => id) })
const Log = defineSlice<number>('log', { kind: 'log' })
const Renamed = defineEvent<Task>('renamed')
const Titles = defineSlice<string>('titles', {
  on: [on(Renamed, (slice, { title }) => replace(...slice.all(), title.toUpperCase()))],
  initial: ['FIRST'],
})

describe('slices of a session', () => {
  test('append every value, replace the last one, or upsert one per key', () => {
    const session = new Session()
    for (const text of ['a', 'b']) {
      session.dispatch(Note(text))
      session.dispatch(Goal({ text }))
    }
    session.dispatch(Tasks({ id: '1', title: 'one' }))
    session.dispatch(Tasks({ id: '2', title: 'two' }))
    session.dispatch(Tasks({ id: '1', title: 'first' }))
    expect(session.slice(Note).all()).toEqual(['a', 'b'])
    expect(session.slice(Goal).all()).toEqual([{ text: 'b' }])
    expect(session.slice(Tasks).all()).toEqual([
      { id: '1', title: 'first' },
      { id: '2', title: 'two' },
    ])
  })

  test('slices of a session have no latest value when empty', () => {
    expect(new Session().slice(Note).latest()).toBeNull()
  })

  test('use where, seed and clear on the content, not through the reducer', () => {
    const notes = new Session().slice(Note)
    notes.seed('a', 'bb', 'cc')
    expect(notes.where((text) => text.length === 2)).toEqual(['bb', 'cc'])
    notes.clear((text) => text === 'bb')
    expect(notes.all()).toEqual(['a', 'cc'])
    notes.clear()
    expect(notes.all()).toEqual([])
  })

  test('read no further back than needed', () => {
    const notes = new Session().slice(Note)
    notes.seed('a', 'bb', 'c', 'dd', 'e')
    expect(notes.recent(2)).toEqual(['dd', 'e'])
    expect(notes.recent(1, (text) => text.length === 2)).toEqual(['dd'])
    expect(notes.recent(9, (text) => text.length === 2)).toEqual(['bb', 'dd'])
    expect(notes.recent(0)).toEqual([])
    const looked: string[] = []
    notes.recent(1, (text) => looked.push(text) > 1)
    expect(looked).toEqual(['e', 'dd'])
  })

  test('react to events of other types, and keep their initial content', () => {
    const session = new Session({ slices: [Titles] })
    session.dispatch(Renamed({ id: '1', title: 'second' }))
    expect(session.slice(Titles).all()).toEqual(['FIRST', 'SECOND'])
  })

  test('return arrays that do not change later', () => {
    const session = new Session()
    session.dispatch(Note('a'))
    const before = session.slice(Note).all()
    session.dispatch(Note('b'))
    expect(before).toEqual(['a'])
  })

  test('store copies that later changes do not affect', () => {
    const session = new Session()
    const goal = { text: 'a' }
    session.dispatch(Goal(goal))
    goal.text = 'b'
    expect(session.slice(Goal).latest()).toEqual({ text: 'a' })
    expect(Object.isFrozen(session.slice(Goal).latest())).toBe(true)
  })

  test.each([
    ['a date', new Date(0)],
    ['a function', () => 1],
    ['not a number', Number.NaN],
    ['undefined in a list', [undefined]],
  ])('refuse %s with the place named', (_, value) => {
    const Anything = defineSlice<unknown>('anything')
    const session = new Session()
    expect(() => session.dispatch(Anything({ deep: [value] }))).toThrow('at /deep/0')
    expect(session.slice(Anything).all()).toEqual([])
  })

  test('refuse a value that refers to itself', () => {
    const loop: { self?: unknown } = {}
    loop.self = loop
    expect(() => new Session().dispatch(defineSlice<unknown>('loop')(loop))).toThrow('itself')
  })

  test('refuse values that their schema rejects, in events and in seeds', () => {
    const Age = defineSlice<number>('age', { schema: z.int().min(0) })
    const session = new Session()
    expect(() => session.dispatch(Age(-1))).toThrow('A value of "age" was refused')
    expect(() => session.slice(Age).seed(1.5)).toThrow('A value of "age" was refused')
    expect(session.slice(Age).all()).toEqual([])
  })

  test('refuse two definitions of one name', () => {
    const session = new Session({ slices: [Note] })
    expect(() => session.slice(defineSlice<number>('note'))).toThrow('Two definitions')
    expect(() => session.dispatch(defineEvent<number>('note')(1))).toThrow('Two definitions')
  })
})

describe('dispatching an event', () => {
  const Both = defineEvent<number>('both')
  const Kept = defineSlice<number>('kept', { on: [on(Both, (_, n) => append(n))] })
  const Picky = defineSlice<number>('picky', {
    on: [
      on(Both, (_, n) => {
        if (n < 0) throw new Error('no negative numbers')
        return append(n)
      }),
    ],
  })

  test('changes no slice when one reducer refuses the event', () => {
    const session = new Session({ slices: [Kept, Picky] })
    expect(() => session.dispatch(Both(-1))).toThrow('no negative numbers')
    session.dispatch(Both(1))
    expect(session.slice(Kept).all()).toEqual([1])
  })

  test('reports a listener that throws or rejects, and runs the others', async () => {
    const reports: Diagnostic[] = []
    const session = new Session({ onDiagnostic: (diagnostic) => reports.push(diagnostic) })
    const heard: string[] = []
    session.subscribe(Note, () => {
      throw new Error('broken')
    })
    session.subscribe(Note, async () => {
      throw new Error('late')
    })
    const end = session.subscribe(Note, (text) => heard.push(text))
    session.dispatch(Note('a'))
    end()
    session.dispatch(Note('b'))
    await Promise.resolve()
    expect(heard).toEqual(['a'])
    expect(session.slice(Note).all()).toEqual(['a', 'b'])
    expect(reports.map(({ message }) => message)).toContain('A listener of "note" failed: broken')
    expect(reports.map(({ message }) => message)).toContain('A listener of "note" failed: late')
  })

  test('notifies an observer of every change of its slice, with the latest value', () => {
    const session = new Session()
    const seen: (string | null)[] = []
    session.observe(Note, (latest) => seen.push(latest))
    session.dispatch(Note('a'))
    session.dispatch(Goal({ text: 'x' }))
    session.slice(Note).clear()
    expect(seen).toEqual(['a', null])
  })

  test('throws when a reducer does it', () => {
    const session = new Session()
    const Nested = defineSlice<number>('nested', {
      reduce: (_, n) => {
        session.dispatch(Note('from inside'))
        return append(n)
      },
    })
    expect(() => session.dispatch(Nested(1))).toThrow('A reducer must not change the session')
  })
})

describe('snapshots of a session', () => {
  function filled(): Session {
    const session = new Session({ slices: [Titles] })
    session.dispatch(Note('a'))
    session.dispatch(Log(1))
    return session
  }

  test('restore state slices and keep logs', () => {
    const session = filled()
    const snapshot: unknown = JSON.parse(JSON.stringify(session.snapshot()))
    session.dispatch(Note('b'))
    session.dispatch(Log(2))
    session.dispatch(Goal({ text: 'later' }))
    session.restore(snapshot)
    expect(session.slice(Note).all()).toEqual(['a'])
    expect(session.slice(Goal).all()).toEqual([])
    expect(session.slice(Log).all()).toEqual([1, 2])
  })

  test('restore logs on request', () => {
    const session = filled()
    const snapshot = session.snapshot({ logs: true })
    session.dispatch(Log(2))
    session.restore(snapshot, { logs: true })
    expect(session.slice(Log).all()).toEqual([1])
    expect(() => session.restore(session.snapshot(), { logs: true })).toThrow('no log slices')
  })

  test.each([
    ['another version', { v: 2, session: 'x', logs: false, slices: {} }, 'not a snapshot'],
    ['text that is not a snapshot', 'text', 'not a snapshot'],
    ['an unknown slice', { v: 1, session: 'x', logs: false, slices: { odd: [] } }, '"odd"'],
    ['an invalid value', { v: 1, session: 'x', logs: false, slices: { age: [-1] } }, 'age'],
  ])('refuse %s and change nothing', (_, snapshot, message) => {
    const session = filled()
    session.slice(defineSlice<number>('age', { schema: z.int().min(0) }))
    expect(() => session.restore(snapshot)).toThrow(message)
    expect(session.slice(Note).all()).toEqual(['a'])
  })

  test('a reset gives every slice its initial content', () => {
    const session = filled()
    session.slice(Titles).seed('OTHER')
    session.reset()
    expect(session.snapshot({ logs: true }).slices).toEqual({
      titles: ['FIRST'],
      note: [],
      log: [],
    })
  })

  test('a clone is independent', () => {
    const session = filled()
    const clone = session.clone()
    clone.dispatch(Note('b'))
    session.dispatch(Note('c'))
    expect(session.slice(Note).all()).toEqual(['a', 'c'])
    expect(clone.slice(Note).all()).toEqual(['a', 'b'])
    expect(clone.slice(Log).all()).toEqual([1])
    expect(clone.id).not.toBe(session.id)
  })

  test('a child knows its parent, a parent knows its children, and their slices are separate', () => {
    const parent = new Session()
    const child = new Session({ parent })
    child.dispatch(Note('a'))
    expect(child.parent).toBe(parent)
    expect(parent.children).toEqual([child])
    expect(parent.slice(Note).all()).toEqual([])
  })
})
