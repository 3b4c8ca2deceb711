import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InMemoryMailbox } from '../mailbox/in-memory-mailbox.ts'
import { EvalLoop, type EvalRequest, type EvalResult } from './eval-loop.ts'
import type { LoopReply } from './supervise.ts'

type Requests = InMemoryMailbox<EvalRequest<string, string>, LoopReply<EvalResult>>

let requests: Requests
let replies: InMemoryMailbox<LoopReply<EvalResult>>
let loop: EvalLoop<string, string, string>
let running: Promise<void>
let judged: (readonly [number, number | null])[]

beforeEach(() => {
  vi.useFakeTimers()
  requests = new InMemoryMailbox({ name: 'evals' })
  replies = new InMemoryMailbox({ name: 'results' })
  judged = []
  let lastBeat = (): number | null => null
  loop = new EvalLoop({
    mailbox: requests,
    execute: async (input, { heartbeat }) => {
      await new Promise((resolve) => setTimeout(resolve, 2500))
      lastBeat = () => heartbeat.lastBeatAt
      if (input === 'crash') throw new Error('the agent crashed')
      return input.toUpperCase()
    },
    evaluators: {
      exact: (output, expected) => {
        judged.push([Date.now(), lastBeat()])
        return { value: output === expected ? 1 : 0, passed: output === expected }
      },
    },
  })
  running = loop.run()
})

afterEach(async () => {
  await Promise.all([loop.stop({ graceSeconds: 0 }), vi.advanceTimersByTimeAsync(1)])
  await running
  vi.useRealTimers()
})

const request = (input: string, evaluator = 'exact') => ({
  sample: { id: `s-${input}`, input, expected: 'A' },
  evaluator,
})

async function results(): Promise<unknown[]> {
  return (await replies.receive({ max: 10 })).map(({ body }) => body)
}

test('an evaluation loop executes each sample, and replies with the score of the named evaluator', async () => {
  await requests.send(request('a'), { replyTo: replies })
  await requests.send(request('b'), { replyTo: replies })
  await vi.advanceTimersByTimeAsync(6000)
  expect(await results()).toEqual([
    {
      kind: 'completed',
      output: { sample: 's-a', score: { value: 1, passed: true }, seconds: 2.5 },
    },
    {
      kind: 'completed',
      output: { sample: 's-b', score: { value: 0, passed: false }, seconds: 2.5 },
    },
  ])
  expect(await requests.count()).toBe(0)
  // A finished execution is proof of work, so the loop beats.
  expect(judged.map(([at, beatAt]) => at === beatAt)).toEqual([true, true])
})

test.each([
  ['an agent that crashes', request('crash'), 'the agent crashed'],
  [
    'an unknown evaluator',
    request('a', 'fuzzy'),
    'There is no evaluator "fuzzy" here. Known: exact.',
  ],
  [
    'an evaluator with the name of a built-in method',
    request('a', 'toString'),
    'There is no evaluator "toString" here. Known: exact.',
  ],
])(
  '%s is retried, then kept as a dead letter, and the sender is notified',
  async (_, body, error) => {
    await requests.send(body, { replyTo: replies })
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(await results()).toEqual([{ kind: 'failed', error }])
    expect(await requests.deadLetters()).toMatchObject([{ body, error, deliveryCount: 5 }])
  },
)
