import { expect, test } from 'vitest'
import { refusalText } from '@/components/shell/sign-in-refusal.ts'
import { findAct } from '@/server/ingest/rollups/advice-watch.ts'
import { planChanges } from './event/plan-changes.ts'
import { eventLook } from './rows/event-look.ts'

// Agents, harnesses and addresses choose these words, some of which are properties of every object.
test.each(['constructor', 'toString', '__proto__'])(
  'the property name "%s" has no meaning as an event type, verdict, status or error code',
  (word) => {
    for (const type of [word, 'tool.decided', 'stop.decided', 'feedback.delivered']) {
      expect(eventLook({ type, verdict: word }).word).toBe('Unknown type')
    }
    const plan = { seq: 1, at: 0, steps: [{ title: 'a', status: word }] }
    expect(planChanges(null, plan)).toMatchObject([{ to: word }])
    expect(refusalText(word, undefined)).toMatch(/^Single sign-on failed/)
    expect(findAct({ type: word, suggestions: ['Go on.'] })).toBe(null)
  },
)
