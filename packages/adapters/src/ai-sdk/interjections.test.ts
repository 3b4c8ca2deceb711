import type { ModelMessage } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Interjections } from './interjections.ts'

const step = fc.record({ said: fc.array(fc.string(), { maxLength: 2 }), added: fc.nat({ max: 3 }) })

test('interjections keep every message that the model has read, and each step only adds to them', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const interjections = new Interjections()
      const history: ModelMessage[] = [{ role: 'user', content: 'Work.' }]
      let read: readonly ModelMessage[] = []
      for (const [index, { said, added }] of steps.entries()) {
        for (let count = 0; count < added; count += 1)
          history.push({ role: 'assistant', content: `${index}.${count}` })
        for (const text of said) interjections.add(text)
        const next = interjections.before(history)
        expect(next.slice(0, read.length)).toEqual(read)
        expect(next.slice(read.length)).toEqual([
          ...(index === 0 ? history : history.slice(history.length - added)),
          ...said.map((content) => ({ role: 'user', content })),
        ])
        read = next
      }
    }),
  )
})
