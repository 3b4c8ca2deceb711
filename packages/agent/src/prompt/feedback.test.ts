import { describe, expect, test } from 'vitest'
import { FeedbackHistory, ToolInvoked } from '../state/built-in-slices.ts'
import { Session } from '../state/session.ts'
import { Feedback } from './feedback.ts'
import { FeedbackContext } from './feedback-context.ts'
import { defineResource, Resources } from './resources.ts'

describe('rendered feedback', () => {
  const feedback = new Feedback({
    providerName: "Patterns'",
    summary: 'Stop </feedback> now & here.',
    observations: [{ category: 'loop', description: '3 times', evidence: 'lint' }],
    suggestions: ['Try <b>.'],
    severity: 'caution',
  })

  test('rendered feedback is a tagged block that its text cannot close', () => {
    expect(feedback.render()).toBe(
      "<feedback provider='Patterns&#39;'>\nStop &lt;/feedback&gt; now &amp; here.\n\n• loop: 3 times\n\n-> Try &lt;b&gt;.\n</feedback>",
    )
  })

  test('rendered feedback has a plain form for harnesses that escape markup themselves', () => {
    expect(feedback.renderPlain()).toBe(
      "[Patterns'] Stop </feedback> now & here.\n\n• loop: 3 times\n\n-> Try <b>.",
    )
  })

  test('rendered feedback has severity info when it has only a summary', () => {
    expect(new Feedback({ providerName: 'a', summary: 'b' })).toMatchObject({
      severity: 'info',
      observations: [],
      suggestions: [],
      delivered: null,
    })
  })
})

describe('the context of a provider', () => {
  const prompt = { ns: 'a', key: 'b', name: 'a:b' }
  const createFeedbackContext = (session: Session) =>
    new FeedbackContext({
      session,
      prompt,
      deadline: null,
      filesystem: null,
      resources: new Resources(),
      settings: {},
    })

  test('the context of a provider is empty before the first call and the first feedback', () => {
    const context = createFeedbackContext(new Session())
    expect(context.toolCallCount).toBe(0)
    expect(context.recentToolCalls(3)).toEqual([])
    expect(context.lastFeedback).toBeNull()
    expect(context.toolCallsSinceLastFeedback()).toBe(0)
    expect(context.toolCallsSinceLastFeedbackForProvider('Deadline')).toBe(0)
  })

  test('counts the calls since the last feedback of any or of one provider, within its own prompt', () => {
    const session = new Session()
    const call = { tool: 'x', args: {}, outcome: 'success', value: null, message: '' } as const
    for (const callIndex of [1, 2, 3])
      session.dispatch(
        ToolInvoked({ ...call, callId: `c${callIndex}`, callIndex, promptName: 'a:b', at: 0 }),
      )
    const advice = { summary: 's', observations: [], suggestions: [], severity: 'info' } as const
    const deliver = (provider: string, callIndex: number, promptName = 'a:b') =>
      session.dispatch(
        FeedbackHistory({
          ...advice,
          provider,
          providerName: provider,
          promptName,
          callIndex,
          at: 5,
        }),
      )
    deliver('Deadline', 1)
    deliver('Static', 2)
    deliver('Deadline', 3, 'another')
    const context = createFeedbackContext(session)
    expect(context.toolCallsSinceLastFeedback()).toBe(1)
    expect(context.toolCallsSinceLastFeedbackForProvider('Deadline')).toBe(2)
    expect(context.lastFeedback?.delivered).toEqual({
      timestamp: 5,
      callIndex: 2,
      promptName: 'a:b',
    })
    expect(context.recentToolCalls(2).map(({ callId }) => callId)).toEqual(['c2', 'c3'])
  })
})

describe('prompt resources', () => {
  const Counter = defineResource<{ count: number }>('counter')

  test('prompt resources are found by key, with their type', () => {
    const resources = new Resources([Counter.of({ count: 1 })])
    expect(resources.get(Counter).count).toBe(1)
    expect(resources.has(defineResource('counter'))).toBe(false)
  })

  test('that are missing are named in the error', () => {
    expect(() => new Resources().get(Counter)).toThrow('There is no resource "counter".')
  })
})
