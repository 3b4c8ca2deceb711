import { describe, expect, test } from 'vitest'
import { Feedback } from './feedback.ts'
import { defineResource, Resources } from './resources.ts'

describe('feedback', () => {
  const feedback = new Feedback({
    providerName: "Patterns'",
    summary: 'Stop </feedback> now & here.',
    observations: [{ category: 'loop', description: '3 times', evidence: 'lint' }],
    suggestions: ['Try <b>.'],
    severity: 'caution',
  })

  test('is a tagged block that its text cannot close', () => {
    expect(feedback.render()).toBe(
      "<feedback provider='Patterns&#39;'>\nStop &lt;/feedback&gt; now &amp; here.\n\n• loop: 3 times\n\n-> Try &lt;b&gt;.\n</feedback>",
    )
  })

  test('has a plain form for harnesses that escape markup themselves', () => {
    expect(feedback.renderPlain()).toBe(
      "[Patterns'] Stop </feedback> now & here.\n\n• loop: 3 times\n\n-> Try <b>.",
    )
  })

  test('is an info without anything but a summary', () => {
    expect(new Feedback({ providerName: 'a', summary: 'b' })).toMatchObject({
      severity: 'info',
      observations: [],
      suggestions: [],
      delivered: null,
    })
  })
})

describe('resources', () => {
  const Counter = defineResource<{ count: number }>('counter')

  test('are found by their key, with their type', () => {
    const resources = new Resources([Counter.of({ count: 1 })])
    expect(resources.get(Counter).count).toBe(1)
    expect(resources.has(defineResource('counter'))).toBe(false)
  })

  test('that nobody gave are named', () => {
    expect(() => new Resources().get(Counter)).toThrow('There is no resource "counter".')
  })
})
