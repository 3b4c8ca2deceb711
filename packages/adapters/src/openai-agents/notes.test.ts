import type { AgentInputItem } from '@openai/agents'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answeredIn, Notes } from './notes.ts'

const callItem = (callId: string): AgentInputItem => ({
  type: 'function_call',
  callId,
  name: 'lint',
  arguments: '{}',
})
const resultItem = (callId: string): AgentInputItem => ({
  type: 'function_call_result',
  callId,
  name: 'lint',
  status: 'completed',
  output: 'ok',
})
const said = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content })

/** One flag per call of a turn: true when a text follows it. */
const turn = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 })

test('notes keep every item that the model has read, and each request only adds to them', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 5 }), (turns) => {
      const notes = new Notes()
      const history: AgentInputItem[] = [said('Work.')]
      let read: unknown[] = []
      for (const [index, calls] of turns.entries()) {
        const ids = calls.map((_, at) => `${index}.${at}`)
        const noted = ids.filter((_, at) => calls[at])
        const turnItems = [...ids.map(callItem), ...ids.map(resultItem)]
        history.push(...turnItems)
        for (const id of noted) notes.add(id, `after ${id}`)
        const next = [...notes.in(history)]
        expect(next.slice(0, read.length)).toEqual(read)
        expect(next.slice(read.length)).toEqual([
          ...(index === 0 ? [said('Work.')] : []),
          ...turnItems,
          ...noted.map((id) => said(`after ${id}`)),
        ])
        read = next
      }
    }),
  )
})

test('a note after a call that the history lacks is appended to one request', () => {
  const notes = new Notes()
  notes.add('gone', 'Mind the gap.')
  expect(notes.in('Work.')).toEqual([said('Work.'), said('Mind the gap.')])
  expect(notes.in('Work.')).toEqual([said('Work.')])
})

test('answeredIn returns the calls whose result is in the input', () => {
  expect(answeredIn([callItem('1'), callItem('2'), resultItem('2')])).toEqual(new Set(['2']))
  expect(answeredIn('Work.')).toEqual(new Set())
})
